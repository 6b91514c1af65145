// SPDX-License-Identifier: MIT
//
// A companion of two runs and two metrics, for the tests of whoever writes, reads or shows one.
#pragma once

#include <string>
#include <vector>

#include "assay/record/companion.hpp"

namespace assay::record {

inline CounterRun some_run(std::int64_t number, const std::string& subject) {
  CounterRun run;
  run.number = number;
  run.problem = "sum";
  run.case_id = "n=64";
  run.state = "warm";
  run.build = "program";
  run.subject = subject;
  run.is_baseline = number == 1;
  run.calls = 10;
  run.command = {"/usr/bin/valgrind",
                 "/x/program",
                 "--once",
                 "sum/" + subject,
                 "n=64",
                 "--device",
                 "cpu",
                 "--state",
                 "warm",
                 "--calls",
                 "10"};
  run.started_utc = "2026-11-30T12:00:00+00:00";
  run.wall_s = 1.5;
  run.end = ProcessEnd{false, 0};
  run.raw = {"raw/000" + std::to_string(number) + "/out"};
  return run;
}

inline Companion some_companion() {
  Companion companion;
  companion.created_utc = "2026-11-30T12:00:00+00:00";
  companion.assay_version = "0.1.0";
  companion.command_line = "assay profile records/timed";
  companion.of = {"timed", std::string(64, 'a'), std::string(64, 'b')};
  companion.tool = {"callgrind", "valgrind-3.19.0", "/usr/bin/valgrind"};
  companion.device = "cpu";
  companion.programs = {{"program", 0, "/x/program", std::string(64, 'c'), std::string(64, 'c')}};
  companion.metrics = {{"Ir", "instructions", "instructions executed", true},
                       {"DLmr", "misses", "misses of the last level", true}};
  companion.notes = {"A note."};
  companion.runs = {some_run(1, "plain"), some_run(2, "fast")};
  companion.runs[1].missing = {{"not-simulated", "nothing empties the simulated caches"}};
  return companion;
}

inline Counter some_counter(const Companion& companion, std::size_t run, const std::string& metric,
                            Reading<double> value) {
  const CounterRun& of = companion.runs[run];
  Counter counter;
  counter.run = of.number;
  counter.problem = of.problem;
  counter.case_id = of.case_id;
  counter.state = of.state;
  counter.build = of.build;
  counter.subject = of.subject;
  counter.metric = metric;
  counter.unit = metric == "Ir" ? "instructions" : "misses";
  counter.calls = of.calls;
  counter.value = std::move(value);
  return counter;
}

// Ir 1000 and 250 in ten calls; DLmr 0, and not known.
inline std::vector<Counter> some_counters(const Companion& companion) {
  return {some_counter(companion, 0, "Ir", 1000.0), some_counter(companion, 0, "DLmr", 0.0),
          some_counter(companion, 1, "Ir", 250.0),
          some_counter(companion, 1, "DLmr", Missing{"not-simulated", ""})};
}

}  // namespace assay::record
