// SPDX-License-Identifier: MIT
//
// One subject on one case, called once or a few times without a timer: for debuggers, for profilers
// and for `assay profile`, which counts what happens meanwhile. Internal.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "assay/base/perf_event.hpp"
#include "assay/measure/program.hpp"

namespace assay::measure {

struct Once {
  std::string subject;  // "NAME", or "PROBLEM/NAME" where several problems have one of that name
  std::string case_id;
  std::string device = "cpu";
  // Empty: the calls and nothing before them. Else one call, and then what is made ready for as a
  // sample in that state is: "warm" calls once more.
  std::string state;
  std::int64_t calls = 1;
  // Counted around the calls, and where the counts are written: both or neither.
  std::vector<PerfEvent> events;
  std::string counts;
};

// SUBJECT CASE [--device ID] [--state STATE] [--calls N] [--counts FILE --event EVENT …], events as
// PerfEvent::text() writes them. Throws Error{usage}.
Once once_from(const std::vector<std::string>& arguments);

// The calls are made within assay_counted_calls, all of them in one; once for each group of events.
// Throws Error{usage} for what is
// not there, and what the subject throws.
void once(const Program& program, const Once& which, std::ostream& out);

}  // namespace assay::measure
