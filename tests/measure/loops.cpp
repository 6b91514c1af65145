// SPDX-License-Identifier: MIT
//
// Compiled to assembly only, for assembly_test.cpp: one loop around a subject a function.
#include "assay/measure/subject.hpp"

namespace {

struct Empty {
  void operator()() const {}
};
struct ReturnsInt {
  int value;
  int operator()() const { return value + 1; }
};
struct Stores {
  int* target;
  void operator()(assay::Context&) const { *target = 1; }
};

}  // namespace

extern "C" {

void loop_empty(assay::detail::LoopOf<Empty>& loop, assay::Context& context, std::int64_t n) {
  loop.run(context, n);
}
void loop_returns_int(assay::detail::LoopOf<ReturnsInt>& loop, assay::Context& context,
                      std::int64_t n) {
  loop.run(context, n);
}
void loop_stores(assay::detail::LoopOf<Stores>& loop, assay::Context& context, std::int64_t n) {
  loop.run(context, n);
}
}
