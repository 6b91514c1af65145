// SPDX-License-Identifier: MIT
//
// Residual addition and RMS normalisation, y = RMSNorm(x + r) · w over the rows of a matrix: as two
// passes with the sum written to memory between them, as the same two passes over a few rows at a
// time, and fused into one.
#include <algorithm>
#include <assay/assay.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "norm.hpp"
#include "norm_problem.hpp"

namespace {

using add_rmsnorm::moving;

// Rows that "blocked" takes at a time: 8 rows of 4097 floats are 128 KiB, well inside a
// second-level cache.
constexpr std::int64_t rows_per_block = 8;

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
  add_rmsnorm::declare_add_rmsnorm(norm, false);
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
