// SPDX-License-Identifier: MIT
//
// Residual addition and RMS normalisation over rows of bfloat16 on a GPU, s = x + r and
// y = RMSNorm(s) · w: in two launches, in three, and fused into one.
#include <assay/assay.hpp>
#include <cstddef>
#include <cstdint>

#include "add_rmsnorm/norm_problem.hpp"
#include "add_rmsnorm_cuda/rows.cuh"
#include "cuda_common/launch.cuh"

namespace {

using add_rmsnorm::moving;
using add_rmsnorm_cuda::Element;
using add_rmsnorm_cuda::Rows;
using add_rmsnorm_cuda::Step;

const Element* device_elements(const assay::View<const assay::bf16>& view) {
  return reinterpret_cast<const Element*>(view.data());
}
Element* device_elements(const assay::View<assay::bf16>& view) {
  return reinterpret_cast<Element*>(view.data());
}

Rows rows_of(assay::Context& context) {
  const auto x = context.input<assay::bf16>(0);
  const auto cols = static_cast<int>(x.extent(1));
  Rows rows{};
  rows.x = device_elements(x);
  rows.r = device_elements(context.input<assay::bf16>(1));
  rows.w = device_elements(context.input<assay::bf16>(2));
  rows.y = device_elements(context.output<assay::bf16>(0));
  rows.s = device_elements(context.output<assay::bf16>(1));
  rows.rows = x.extent(0);
  rows.cols = cols;
  rows.inverse_cols = 1.0F / static_cast<float>(cols);
  return rows;
}

void add_all(const Rows& rows, cudaStream_t stream) {
  add_rmsnorm_cuda::launch_add(rows.x, rows.r, rows.s, rows.rows * rows.cols, stream);
}

void in_two_launches(assay::Context& context) {
  const Rows rows = rows_of(context);
  const cudaStream_t stream = cuda_common::stream_of(context);
  add_all(rows, stream);
  add_rmsnorm_cuda::launch_rows<Step::norm>(rows, stream);
}

void in_three_launches(assay::Context& context) {
  Rows rows = rows_of(context);
  const cudaStream_t stream = cuda_common::stream_of(context);
  rows.scale = context.scratch<float>("scale", static_cast<std::size_t>(rows.rows));
  add_all(rows, stream);
  add_rmsnorm_cuda::launch_rows<Step::squares>(rows, stream);
  add_rmsnorm_cuda::launch_rows<Step::apply>(rows, stream);
}

void fused(assay::Context& context) {
  add_rmsnorm_cuda::launch_rows<Step::fused>(rows_of(context), cuda_common::stream_of(context));
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& norm = program.problem("add-rmsnorm");
  norm.axis("dtype", {"bf16"});
  norm.axis("rows", {4096});
  norm.axis("cols", assay::AxisValues({1024, 8191, 8192, 8193}).is_size());
  add_rmsnorm::declare_add_rmsnorm(norm, true);
  norm.work(moving(2, 2));

  norm.subject("two-launches", in_two_launches).work(moving(3, 2));
  norm.subject("three-launches", in_three_launches).work(moving(4, 2));
  norm.subject("fused", fused);
  return assay::main(argc, argv, program);
}
