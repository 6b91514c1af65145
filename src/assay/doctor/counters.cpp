// SPDX-License-Identifier: MIT
#include "assay/doctor/counters.hpp"

#include "assay/base/perf_event.hpp"

namespace assay::doctor {

Reading<bool> try_counters() {
  const PerfCounter cycles = PerfCounter::of(processor_cycles());
  return cycles.read().transform([](const PerfCounter::Count&) { return true; });
}

env::FitnessCheck counters_check(const Reading<bool>& counters) {
  env::FitnessCheck check{"counters.cycles", env::Fitness::fit, "cycles can be counted", "", ""};
  check.why = "Counters tell why a kernel is fast; its time is measured without them.";
  if (counters) return check;
  check.fitness = env::Fitness::unknown;
  const Missing& missing = counters.missing();
  check.found = "cycles cannot be counted: " + missing.detail;
  check.advice = missing.reason == "not-permitted"
                     ? "sudo sysctl kernel.perf_event_paranoid=1; containers also need CAP_PERFMON."
                     : "This machine shows no counters; most virtual ones do not.";
  return check;
}

}  // namespace assay::doctor
