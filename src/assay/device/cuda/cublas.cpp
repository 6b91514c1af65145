// SPDX-License-Identifier: MIT
#include "assay/device/cuda/cublas.hpp"

#include <type_traits>

#include "assay/base/error.hpp"
#include "assay/device/cuda/library.hpp"

namespace assay::device::cuda {
namespace {

// cublasStatus_t, cublasOperation_t, cudaDataType, cublasComputeType_t and cublasGemmAlgo_t, as
// NVIDIA's documentation has them (docs.nvidia.com/cuda/cublas).
using Status = int;
constexpr Status success = 0;
constexpr int as_it_is = 0;
constexpr int transposed = 1;
constexpr int type_bf16 = 14;
constexpr int compute_f32 = 68;
constexpr int algorithm_default = -1;

}  // namespace

struct Cublas::Functions {
  Status (*create)(void** handle) = nullptr;
  Status (*destroy)(void* handle) = nullptr;
  Status (*set_stream)(void* handle, CUstream stream) = nullptr;
  Status (*get_property)(int which, int* value) = nullptr;
  Status (*multiply)(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha,
                     const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
                     const void* beta, void* c, int type_c, int ldc, int compute,
                     int algorithm) = nullptr;
};

std::vector<std::string> Cublas::names() {
  return Library::names_in_toolkit("ASSAY_CUBLAS_LIBRARY", {"libcublas.so.13", "libcublas.so.12"});
}

Reading<Cublas> Cublas::open(const std::vector<std::string>& names, CUstream stream) {
  const Reading<Library> library = Library::open(names);
  if (!library) {
    return Missing{"no-library", "cuBLAS cannot be opened: " + library.missing().detail};
  }
  auto functions = std::make_shared<Functions>();
  std::string lacking;
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library->find(symbol));
    if (function == nullptr && lacking.empty()) lacking = symbol;
  };
  // With the versions of their interface: the plain names are those of another one.
  find(functions->create, "cublasCreate_v2");
  find(functions->destroy, "cublasDestroy_v2");
  find(functions->set_stream, "cublasSetStream_v2");
  find(functions->get_property, "cublasGetProperty");
  find(functions->multiply, "cublasGemmEx");
  if (!lacking.empty()) {
    return Missing{"library-too-old", library->path() + " has no " + lacking};
  }
  const auto failed = [&](const char* what, Status status) {
    return Missing{"library-failed",
                   library->path() + ": " + what + " gives the status " + std::to_string(status)};
  };
  void* raw = nullptr;
  if (const Status status = functions->create(&raw); status != success) {
    return failed("cublasCreate", status);
  }
  std::shared_ptr<void> handle(raw, [functions](void* each) { functions->destroy(each); });
  if (const Status status = functions->set_stream(raw, stream); status != success) {
    return failed("cublasSetStream", status);
  }
  std::string version = "cuBLAS";
  for (const int part : {0, 1, 2}) {  // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL
    int value = 0;
    if (const Status status = functions->get_property(part, &value); status != success) {
      return failed("cublasGetProperty", status);
    }
    version += (part == 0 ? " " : ".") + std::to_string(value);
  }
  return Cublas(std::move(functions), std::move(handle), std::move(version));
}

void Cublas::multiply_bf16(std::int64_t n, bool is_transposed, CUdeviceptr a, CUdeviceptr b,
                           CUdeviceptr c) const {
  const float one = 1;
  const float zero = 0;
  const int size = static_cast<int>(n);
  // NOLINTBEGIN(performance-no-int-to-ptr): that is what the driver's addresses are
  const Status status = functions_->multiply(
      handle_.get(), is_transposed ? transposed : as_it_is, as_it_is, size, size, size, &one,
      reinterpret_cast<void*>(a), type_bf16, size, reinterpret_cast<void*>(b), type_bf16, size,
      &zero, reinterpret_cast<void*>(c), type_bf16, size, compute_f32, algorithm_default);
  // NOLINTEND(performance-no-int-to-ptr)
  if (status != success) {
    throw Error(ErrorKind::device,
                version_ + ": cublasGemmEx of " + std::to_string(n) + " x " + std::to_string(n) +
                    " numbers of bf16 gives the status " + std::to_string(status),
                status);
  }
}

}  // namespace assay::device::cuda
