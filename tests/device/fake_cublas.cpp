// SPDX-License-Identifier: MIT
//
// A library with cuBLAS's functions that multiplies nothing, for the tests of how it is found and
// called. How it disappoints is chosen at compile time.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// In a variable of the environment, which a library opened at run time shares with the test.
[[maybe_unused]] void tell(const std::string& what) {
  const char* told = std::getenv("FAKE_CUBLAS_TOLD");
  setenv("FAKE_CUBLAS_TOLD", ((told == nullptr ? "" : std::string(told)) + what + ";").c_str(), 1);
}

}  // namespace

extern "C" {
int cublasCreate_v2(void** handle) {
#if defined(FAKE_CUBLAS_FAILING)
  *handle = nullptr;
  return 1;
#else
  static int some = 0;
  *handle = &some;
  tell("create");
  return 0;
#endif
}

#if !defined(FAKE_CUBLAS_LACKING)
int cublasDestroy_v2(void*) {
  tell("destroy");
  return 0;
}
int cublasSetStream_v2(void*, void*) { return 0; }
int cublasGetProperty(int which, int* value) {
  *value = 13 - which;
  return 0;
}
int cublasGemmEx(void*, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                 int type_a, int lda, const void* b, int type_b, int ldb, const void* beta, void* c,
                 int type_c, int ldc, int compute, int algorithm) {
  char text[256];
  std::snprintf(text, sizeof text, "%d%d %dx%dx%d %g %lx/%d/%d %lx/%d/%d %g %lx/%d/%d %d %d", op_a,
                op_b, m, n, k, static_cast<double>(*static_cast<const float*>(alpha)),
                reinterpret_cast<unsigned long>(a), type_a, lda, reinterpret_cast<unsigned long>(b),
                type_b, ldb, static_cast<double>(*static_cast<const float*>(beta)),
                reinterpret_cast<unsigned long>(c), type_c, ldc, compute, algorithm);
  tell(text);
  return n > 8192 ? 3 : 0;
}
#endif
}
