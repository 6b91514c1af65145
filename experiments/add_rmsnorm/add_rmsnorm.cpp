// SPDX-License-Identifier: MIT
//
// Residual addition and RMS normalisation, y = RMSNorm(x + r) · w over the rows of a matrix: as two
// passes with the sum written to memory between them, as the same two passes over a few rows at a
// time, and fused into one.
#include <algorithm>
#include <assay/assay.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "norm.hpp"

namespace {

// Rows that "blocked" takes at a time: 8 rows of 4097 floats are 128 KiB, well inside a
// second-level cache.
constexpr std::int64_t rows_per_block = 8;

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
    const double scale = 1 / std::sqrt(squares / static_cast<double>(cols) +
                                       static_cast<double>(add_rmsnorm::epsilon));
    for (std::size_t i = 0; i < cols; ++i) y[row + i] = (x[row + i] + r[row + i]) * scale * w[i];
  }
}

// Work of one call in which `read` and `written` whole matrices are moved.
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

struct Unfused {
  template <typename T>
  void operator()(assay::Context& context, assay::Type<T> /*dtype*/) const {
    const auto x = context.input<T>(0);
    const auto r = context.input<T>(1);
    const auto w = context.input<T>(2);
    const auto y = context.output<T>(0);
    T* sum = context.scratch<T>("sum", static_cast<std::size_t>(x.size()));
    add_rmsnorm::add(x.data(), r.data(), sum, x.size());
    add_rmsnorm::rms_norm(sum, w.data(), y.data(), x.extent(0), x.extent(1));
  }
};

struct Blocked {
  template <typename T>
  void operator()(assay::Context& context, assay::Type<T> /*dtype*/) const {
    const auto x = context.input<T>(0);
    const auto r = context.input<T>(1);
    const auto w = context.input<T>(2);
    const auto y = context.output<T>(0);
    const std::int64_t rows = x.extent(0);
    const std::int64_t cols = x.extent(1);
    T* sum = context.scratch<T>("block", static_cast<std::size_t>(rows_per_block * cols));
    for (std::int64_t row = 0; row < rows; row += rows_per_block) {
      const std::int64_t count = std::min(rows_per_block, rows - row);
      const std::int64_t first = row * cols;
      add_rmsnorm::add(x.data() + first, r.data() + first, sum, count * cols);
      add_rmsnorm::rms_norm(sum, w.data(), y.data() + first, count, cols);
    }
  }
};

struct Fused {
  template <typename T>
  void operator()(assay::Context& context, assay::Type<T> /*dtype*/) const {
    const auto x = context.input<T>(0);
    const auto r = context.input<T>(1);
    const auto w = context.input<T>(2);
    const auto y = context.output<T>(0);
    const std::int64_t cols = x.extent(1);
    float* row = context.scratch<float>("row", static_cast<std::size_t>(cols));
    add_rmsnorm::add_rms_norm(x.data(), r.data(), w.data(), y.data(), row, x.extent(0), cols);
  }
};

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& norm = program.problem("add-rmsnorm");
  norm.axis("dtype", {"f32", "bf16"});
  norm.axis("rows", {256});
  norm.axis("cols", assay::AxisValues({15, 16, 17, 4095, 4096, 4097}).is_size());
  norm.input("x", matrix);
  norm.input("r", matrix);
  norm.input("w", weights).fixed();  // a model's weights stay the same from call to call
  norm.output("y", matrix);
  norm.reference(reference);
  // Storing x + r to bfloat16 costs up to 1 ulp of y, storing y another half; in float it is the
  // sums and products that count.
  norm.tolerance(assay::Tolerance::ulp(3).or_relative(1e-6));
  assay::SpecialValues special;
  special.non_finite = assay::SpecialValues::NonFinite::propagate;
  norm.special_values(special);
  norm.work(moving(2, 1));

  const std::string target = add_rmsnorm::vector_target();
  norm.subject<float, assay::bf16>("unfused", Unfused{})
      .work(moving(3, 2))
      .parameter("instruction-set", target);
  norm.subject<float, assay::bf16>("blocked", Blocked{})
      .parameter("rows", std::to_string(rows_per_block))
      .parameter("instruction-set", target);
  norm.subject<float, assay::bf16>("fused", Fused{}).parameter("instruction-set", target);
  return assay::main(argc, argv, program);
}
