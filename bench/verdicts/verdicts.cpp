// SPDX-License-Identifier: MIT
//
// Two subjects of which the truth is known: "a" sums 100 chunks a call, "b" 100 and as many as the
// axis "extra" says, by the same code (walk.hpp). bench/verdicts/verdicts.py counts what is said.
#include <assay/assay.hpp>
#include <cmath>
#include <cstdint>

#include "walk.hpp"

namespace {

constexpr std::int64_t most_chunks = 64;

// Where the stream stands, for all subjects.
std::int64_t next_chunk = 0;

bool is_whole_chunks(const assay::Case& c) {
  const std::int64_t n = c.integer("n");
  return n >= 32 && n % 32 == 0 && n % bench::elements_of_chunk(n) == 0 &&
         bench::chunks_of(n) <= most_chunks && c.integer("extra") >= 0;
}

class Walk {
 public:
  explicit Walk(bool is_candidate) : is_candidate_(is_candidate) {}

  void operator()(assay::Context& context) const {
    const auto x = context.input<float>(0);
    const std::int64_t n = x.size();
    const std::int64_t extra = is_candidate_ ? context.integer("extra") : 0;
    float partial[most_chunks];
    const std::int64_t chunks = bench::chunks_of(n);
    if (next_chunk >= chunks) next_chunk = 0;  // another cell had more
    next_chunk =
        bench::sum_chunks(x.data(), n, next_chunk, bench::chunks_per_call + extra, partial);
    float total = 0;
    for (std::int64_t i = 0; i < chunks; ++i) total += partial[i];
    context.output<float>(0)[0] = total;
  }

 private:
  bool is_candidate_;
};

void reference(assay::ReferenceCall& call) {
  double total = 0;
  double magnitudes = 0;
  for (const double value : call.input("x")) {
    total += value;
    magnitudes += std::fabs(value);
  }
  call.output("y")[0] = total;
  call.magnitude("y")[0] = magnitudes;
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& problem = program.problem("sum");
  problem.axis("n", {4096, 65536, 1048576});
  problem.axis("extra", {0, 1, 2});
  problem.input("x", [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); });
  problem.output("y", [](const assay::Case&) { return assay::Tensor::f32({1}); });
  problem.reference(reference);
  // One unit of rounding for each addition that follows on another: 512 in a lane of a chunk, 10
  // over the lanes, 64 over the chunks.
  problem.tolerance(assay::Tolerance::relative(600 * 0x1p-24).scaled_by_sum_of_magnitudes());
  problem.subject("a", Walk(false)).supports(is_whole_chunks);
  problem.subject("b", Walk(true)).supports(is_whole_chunks);
  return assay::main(argc, argv, program);
}
