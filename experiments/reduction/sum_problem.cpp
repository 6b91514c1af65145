// SPDX-License-Identifier: MIT
#include "sum_problem.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace reduction {
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

assay::Work work_of(std::int64_t count) {
  const auto n = static_cast<double>(count);
  assay::Work work;
  work.bytes_read = 4 * n;
  work.bytes_written = 4;
  work.flop = n - 1;
  work.items = n;
  work.item_name = "elements";
  return work;
}

}  // namespace

std::int64_t axis_n(const assay::Case& c) { return c.integer("n"); }

void declare_sum(assay::Problem& problem, std::int64_t (*length)(const assay::Case&)) {
  problem.input("x", [length](const assay::Case& c) { return assay::Tensor::f32({length(c)}); });
  problem.output("y", [](const assay::Case&) { return assay::Tensor::f32({1}); });
  problem.reference(reference);
  problem.tolerance(assay::Tolerance::relative(unit_roundoff).scaled_by_sum_of_magnitudes());
  assay::SpecialValues special;
  special.non_finite = assay::SpecialValues::NonFinite::propagate;
  special.range = assay::SpecialValues::Range::sums;
  problem.special_values(special);
  problem.work([length](const assay::Case& c) { return work_of(length(c)); });
}

}  // namespace reduction
