// SPDX-License-Identifier: MIT
#include "norm_problem.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "epsilon.hpp"

namespace add_rmsnorm {
namespace {

std::int64_t elements(const assay::Case& c) { return c.integer("rows") * c.integer("cols"); }

assay::Tensor matrix(const assay::Case& c) {
  return assay::Tensor::of_type(c.text("dtype"), {c.integer("rows"), c.integer("cols")});
}

assay::Tensor weights(const assay::Case& c) {
  return assay::Tensor::of_type(c.text("dtype"), {c.integer("cols")})
      .generator(assay::Generator::uniform(0.5, 1.5));
}

// The function itself, in double. Whether x + r is rounded to the storage type in between is left
// to the implementation; the tolerance has room for either.
void reference(assay::ReferenceCall& call) {
  const std::vector<double>& x = call.input("x");
  const std::vector<double>& r = call.input("r");
  const std::vector<double>& w = call.input("w");
  std::vector<double>& y = call.output("y");
  const std::size_t cols = w.size();
  for (std::size_t row = 0; row < y.size(); row += cols) {
    double squares = 0;
    for (std::size_t i = row; i < row + cols; ++i) squares += (x[i] + r[i]) * (x[i] + r[i]);
    const double scale =
        1 / std::sqrt(squares / static_cast<double>(cols) + static_cast<double>(epsilon));
    for (std::size_t i = 0; i < cols; ++i) y[row + i] = (x[row + i] + r[row + i]) * scale * w[i];
  }
}

void reference_with_sum(assay::ReferenceCall& call) {
  const std::vector<double>& x = call.input("x");
  const std::vector<double>& r = call.input("r");
  std::vector<double>& sum = call.output("s");
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = x[i] + r[i];
  reference(call);
}

}  // namespace

assay::WorkModel moving(double read, double written) {
  return [=](const assay::Case& c) {
    const auto n = static_cast<double>(elements(c));
    const auto size = static_cast<double>(assay::find_dtype(c.text("dtype"))->size_bytes);
    assay::Work work;
    work.bytes_read = size * (read * n + static_cast<double>(c.integer("cols")));
    work.bytes_written = size * written * n;
    work.flop = 5 * n;  // add, square, accumulate, two products
    work.items = n;
    work.item_name = "elements";
    return work;
  };
}

void declare_add_rmsnorm(assay::Problem& problem, bool with_sum) {
  problem.input("x", matrix);
  problem.input("r", matrix);
  problem.input("w", weights).fixed();  // a model's weights stay the same from call to call
  problem.output("y", matrix);
  if (with_sum) problem.output("s", matrix);
  problem.reference(with_sum ? reference_with_sum : reference);
  // Storing x + r to bfloat16 costs up to 1 ulp of y, storing y another half; in float it is the
  // sums and products that count.
  problem.tolerance(assay::Tolerance::ulp(3).or_relative(1e-6));
  assay::SpecialValues special;
  special.non_finite = assay::SpecialValues::NonFinite::propagate;
  problem.special_values(special);
  problem.dimensions([](const assay::Case& c) {
    return assay::Dimensions()
        .set("tokens", c.integer("rows"))
        .set("hidden_size", c.integer("cols"));
  });
}

}  // namespace add_rmsnorm
