// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>

#include "assay/profile/callgrind.hpp"
#include "assay/profile/counter_runs.hpp"
#include "assay/profile/profile.hpp"
#include "assay/profile/tool.hpp"
#include "assay/record/bag.hpp"

namespace assay::profile {
namespace {

std::string place_of(const record::CounterRun& run) {
  return run.problem + "/" + run.case_id + "/" + run.state + ", " +
         experiment::SubjectId{run.build, run.subject}.text();
}

// What ran is what its command says, whatever the run is said to be of.
void compare_command(const record::CompanionRecord& companion, const record::CounterRun& run,
                     std::vector<std::string>& differences) {
  const std::string number = std::to_string(run.number);
  if (run.command.empty()) {
    if (run.end) differences.push_back("run " + number + " came to an end and has no command");
    return;
  }
  const auto once = once_words(companion.companion, run);
  const auto& words = run.command;
  if (std::search(words.begin(), words.end(), once.begin(), once.end()) == words.end()) {
    differences.push_back("the command of run " + number + " is not one of its subject, case, " +
                          "state, device, number of calls and program (" + place_of(run) + ")");
  }
  const std::string& tool = companion.companion.tool.path;
  if (!tool.empty() && words.front() != tool) {
    differences.push_back("the command of run " + number + " does not start the tool " + tool);
  }
  if (companion.companion.tool.name != callgrind_name) return;
  for (const std::string& file : callgrind_files_of_others(run, once, companion.path / "data")) {
    differences.push_back("the file " + file + " is of another command than run " + number);
  }
}

const Unit* unit_of(const std::vector<Unit>& units, const record::CounterRun& run) {
  const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& unit) {
    return unit.problem == run.problem && unit.the_case.id() == run.case_id &&
           unit.state == run.state && unit.subject == experiment::SubjectId{run.build, run.subject};
  });
  return found == units.end() ? nullptr : &*found;
}

void compare_with_unit(const record::CounterRun& run, const Unit* unit,
                       std::vector<std::string>& differences) {
  const std::string number = std::to_string(run.number);
  if (unit == nullptr) {
    differences.push_back("run " + number + " is of " + place_of(run) +
                          ", which the timed record does not have");
    return;
  }
  if (unit->is_baseline != run.is_baseline) {
    differences.push_back("run " + number + " (" + place_of(run) + ") is " +
                          (run.is_baseline ? "called" : "not called") +
                          " the baseline, and in the timed record it is " +
                          (unit->is_baseline ? "the baseline" : "none"));
  }
  if (unit->own_state != run.own_state) {
    differences.push_back("run " + number + " (" + place_of(run) + ") has '" + run.own_state +
                          "' as its subject's own state, the timed record '" + unit->own_state +
                          "'");
  }
}

// The program of the plan's layouts, as programs_of() has them.
void compare_programs(const record::Companion& companion, const experiment::Plan& plan,
                      std::vector<std::string>& differences) {
  const auto layouts = static_cast<std::size_t>(std::max<std::int64_t>(plan.layout_replicates, 1));
  const std::int64_t layout = layouts > 1 ? 1 : 0;
  if (companion.programs.size() != plan.builds.size()) {
    differences.emplace_back("companion.json does not have the builds of the timed record");
    return;
  }
  for (std::size_t i = 0; i < plan.builds.size(); ++i) {
    const record::ProfiledProgram& program = companion.programs[i];
    const std::string timed =
        i * layouts < plan.program_digests.size() ? plan.program_digests[i * layouts] : "";
    if (program.build != plan.builds[i].name || program.layout != layout ||
        program.timed_sha256 != timed) {
      differences.push_back("companion.json: the program of the build '" + program.build +
                            "' that was timed is not the one that the timed record names for '" +
                            plan.builds[i].name + "'");
    }
  }
}

}  // namespace

std::vector<std::string> recomputation_differences(const record::CompanionRecord& companion) {
  std::map<std::int64_t, std::string> stored;
  for (const auto& counter : companion.counters) append_csv(stored[counter.run], counter);
  std::vector<std::string> differences;
  for (record::CounterRun run : companion.companion.runs) {
    compare_command(companion, run, differences);
    const auto told = run.missing;
    std::string text;
    for (const auto& counter : counters_of(companion.companion, run, companion.path / "data")) {
      append_csv(text, counter);
    }
    if (text != stored[run.number] || told != run.missing) {
      differences.push_back("the counters of run " + std::to_string(run.number) +
                            " are not those that its raw files say");
    }
  }
  return differences;
}

std::vector<std::string> timed_record_differences(const record::CompanionRecord& companion,
                                                  const record::Record& timed) {
  const record::Companion& told = companion.companion;
  const experiment::Plan& plan = timed.evidence.plan;
  std::vector<std::string> differences;
  const auto compare = [&](const char* what, const std::string& here, const std::string& there) {
    if (here == there) return;
    differences.push_back(std::string("companion.json names the ") + what + " '" + here +
                          "', and the timed record's is '" + there + "'");
  };
  compare("record", told.of.name, record::record_name(timed.path));
  compare("plan", told.of.plan_sha256, timed.plan_sha256);
  compare("device", told.device, plan.device);
  compare_programs(told, plan, differences);
  const auto units = units_of(plan, timed.evidence.calibration, {});
  for (const record::CounterRun& run : told.runs) {
    compare_with_unit(run, unit_of(units, run), differences);
  }
  return differences;
}

}  // namespace assay::profile
