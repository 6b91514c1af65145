// SPDX-License-Identifier: MIT
//
// How a driver is found and refused, with libraries that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "assay/device/cuda/driver.hpp"
#include "assay/device/cuda/library.hpp"
#include "assay/device/device.hpp"

namespace {

using namespace assay;
using namespace assay::device::cuda;
using testing::HasSubstr;

Missing missing_of(const std::vector<std::string>& names) {
  const Reading<Driver> driver = load_driver(names);
  EXPECT_FALSE(driver.has_value());
  return driver ? Missing{"none", ""} : driver.missing();
}

TEST(Library, SaysWhatTheLoaderSaidOfEachNameThatItTried) {
  const auto library = Library::open({"libnot-here-1.so", "libnot-here-2.so"});
  ASSERT_FALSE(library.has_value());
  EXPECT_EQ(library.missing().reason, "not-found");
  EXPECT_THAT(library.missing().detail, HasSubstr("libnot-here-1.so"));
  EXPECT_THAT(library.missing().detail, HasSubstr("libnot-here-2.so"));
}

TEST(Library, TakesTheFirstThatOpensAndKnowsWhereItIs) {
  const auto library = Library::open({"libnot-here.so", FAKE_DRIVER_OLD, FAKE_DRIVER_LACKING});
  ASSERT_TRUE(library.has_value());
  EXPECT_EQ(library->name(), FAKE_DRIVER_OLD);
  EXPECT_THAT(library->path(), HasSubstr("fake_driver_old"));
  EXPECT_NE(library->find("cuInit"), nullptr);
  EXPECT_EQ(library->find("cuNothing"), nullptr);
}

TEST(Driver, IsMissingWhereThereIsNoLibrary) {
  const Missing missing = missing_of({"libnot-a-driver.so.1"});
  EXPECT_EQ(missing.reason, "no-driver");
  EXPECT_THAT(missing.detail, HasSubstr("libnot-a-driver.so.1"));
}

TEST(Driver, NamesTheFirstFunctionThatAnOldOneLacks) {
  const Missing missing = missing_of({FAKE_DRIVER_LACKING});
  EXPECT_EQ(missing.reason, "driver-too-old");
  EXPECT_THAT(missing.detail, HasSubstr("has no cuDriverGetVersion"));
  EXPECT_THAT(missing.detail, HasSubstr("12.0"));
}

TEST(Driver, IsTooOldBelowTwelve) {
  const Missing missing = missing_of({FAKE_DRIVER_OLD});
  EXPECT_EQ(missing.reason, "driver-too-old");
  EXPECT_THAT(missing.detail, HasSubstr("serves CUDA 11.8"));
}

TEST(Driver, SeesNoDevice) {
  const Missing missing = missing_of({FAKE_DRIVER_DEVICELESS});
  EXPECT_EQ(missing.reason, "no-device");
  EXPECT_THAT(missing.detail, HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST(Driver, TellsWhatElseItsStartSaid) {
  const Missing missing = missing_of({FAKE_DRIVER_FAILING});
  EXPECT_EQ(missing.reason, "driver-failed");
  EXPECT_THAT(missing.detail, HasSubstr("FAKE_ERROR (803): as the test wants it"));
}

TEST(Driver, IsNotTheToolkitsStandIn) {
  const char* stub = "/usr/local/cuda/lib64/stubs/libcuda.so";
  if (access(stub, R_OK) != 0) GTEST_SKIP() << "there is no " << stub << " here";
  const Missing missing = missing_of({stub});
  EXPECT_EQ(missing.reason, "stub-driver");
  EXPECT_THAT(missing.detail, HasSubstr("LD_LIBRARY_PATH"));
}

TEST(Driver, VersionsAreToldAsTheyAreWritten) {
  EXPECT_EQ(version_text(13000), "13.0");
  EXPECT_EQ(version_text(12080), "12.8");
  EXPECT_EQ(version_text(11020), "11.2");
}

TEST(Driver, KnowsAfterWhichErrorsNothingGoesOn) {
  for (const CUresult result :
       {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_TIMEOUT, CUDA_ERROR_ASSERT,
        CUDA_ERROR_LAUNCH_FAILED, CUDA_ERROR_MISALIGNED_ADDRESS, CUDA_ERROR_ECC_UNCORRECTABLE,
        CUDA_ERROR_ILLEGAL_INSTRUCTION, CUDA_ERROR_INVALID_PC, CUDA_ERROR_CONTEXT_IS_DESTROYED,
        CUDA_ERROR_HARDWARE_STACK_ERROR, CUDA_ERROR_INVALID_ADDRESS_SPACE}) {
    EXPECT_TRUE(is_fatal(result)) << result;
  }
  // Of the call alone: the next one may well succeed.
  for (const CUresult result :
       {CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_NOT_READY,
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_NOT_SUPPORTED, CUDA_ERROR_INVALID_HANDLE}) {
    EXPECT_FALSE(is_fatal(result)) << result;
  }
}

TEST(Driver, AnErrorOfACallIsTheDevicesAndAFatalOneLosesIt) {
  Driver driver;
  driver.cuGetErrorName = [](CUresult, const char** name) {
    *name = "CUDA_ERROR_SOME";
    return CUDA_SUCCESS;
  };
  driver.cuGetErrorString = [](CUresult, const char**) { return CUDA_ERROR_INVALID_VALUE; };
  EXPECT_NO_THROW(driver.check(CUDA_SUCCESS, "cuThis"));
  try {
    driver.check(CUDA_ERROR_OUT_OF_MEMORY, "cuThis");
    FAIL();
  } catch (const device::DeviceLost&) {
    FAIL() << "memory that is short is no lost device";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_EQ(error.native_code(), 2);
    EXPECT_STREQ(error.what(), "cuThis: CUDA_ERROR_SOME (2)");
  }
  EXPECT_THROW(driver.check(CUDA_ERROR_ILLEGAL_ADDRESS, "cuThat"), device::DeviceLost);
}

}  // namespace
