// SPDX-License-Identifier: MIT
#include "assay/measure/counted_calls.hpp"

#include "assay/base/do_not_optimize.hpp"
#include "assay/measure/subject.hpp"

// Neither inlined nor replaced by a copy under another name, also where the program is optimised as
// a whole; and it must return to itself: after a jump into the loop a tool would not see its end.
#if defined(__GNUC__) && !defined(__clang__)
#define ASSAY_KEPT_APART __attribute__((noinline, noclone, used))
#else
#define ASSAY_KEPT_APART __attribute__((noinline, used))
#endif

extern "C" ASSAY_KEPT_APART void assay_counted_calls(assay::detail::Loop* loop,
                                                     assay::Context* context, std::int64_t calls) {
  loop->run(*context, calls);
  assay::clobber();
}
