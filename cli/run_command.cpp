// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "assay/base/error.hpp"
#include "assay/experiment/experiment.hpp"
#include "assay/judge/text.hpp"
#include "assay/report/terminal.hpp"
#include "assay/report/words.hpp"
#include "assay/run/run.hpp"
#include "cli/cell_filter.hpp"
#include "cli/measuring.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  return fs::is_regular_file(path) && path.extension() != ".toml" &&
         access(path.c_str(), X_OK) == 0;
}

experiment::Experiment experiment_from(const RunOptions& options) {
  const fs::path path =
      options.experiment.empty() ? fs::path("experiment.toml") : fs::path(options.experiment);
  experiment::Experiment experiment;
  if (fs::is_directory(path)) {
    experiment = experiment::read_experiment(path / "experiment.toml");
  } else if (is_program(path)) {
    experiment = experiment::experiment_of_program(path);
  } else {
    if (!fs::exists(path)) {
      throw Error(ErrorKind::bad_input,
                  path.string() +
                      " does not exist: expected an experiment file, a folder that holds "
                      "experiment.toml, or a program");
    }
    experiment = experiment::read_experiment(path);
  }
  if (!experiment.commands.empty()) {
    if (!options.program.empty()) {
      throw Error(ErrorKind::usage,
                  "--program names a program, but the subjects of this experiment are commands");
    }
    auto& directory = experiment.builds.front().directory;
    directory = fs::absolute(directory).lexically_normal();
  } else if (!options.program.empty()) {
    if (experiment.builds.size() != 1) {
      throw Error(ErrorKind::usage,
                  "--program names one program, but the experiment has two builds");
    }
    experiment.builds.front().program = fs::absolute(options.program);
    experiment.builds.front().command.clear();  // what is named is taken as it is
  } else {
    for (auto& build : experiment.builds) {
      if (build.program.empty()) {
        throw Error(ErrorKind::bad_input, path.string() + " names no program for the build '" +
                                              build.name +
                                              "': add `program = …` to it, or say --program PATH");
      }
      build.program = fs::absolute(experiment::find_program(build));
    }
  }
  for (const auto& axis : options.axes) {
    experiment.cases.axis_overrides.push_back(experiment::parse_axis_option(axis));
  }
  experiment.cases.filter = cell_filter(options.filter);
  if (!options.budget.empty()) {
    experiment.protocol.budget_s = budget_s(options.budget);
  }
  experiment.quick = options.quick;
  return experiment;
}

run::Options run_options(const RunOptions& options, const std::string& command_line,
                         ProgressPrinter& printer) {
  run::Options result;
  check_device(options.device);
  result.records = options.quick
                       ? fs::temp_directory_path() / ("assay-quick-" + std::to_string(getuid()))
                       : options.records;
  result.device = options.device.empty() && options.resume.empty() ? "cpu" : options.device;
  result.command_line = command_line;
  set_hooks(result, printer);
  return result;
}

std::string listing(const experiment::Plan& plan) {
  std::string text;
  for (const auto& cell : plan.cells) {
    text += cell.id() + "\n";
    for (std::size_t i = 0; i < cell.subjects.size(); ++i) {
      text += "  " + cell.subjects[i].text() + (i == 0 ? "  (baseline)" : "") + "\n";
    }
    for (const auto& name : cell.unsupported) text += "  " + name + "  (does not apply here)\n";
  }
  for (const auto& left : plan.left_out)
    text += "left out: " + left.what + ": " + left.reason + "\n";
  return text;
}

std::string dry_run_text(const run::DryRun& dry) {
  char text[400];
  std::snprintf(
      text, sizeof text,
      "%zu cells, %zu comparisons (%zu primary), %lld to %lld processes, %s %.0f s to the first "
      "look, %.0f s at most\n",
      dry.plan.cells.size(), dry.plan.comparisons.size(), dry.plan.primaries(),
      static_cast<long long>(dry.processes_at_least), static_cast<long long>(dry.processes_at_most),
      dry.plan.is_of_commands() ? "at least" : "about", dry.seconds_at_least, dry.seconds_at_most);
  std::string margin;
  if (!dry.plan.comparisons.empty()) {
    margin = "margin in force " + judge::percent_text(dry.plan.margin_in_force()) +
             "; noise floor: " + report::noise_floor_text(dry.plan) + "\n";
  }
  return text + margin;
}

int plan_only(const RunOptions& options, const run::Options& running) {
  const run::DryRun dry = run::dry_run(experiment_from(options), running);
  if (dry.is_interrupted) return 130;
  if (options.json.is_wanted()) {
    print_json(options.json, {{"plan", to_json(dry.plan)},
                              {"processes_at_least", dry.processes_at_least},
                              {"processes_at_most", dry.processes_at_most},
                              {"seconds_at_least", dry.seconds_at_least},
                              {"seconds_at_most", dry.seconds_at_most}});
  }
  if (!options.json.is_stdout()) {
    if (options.list) print(listing(dry.plan));
    if (options.dry_run) print(dry_run_text(dry));
  }
  return 0;
}

}  // namespace

int run_command(const RunOptions& options, const std::string& command_line) {
  catch_signals();
  check_json_target(options.json);
  // The workers, which compile, inherit it.
  if (options.force_compile) setenv("ASSAY_FORCE_COMPILE", "1", 1);
  ProgressPrinter printer;
  run::Options running = run_options(options, command_line, printer);
  if (options.list || options.dry_run) {
    running.hooks.progress = [](const run::ProgressState&) {};
    return plan_only(options, running);
  }
  run::Outcome outcome;
  if (!options.resume.empty()) {
    if (!options.budget.empty()) {
      running.budget_s = budget_s(options.budget);
    }
    outcome = run::resume(options.resume, running);
  } else {
    outcome = run::run(experiment_from(options), running);
  }
  printer.finish();
  const int status = outcome.result.exit_status;
  if (options.strict && (status == 0 || status == 11) && !outcome.result.findings.empty()) {
    outcome.result.exit_status = 13;
  }
  if (options.json.is_wanted()) {
    print_json(options.json,
               {{"record", outcome.record.string()}, {"result", to_json(outcome.result)}});
  }
  if (!options.json.is_stdout()) {
    print(report::result_table(outcome.result, outcome.plan, stdout_style()));
    if (!outcome.record.empty()) print("\nRecord:  " + outcome.record.string() + "\n");
    if (outcome.is_sealed)
      print("Report:  " + (outcome.record / "data/report.html").string() + "\n");
    if (!outcome.is_sealed && !outcome.record.empty()) {
      print("Interrupted. Go on with: assay run --resume " + outcome.record.string() + "\n");
    }
  }
  return outcome.result.exit_status;
}

}  // namespace assay::cli
