// SPDX-License-Identifier: MIT
//
// assay: arguments to calls, nothing else.
#include <signal.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <system_error>

#include "assay/base/error.hpp"
#include "assay/doctor/noise_trials.hpp"
#include "assay/profile/profile.hpp"
#include "cli/options.hpp"

namespace {

using namespace assay;

constexpr int usage_status = 2;

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return usage_status;
    case ErrorKind::nothing:
      return 3;
    case ErrorKind::bad_input:
      return 4;
    case ErrorKind::device:
    case ErrorKind::worker:
    case ErrorKind::write:
      return 5;
    case ErrorKind::bug:
      return 70;
  }
  return 70;
}

// --json writes to stdout, --json FILE to a file.
void add_json(CLI::App* command, cli::JsonTarget& target) {
  command
      ->add_option_function<std::string>(
          "--json", [&target](const std::string& file) { target.file = file.empty() ? "-" : file; },
          "Write the result as JSON to standard output, or to FILE")
      ->expected(0, 1)
      ->type_name("[FILE]")
      ->default_str("-");
}

// Empty, it would mean the default, which nobody who writes it can have in mind.
const CLI::Validator not_empty(
    [](const std::string& text) {
      return text.empty() ? "expected a device, found an empty text" : std::string();
    },
    "");

// Before the option's own conversion, which takes the nearest number that there is for one that is
// out of range.
const CLI::Validator number_of_trials(
    [](const std::string& text) {
      std::int64_t number = 0;
      const char* end = text.data() + text.size();
      const auto read = std::from_chars(text.data(), end, number);
      const bool is_known = read.ec == std::errc() && read.ptr == end;
      return is_known ? std::string()
                      : "expected " + std::to_string(doctor::kLeastNoiseTrials) + " to " +
                            std::to_string(doctor::kMostNoiseTrials) + ", found '" +
                            text.substr(0, 80) + "'";
    },
    "");

void add_run(CLI::App& app, cli::RunOptions& options, std::function<int()>& action,
             const std::string& command_line) {
  auto* command = app.add_subcommand(
      "run", "Plan, seal, check, measure, judge, write the record, show the result");
  auto* experiment =
      command->add_option("experiment", options.experiment,
                          "An experiment file, a folder that holds experiment.toml, or a program");
  auto* resume = command->add_option("--resume", options.resume, "Go on with an interrupted record")
                     ->type_name("RECORD");
  experiment->excludes(resume);
  command
      ->add_option("--program", options.program, "The program, instead of the one the file names")
      ->type_name("PATH")
      ->excludes(resume);
  command
      ->add_option("--device", options.device,
                   "cpu (the default), cuda or cuda:N, or fake:SCRIPT.json for tests")
      ->check(not_empty);
  command->add_option("--axis", options.axes, "Values for an axis: n=[1024, 4096], dtype=f32")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false)
      ->excludes(resume);
  command
      ->add_option("--filter", options.filter,
                   "Only cells whose id matches: problem/case/state/boundary")
      ->type_name("REGEX")
      ->excludes(resume);
  command->add_option("--budget", options.budget, "Time to spend at most: 90s, 5min")
      ->type_name("TIME");
  command->add_option("--records", options.records, "Where records are made")
      ->capture_default_str();
  command
      ->add_flag("--quick", options.quick,
                 "At most ten seconds, one state, a scratch record, no verdict")
      ->excludes(resume);
  command->add_flag("--list", options.list, "List the cells and subjects, and stop")
      ->excludes(resume);
  command
      ->add_flag("--dry-run", options.dry_run,
                 "Say what would be run and how long it takes, and stop")
      ->excludes(resume);
  command->add_flag("--strict", options.strict, "Exit status 13 also for a finding");
  command->add_flag(
      "--force-compile", options.force_compile,
      "Compile CUDA sources anew in every process, instead of taking them from the cache");
  add_json(command, options.json);
  command->callback([&] { action = [&] { return cli::run_command(options, command_line); }; });
}

void add_doctor(CLI::App& app, cli::DoctorOptions& options, std::function<int()>& action,
                const std::string& command_line) {
  auto* command = app.add_subcommand(
      "doctor", "Is this machine fit to measure: what was found, why it matters, what to do");
  auto* noise = command->add_flag(
      "--noise", options.noise,
      "Instead measure what identical code differs by, and store it for later runs");
  command->add_flag(
      "--ceilings", options.ceilings,
      "Instead measure what its memory and its arithmetic reach at most, and store it");
  command
      ->add_option("--trials", options.trials,
                   "Trials to measure it with, " + std::to_string(doctor::kLeastNoiseTrials) +
                       " to " + std::to_string(doctor::kMostNoiseTrials))
      ->check(number_of_trials)
      ->capture_default_str()
      ->needs(noise);
  command->add_option("--budget", options.budget, "Time to spend at most: 90s, 5min")
      ->type_name("TIME");
  command->add_option("--seed", options.seed, "Seed of the run; default: a fresh one")
      ->needs(noise);
  command
      ->add_option("--device", options.device, "cpu, cuda or cuda:N, or fake:SCRIPT.json for tests")
      ->check(not_empty)
      ->capture_default_str();
  command
      ->add_option("--records", options.records,
                   "Where records are going to be made, for the check of the disk; with --noise "
                   "where its record is made (default: in the state directory)")
      ->type_name("DIRECTORY");
  add_json(command, options.json);
  command->callback([&] { action = [&] { return cli::doctor_command(options, command_line); }; });
}

// As many words as follow would be taken for more of the option.
CLI::Option* add_list(CLI::App* command, const char* name, std::vector<std::string>& values,
                      const char* description, const char* type) {
  return command->add_option(name, values, description)->type_name(type)->allow_extra_args(false);
}

void add_profile(CLI::App& app, cli::ProfileOptions& options, std::function<int()>& action,
                 const std::string& command_line) {
  auto* command = app.add_subcommand(
      "profile",
      "Run the subjects of a record again under a tool and keep what it counts beside it");
  command->add_option("record", options.record, "The timed record's directory")->required();
  command
      ->add_option("--tool", options.tool,
                   "callgrind: instructions and simulated caches; perf: the processor's "
                   "counters; ncu: a GPU's")
      ->required()
      ->type_name("TOOL");
  command->add_option("--tool-path", options.tool_path, "The tool's program; default: on PATH")
      ->type_name("PATH");
  add_list(command, "--event", options.events,
           "With perf: an event by its name in libpfm4, instead of the usual ones; may be repeated",
           "NAME");
  add_list(command, "--metric", options.metrics,
           "With ncu: a metric by its name, instead of the usual ones; may be repeated", "NAME");
  command
      ->add_option("--replay", options.replay,
                   "With ncu, for what needs several passes: application (the default) or kernel")
      ->type_name("MODE");
  add_list(command, "--subject", options.subjects, "Only this subject; may be repeated", "NAME");
  add_list(command, "--case", options.cases,
           "Only this case, \"n=1024 dtype=f32\"; may be repeated", "CASE");
  add_list(command, "--state", options.states, "Only this state; may be repeated", "STATE");
  command
      ->add_option("--filter", options.filter,
                   "Only cells whose id matches: problem/case/state/boundary")
      ->type_name("REGEX");
  add_list(command, "--program", options.programs,
           "The program, where it no longer lies where it was timed", "[BUILD=]PATH");
  command->add_flag("--other-program", options.other_program,
                    "Go on with a program that is not the one that was timed, and say so");
  command
      ->add_option("--calls", options.calls,
                   "Calls counted in one process; default: the tool's choice")
      ->check(CLI::Range(std::int64_t{1}, profile::most_counted_calls))
      ->type_name("N");
  command->add_option("--timeout", options.timeout, "For one process; default 10min")
      ->type_name("TIME");
  command
      ->add_option("-o,--output", options.output,
                   "The folder in which the companion is made; default: the record's")
      ->type_name("DIRECTORY");
  add_json(command, options.json);
  command->callback([&] { action = [&] { return cli::profile_command(options, command_line); }; });
}

void add_record_command(CLI::App& app, const char* name, const char* description,
                        cli::RecordOptions& options, std::function<int()>& action,
                        int (*call)(const cli::RecordOptions&), bool with_output) {
  auto* command = app.add_subcommand(name, description);
  command->add_option("record", options.records, "The record's directory")->required()->expected(1);
  if (with_output) {
    command
        ->add_option("-o,--output", options.output,
                     "Where the page is written; default: NAME.html here")
        ->type_name("FILE");
  } else {
    add_json(command, options.json);
  }
  command->callback(
      [&options, &action, call] { action = [&options, call] { return call(options); }; });
}

void add_env(CLI::App& app, cli::EnvOptions& options, std::function<int()>& action) {
  auto* command = app.add_subcommand(
      "env", "What this machine is, as a record will hold it: each fact with where it was read");
  add_json(command, options.json);
  auto* diff = command->add_subcommand(
      "diff", "What differs between two environments, in the order of how much it matters");
  diff->add_option("before", options.before, "A record, an environment.json, or \"now\"")
      ->required();
  diff->add_option("after", options.after, "The same; default: now")->default_val("now");
  add_json(diff, options.json);
  diff->callback([&] { action = [&] { return cli::env_diff_command(options); }; });
  command->callback([&, diff] {
    if (!diff->parsed()) action = [&] { return cli::env_command(options); };
  });
}

}  // namespace

int main(int argc, char** argv) {
  // A full disk or a limit is an error of the write that meets it, and a closed pipe is one too.
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);

  std::string command_line;
  for (int i = 0; i < argc; ++i) command_line += (i == 0 ? "" : " ") + std::string(argv[i]);

  CLI::App app(
      "Assay turns \"my kernel is faster\" into a record that another engineer can inspect, re-run "
      "and compare.",
      "assay");
  app.set_version_flag("--version", std::string("assay " ASSAY_VERSION));
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done and nothing slower; 10 slower; 11 inconclusive; 12 correctness failed; "
      "13 void;\n"
      "2 usage; 3 nothing was measured; 4 bad experiment file or record; 5 a device, worker or "
      "write failure;\n"
      "70 a bug of Assay; 130 interrupted. doctor: 0 fit, 20 with reservations, 21 unfit.");
  std::function<int()> action;
  cli::RunOptions run;
  cli::NewOptions fresh;
  cli::DoctorOptions doctor;
  cli::EnvOptions env;
  cli::ProfileOptions profile;
  cli::RecordOptions show;
  cli::RecordOptions report;
  cli::RecordOptions verify;

  auto* new_command = app.add_subcommand("new", "Write a working experiment folder to edit");
  new_command->add_option("name", fresh.name, "The folder and the experiment's name")->required();
  new_command
      ->add_option("--from", fresh.from, "Start from a record of a run without an experiment file")
      ->type_name("RECORD");
  new_command->callback([&] { action = [&] { return cli::new_command(fresh); }; });
  add_run(app, run, action, command_line);
  add_record_command(app, "show", "Show the result again, from the files", show, action,
                     cli::show_command, false);
  app.get_subcommand("show")->add_flag(
      "--details", show.details,
      "Also the statistics of the samples, what ranks say, and advice on blocks");
  add_record_command(app, "report", "Write the HTML page", report, action, cli::report_command,
                     true);
  add_record_command(app, "verify", "Check the integrity of a record and recompute its result",
                     verify, action, cli::verify_command, false);

  add_profile(app, profile, action, command_line);
  add_doctor(app, doctor, action, command_line);
  add_env(app, env, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : usage_status;
  }
  try {
    return action();
  } catch (const Error& error) {
    std::fprintf(stderr, "assay: %s\n", error.what());
    return status_of(error.kind());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay: unexpected: %s. This is a bug of Assay.\n", error.what());
    return status_of(ErrorKind::bug);
  }
}
