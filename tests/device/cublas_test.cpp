// SPDX-License-Identifier: MIT
//
// How cuBLAS is found, refused and called, with libraries that are none.
#include "assay/device/cuda/cublas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "assay/base/error.hpp"

namespace {

using namespace assay;
using namespace assay::device::cuda;
using testing::HasSubstr;
using testing::StartsWith;

Missing refusal_of(const std::string& name) {
  const auto library = Cublas::open({name}, nullptr);
  EXPECT_FALSE(library.has_value());
  return library ? Missing{"none", ""} : library.missing();
}

TEST(Cublas, IsMissingWithTheReason) {
  EXPECT_EQ(refusal_of("libnot-cublas.so.13").reason, "no-library");
  EXPECT_THAT(refusal_of("libnot-cublas.so.13").detail, HasSubstr("libnot-cublas.so.13"));
  EXPECT_EQ(refusal_of(FAKE_CUBLAS_LACKING).reason, "library-too-old");
  EXPECT_THAT(refusal_of(FAKE_CUBLAS_LACKING).detail, HasSubstr("has no cublasDestroy_v2"));
  EXPECT_EQ(refusal_of(FAKE_CUBLAS_FAILING).reason, "library-failed");
  EXPECT_THAT(refusal_of(FAKE_CUBLAS_FAILING).detail, HasSubstr("cublasCreate gives the status 1"));
}

TEST(Cublas, IsTheOneThatTheEnvironmentNames) {
  setenv("ASSAY_CUBLAS_LIBRARY", FAKE_CUBLAS, 1);
  EXPECT_EQ(Cublas::names(), std::vector<std::string>{FAKE_CUBLAS});
  unsetenv("ASSAY_CUBLAS_LIBRARY");
  EXPECT_EQ(Cublas::names().front(), "libcublas.so.13");
}

TEST(Cublas, MultipliesAsItIsToldAndIsClosedOnce) {
  unsetenv("FAKE_CUBLAS_TOLD");
  {
    const auto library = Cublas::open({FAKE_CUBLAS}, nullptr);
    ASSERT_TRUE(library) << library.missing().detail;
    EXPECT_EQ(library->version(), "cuBLAS 13.12.11");
    const Cublas copy = *library;
    copy.multiply_bf16(4096, true, 0x100, 0x200, 0x300);
    copy.multiply_bf16(2048, false, 0x100, 0x200, 0x300);
  }
  EXPECT_STREQ(std::getenv("FAKE_CUBLAS_TOLD"),
               "create;"
               "10 4096x4096x4096 1 100/14/4096 200/14/4096 0 300/14/4096 68 -1;"
               "00 2048x2048x2048 1 100/14/2048 200/14/2048 0 300/14/2048 68 -1;"
               "destroy;");
}

TEST(Cublas, SaysWhatItCouldNotMultiply) {
  const auto library = Cublas::open({FAKE_CUBLAS}, nullptr);
  ASSERT_TRUE(library);
  try {
    library->multiply_bf16(16384, true, 0x100, 0x200, 0x300);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_EQ(error.native_code(), 3);
    EXPECT_THAT(error.what(), StartsWith("cuBLAS 13.12.11: cublasGemmEx of 16384 x 16384"));
  }
}

}  // namespace
