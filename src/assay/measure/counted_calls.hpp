// SPDX-License-Identifier: MIT
//
// The place that counters are put around. Internal, but its name is a promise: tools that count or
// stop by a function's name (callgrind --toggle-collect, a debugger's breakpoint) are told it.
//
// A function and not a client request of valgrind's or a marker of another tool: a program then
// needs the headers of none of them, and what is counted is the same for all.
#pragma once

#include <cstdint>

namespace assay {
class Context;
namespace detail {
class Loop;
}
}  // namespace assay

// So many calls of the subject, and nothing else: what else is counted with them is this function,
// one indirect call and the loop's two instructions a call, the loop being the one that is timed.
extern "C" void assay_counted_calls(assay::detail::Loop* loop, assay::Context* context,
                                    std::int64_t calls);

namespace assay::measure {

inline constexpr const char* counted_calls_name = "assay_counted_calls";

// What begins and ends around the counted calls, after everything has been made ready.
class CountingWindow {
 public:
  virtual ~CountingWindow() = default;
  virtual void open() = 0;
  virtual void close() = 0;
};

}  // namespace assay::measure
