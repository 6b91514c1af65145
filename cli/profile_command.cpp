// SPDX-License-Identifier: MIT
#include <cstdio>

#include "assay/base/error.hpp"
#include "assay/env/environment.hpp"
#include "assay/profile/profile.hpp"
#include "cli/cell_filter.hpp"
#include "cli/companion_commands.hpp"
#include "cli/measuring.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

constexpr int status_nothing_counted = 3;
constexpr int status_interrupted = 130;

void say(std::size_t number, std::size_t all, const record::CounterRun& run) {
  std::fprintf(stderr, "counting %zu of %zu: %s/%s/%s, %s\n", number, all, run.problem.c_str(),
               run.case_id.c_str(), run.state.c_str(), run.subject.c_str());
}

}  // namespace

int profile_command(const ProfileOptions& options, const std::string& command_line) {
  check_json_target(options.json);
  profile::Options profiling;
  profiling.record = options.record;
  profiling.tool = options.tool;
  profiling.tool_path = options.tool_path;
  profiling.events = options.events;
  profiling.metrics = options.metrics;
  profiling.replay = options.replay;
  profiling.programs = options.programs;
  profiling.allow_other_program = options.other_program;
  profiling.selection = {options.subjects, options.cases, options.states,
                         cell_filter(options.filter)};
  profiling.calls = options.calls;
  if (!options.timeout.empty()) profiling.timeout_s = duration_s(options.timeout, "--timeout");
  if (!options.output.empty()) refuse_inside_record(options.output / "companion");
  profiling.output = options.output;
  profiling.command_line = command_line;
  profiling.environment = env::environment_of_this_machine();
  profiling.environment["machine_fingerprint"] = env::machine_fingerprint(profiling.environment);
  catch_signals();
  profiling.interrupted = stop_is_asked;
  profiling.progress = say;
  const profile::Outcome outcome = profile::profile(profiling);
  if (outcome.companion.empty()) {
    std::fputs("Interrupted before anything was counted: there is no companion.\n", stderr);
    return status_interrupted;
  }
  show_companion(outcome.companion, options.json, false);
  if (!options.json.is_stdout()) print("\nCompanion: " + outcome.companion.string() + "\n");
  if (outcome.was_interrupted) return status_interrupted;
  return outcome.counted == 0 ? status_nothing_counted : 0;
}

}  // namespace assay::cli
