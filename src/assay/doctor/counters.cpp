// SPDX-License-Identifier: MIT
#include "assay/doctor/counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay::doctor {

Reading<bool> try_counters() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_hv = 1;
  const long fd = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0UL);
  if (fd >= 0) {
    ::close(static_cast<int>(fd));
    return true;
  }
  const std::string detail = std::strerror(errno);
  if (errno == ENOENT || errno == ENODEV || errno == EOPNOTSUPP)
    return Missing{"no-counter", detail};
  if (errno == EACCES || errno == EPERM) return Missing{"not-permitted", detail};
  return Missing{"unreadable", detail};
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
