// SPDX-License-Identifier: MIT
//
// The sum of n floats, computed in four ways.
#include <assay/assay.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "sum.hpp"
#include "thread_pool.hpp"

namespace {

constexpr double unit_roundoff = 0x1p-24;  // of float

struct CompensatedSum {
  double total = 0;
  double lost = 0;

  void add(double value) {
    const double next = total + value;
    // What the addition rounded away, exactly (Neumaier): the smaller operand is the one that lost.
    const bool total_is_larger = std::fabs(total) >= std::fabs(value);
    lost += total_is_larger ? (total - next) + value : (value - next) + total;
    total = next;
  }
  double value() const { return std::isfinite(total) ? total + lost : total; }
};

// The exact sum, and how large an error is acceptable on this very data: four times what a balanced
// order of additions may lose (u · log2 n · Σ|x|), plus twice what the textbook loop does lose. The
// README says why n · u · Σ|x|, the textbook's bound, will not do.
void reference(assay::ReferenceCall& call) {
  const std::vector<double>& x = call.input("x");
  CompensatedSum exact;
  double magnitudes = 0;
  float in_order = 0;
  for (const double value : x) {
    exact.add(value);
    magnitudes += std::fabs(value);
    in_order += static_cast<float>(value);
  }
  call.output("y")[0] = exact.value();

  const double depth = std::log2(static_cast<double>(x.size()) + 1);
  const double textbook_error = std::fabs(static_cast<double>(in_order) - exact.value());
  double& scale = call.magnitude("y")[0];
  scale = 4 * depth * magnitudes;
  if (std::isfinite(textbook_error)) scale += 2 * textbook_error / unit_roundoff;
}

assay::Work work(const assay::Case& c) {
  const auto n = static_cast<double>(c.integer("n"));
  assay::Work work;
  work.bytes_read = 4 * n;
  work.bytes_written = 4;
  work.flop = n - 1;
  work.items = n;
  work.item_name = "elements";
  return work;
}

// Gives a subject that stores the sum of its input.
template <typename Sum>
auto storing(Sum sum) {
  return [sum](assay::Context& context) {
    const auto x = context.input<float>(0);
    context.output<float>(0)[0] = sum(x.data(), x.size());
  };
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& sum = program.problem("sum-reduction");
  sum.axis("n", assay::pow2(10, 24).with_tails().may_be_empty());
  sum.input("x", [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); });
  sum.output("y", [](const assay::Case&) { return assay::Tensor::f32({1}); });
  sum.reference(reference);
  sum.tolerance(assay::Tolerance::relative(unit_roundoff).scaled_by_sum_of_magnitudes());
  assay::SpecialValues special;
  special.non_finite = assay::SpecialValues::NonFinite::propagate;
  special.range = assay::SpecialValues::Range::sums;
  sum.special_values(special);
  sum.work(work);

  sum.subject("naive", storing(reduction::sum_naive));
  sum.subject("pairwise", storing(reduction::sum_pairwise)).parameter("block", "64");
  sum.subject("vectorised", storing(reduction::sum_vectorised))
      .parameter("accumulators", "8")
      .parameter("instruction-set", reduction::vector_target());

  // The pool outlives the calls: a program that adds up arrays all day keeps its threads too.
  auto pool = std::make_shared<std::unique_ptr<reduction::ThreadPool>>();
  sum.subject("threaded", storing([pool](const float* x, std::int64_t n) {
                return reduction::sum_threaded(**pool, x, n);
              }))
      .prepare(
          [pool](assay::Context& context) {
            if (*pool == nullptr || (*pool)->size() != context.threads())
              *pool = std::make_unique<reduction::ThreadPool>(context.threads());
          },
          1'000'000)
      .threads(assay::all_cores)
      .supports([](const assay::Case& c) { return c.integer("n") >= 65536; });
  return assay::main(argc, argv, program);
}
