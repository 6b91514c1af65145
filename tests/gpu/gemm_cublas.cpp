// SPDX-License-Identifier: MIT
//
// A call of a library as a subject: c = a b of square matrices by cuBLAS, in f32 and bf16, by its
// general interface and, in f32, by its plain one.
#include <cublas_v2.h>

#include <algorithm>
#include <assay/assay.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

void expect(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status));
}

// Made once a process, in prepare(): it takes tens of milliseconds, and allocates.
class Handle {
 public:
  void make() {
    if (handle_ != nullptr) return;
    cublasHandle_t made = nullptr;
    expect(cublasCreate(&made), "cublasCreate");
    handle_ = std::shared_ptr<cublasContext>(made, cublasDestroy);
  }
  // The stream and the memory are the context's, of which there may be several.
  cublasHandle_t on(assay::Context& context) const {
    if (handle_ == nullptr) throw std::runtime_error("the handle was not made");
    expect(cublasSetStream(handle_.get(), static_cast<cudaStream_t>(context.stream())),
           "cublasSetStream");
    // Without it the library would take memory of its own, which nobody counts.
    expect(cublasSetWorkspace(handle_.get(), workspace_of(context), workspace_bytes),
           "cublasSetWorkspace");
    return handle_.get();
  }
  static void* workspace_of(assay::Context& context) {
    return context.scratch<std::byte>("workspace", workspace_bytes);
  }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;
  std::shared_ptr<cublasContext> handle_;
};

// The library counts columns first: the transposed product of the transposed matrices is the same.
struct Shape {
  int n;
  int stride;
};
template <typename T>
Shape shape_of(assay::Context& context) {
  const auto n = static_cast<int>(context.input<T>("a").extent(0));
  return {n, std::max(n, 1)};
}

template <typename T>
void by_gemm_ex(assay::Context& context, cublasHandle_t handle, cudaDataType type) {
  const Shape shape = shape_of<T>(context);
  const float one = 1;
  const float zero = 0;
  expect(
      cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, shape.n, shape.n, shape.n, &one,
                   context.input<T>("b").data(), type, shape.stride, context.input<T>("a").data(),
                   type, shape.stride, &zero, context.output<T>("c").data(), type, shape.stride,
                   CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      "cublasGemmEx");
}

void by_sgemm(assay::Context& context, cublasHandle_t handle) {
  const Shape shape = shape_of<float>(context);
  const float one = 1;
  const float zero = 0;
  expect(
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, shape.n, shape.n, shape.n, &one,
                  context.input<float>("b").data(), shape.stride, context.input<float>("a").data(),
                  shape.stride, &zero, context.output<float>("c").data(), shape.stride),
      "cublasSgemm");
}

template <typename F>
void add(assay::Problem& problem, const char* name, F call) {
  const auto handle = std::make_shared<Handle>();
  problem
      .subject(name,
               [handle, call](assay::Context& context) { call(context, handle->on(context)); })
      .prepare(
          [handle](assay::Context& context) {
            handle->make();
            Handle::workspace_of(context);
          },
          1'000'000);
}

void product_in_double(assay::ReferenceCall& call) {
  const auto n = static_cast<std::size_t>(call.which().integer("n"));
  const auto& a = call.input("a");
  const auto& b = call.input("b");
  auto& c = call.output("c");
  auto& magnitude = call.magnitude("c");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) {
        const double term = a[i * n + k] * b[k * n + j];
        c[i * n + j] += term;
        magnitude[i * n + j] += term < 0 ? -term : term;
      }
    }
  }
}

// rounding: of a sum of the largest n products, and of the result.
assay::Problem& declare(assay::Program& program, const std::string& dtype, double rounding) {
  assay::Problem& problem = program.problem("gemm-" + dtype);
  problem.axis("n", {64, 129, 384});
  const auto matrix = [dtype](const assay::Case& c) {
    return assay::Tensor::of_type(dtype, {c.integer("n"), c.integer("n")});
  };
  problem.input("a", matrix);
  problem.input("b", matrix);
  problem.output("c", matrix);
  problem.reference(product_in_double);
  problem.tolerance(assay::Tolerance::relative(rounding).scaled_by_sum_of_magnitudes());
  problem.work([dtype](const assay::Case& c) {
    const auto n = static_cast<double>(c.integer("n"));
    const double matrix_bytes = n * n * (dtype == "f32" ? 4 : 2);
    assay::Work work;
    work.bytes_read = 2 * matrix_bytes;
    work.bytes_written = matrix_bytes;
    work.flop = 2 * n * n * n;
    work.flop_by_dtype[dtype] = work.flop;
    return work;
  });
  return problem;
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  // 385 roundings of f32, and one of bf16 with as much again of f32.
  auto& f32 = declare(program, "f32", 385 * 6e-8);
  add(f32, "sgemm", by_sgemm);
  add(f32, "gemm-ex", [](assay::Context& context, cublasHandle_t handle) {
    by_gemm_ex<float>(context, handle, CUDA_R_32F);
  });
  auto& bf16 = declare(program, "bf16", 0.004 + 385 * 6e-8);
  add(bf16, "gemm-ex", [](assay::Context& context, cublasHandle_t handle) {
    by_gemm_ex<assay::bf16>(context, handle, CUDA_R_16BF);
  });
  add(bf16, "gemm-ex-again", [](assay::Context& context, cublasHandle_t handle) {
    by_gemm_ex<assay::bf16>(context, handle, CUDA_R_16BF);
  });
  return assay::main(argc, argv, program);
}
