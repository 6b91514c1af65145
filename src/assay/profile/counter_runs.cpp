// SPDX-License-Identifier: MIT
#include "assay/profile/counter_runs.hpp"

#include <algorithm>

namespace assay::profile {

record::CounterRun run_of(const Unit& unit, std::int64_t number, std::int64_t calls) {
  record::CounterRun run;
  run.number = number;
  run.problem = unit.problem;
  run.case_id = unit.the_case.id();
  run.state = unit.state;
  run.own_state = unit.own_state;
  run.build = unit.subject.build;
  run.subject = unit.subject.name;
  run.is_baseline = unit.is_baseline;
  run.calls = calls;
  return run;
}

std::vector<std::string> once_words(const record::Companion& companion,
                                    const record::CounterRun& run) {
  const auto program =
      std::find_if(companion.programs.begin(), companion.programs.end(),
                   [&](const record::ProfiledProgram& each) { return each.build == run.build; });
  return {program == companion.programs.end() ? "" : program->path,
          "--once",
          run.problem + "/" + run.subject,
          run.case_id,
          "--device",
          companion.device,
          "--state",
          run.state,
          "--calls",
          std::to_string(run.calls)};
}

}  // namespace assay::profile
