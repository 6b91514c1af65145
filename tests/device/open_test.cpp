// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/error.hpp"
#include "assay/device/device.hpp"

#if defined(ASSAY_HAS_CUDA)
#include "assay/device/cuda/driver.hpp"
#endif

namespace {

using namespace assay;
using namespace assay::device;
using testing::HasSubstr;

std::string refusal(const std::string& id) {
  try {
    open(id);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    return error.what();
  }
  return "no error";
}

TEST(OpenDevice, NamesWhatItKnowsWhereItKnowsNoSuchDevice) {
  for (const char* id : {"", "abacus", "cpu:0", "CUDA", "cudax"}) {
    EXPECT_THAT(refusal(id), HasSubstr("this version knows 'cpu', 'cuda', 'cuda:N'")) << id;
  }
}

TEST(OpenDevice, RefusesANumberOfADeviceThatIsNone) {
  for (const char* id : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x", "cuda: 1", "cuda:99999999999"}) {
    EXPECT_THAT(refusal(id), HasSubstr("counted from 0")) << id;
    EXPECT_THAT(refusal(id), HasSubstr(id));
  }
}

#if defined(ASSAY_HAS_CUDA)
TEST(OpenDevice, SaysWhyThereIsNoGpu) {
  const auto& driver = cuda::driver();
  if (driver) GTEST_SKIP() << "there is a CUDA driver that works here, " << driver->path;
  EXPECT_THAT(refusal("cuda"), HasSubstr(driver.missing().detail));
  EXPECT_THAT(refusal("cuda:3"), HasSubstr("cuda:3"));
  EXPECT_THAT(refusal("cuda:3"), HasSubstr(driver.missing().reason));
}
#else
TEST(OpenDevice, SaysThatItWasBuiltWithoutCuda) {
  EXPECT_THAT(refusal("cuda"), HasSubstr("built without CUDA's headers"));
}
#endif

}  // namespace
