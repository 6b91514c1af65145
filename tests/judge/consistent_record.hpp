// SPDX-License-Identifier: MIT
//
// A record of two synthetic trials whose files agree, for tests that change one of them.
#pragma once

#include "synthetic.hpp"

namespace assay::judge_test {

// Rows of trials.csv for the processes of two synthetic trials.
inline void add_processes(record::Record& record) {
  for (std::int64_t trial = 1; trial <= 2; ++trial) {
    record::Trial row;
    row.trial = trial;
    row.process = 2 * trial;
    row.build = "program";
    row.boundary = "call";
    row.core = 0;
    row.cores_allowed = 2;
    row.started_utc = "2026-11-29T21:45:00+00:00";
    row.end_ns = 1'000'000'000;
    row.outcome = "completed";
    row.canary_missing = "refused";
    record.evidence.trials.push_back(row);
  }
  for (auto& cell : record.evidence.plan.cells) cell.checked = false;
  record.sealed_utc = "2026-11-29T21:44:05+00:00";
  record.evidence.environment = Json{{"cpu", {{"online_cpus", {{"value", 8}}}}},
                                     {"memory", {{"total_bytes", {{"value", 4'000'000'000}}}}}};
}

inline record::Record record_of_a_program() {
  record::Record record;
  record.evidence = evidence_of({.blocks = 3}, 2);
  add_processes(record);
  return record;
}

}  // namespace assay::judge_test
