// SPDX-License-Identifier: MIT
#include "assay/device/cuda/source_kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/device/cpu/cpu.hpp"

namespace {

using namespace assay;
using namespace assay::device;
using namespace assay::device::cuda;
using testing::ElementsAre;
using testing::HasSubstr;

// A driver whose functions answer as one of an H200 would, and note what they were asked.
struct Asked {
  std::string loaded;
  std::string function;
  std::vector<int> allowed;
  std::vector<std::vector<unsigned>> launches;
  int unloaded = 0;
  CUresult launch_result = CUDA_SUCCESS;
};
Asked asked;

CUresult load_data(CUmodule* module, const void* image) {
  asked.loaded = static_cast<const char*>(image);
  *module = reinterpret_cast<CUmodule>(&asked);
  return CUDA_SUCCESS;
}
CUresult unload(CUmodule) {
  ++asked.unloaded;
  return CUDA_SUCCESS;
}
CUresult function_of(CUfunction* function, CUmodule, const char* name) {
  asked.function = name;
  *function = reinterpret_cast<CUfunction>(&asked);
  return CUDA_SUCCESS;
}
CUresult attribute_of(int* value, CUfunction_attribute which, CUfunction) {
  switch (which) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = 1024;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 512;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}
CUresult set_attribute(CUfunction, CUfunction_attribute, int value) {
  asked.allowed.push_back(value);
  return CUDA_SUCCESS;
}
CUresult device_attribute(int* value, CUdevice_attribute which, CUdevice) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = 2048;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      *value = 65536;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      *value = 228 * 1024;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
      *value = 1024;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 227 * 1024;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}
CUresult active_blocks(int* blocks, CUfunction, int, std::size_t) {
  *blocks = 8;
  return CUDA_SUCCESS;
}
CUresult launch(CUfunction, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                unsigned bz, unsigned shared, CUstream, void** arguments, void**) {
  asked.launches.push_back({gx, gy, gz, bx, by, bz, shared, *static_cast<unsigned*>(arguments[0])});
  return asked.launch_result;
}
CUresult name_of(CUresult, const char** text) {
  *text = "CUDA_ERROR_OF_TEST";
  return CUDA_SUCCESS;
}

struct SourceKernelTest : testing::Test {
  void SetUp() override {
    asked = {};
    driver.cuModuleLoadData = load_data;
    driver.cuModuleUnload = unload;
    driver.cuModuleGetFunction = function_of;
    driver.cuFuncGetAttribute = attribute_of;
    driver.cuFuncSetAttribute = set_attribute;
    driver.cuDeviceGetAttribute = device_attribute;
    driver.cuOccupancyMaxActiveBlocksPerMultiprocessor = active_blocks;
    driver.cuLaunchKernel = launch;
    driver.cuGetErrorName = name_of;
    driver.cuGetErrorString = name_of;
    obtained.compiled.cubin = "machine code";
    obtained.compiled.ptx = ".visible .entry _Z3sumi(\n\t.param .u32 _Z3sumi_param_0\n)\n";
    obtained.compiled.log =
        "ptxas info : Compiling entry function '_Z3sumi' for 'sm_90'\n"
        "ptxas info : Function properties for _Z3sumi\n"
        "ptxas . 8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n";
    obtained.compiled.lowered_names = {{"sum<4>", "_Z3sumi"}};
  }
  std::unique_ptr<LoadedKernel> loaded() { return code_of(driver, 0, kernel, obtained)->load(); }
  std::string refusal(const Dim3& grid, const Dim3& block, std::int64_t shared) {
    try {
      loaded()->allow(grid, block, shared);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.what();
    }
    return "no error";
  }
  Driver driver;
  SourceKernel kernel{"source", "sum.cu", "sum<4>", {}};
  Obtained obtained;
};

TEST_F(SourceKernelTest, IsLoadedUnderItsNameInTheMachineCode) {
  {
    const auto sum = loaded();
    EXPECT_EQ(asked.loaded, "machine code");
    EXPECT_EQ(asked.function, "_Z3sumi");
    EXPECT_EQ(sum->origin().cubin_sha256, sha256_hex("machine code"));
    EXPECT_EQ(sum->origin().source_sha256, sha256_hex("source"));
    EXPECT_THAT(*sum->parameter_bytes(), ElementsAre(4));
  }
  EXPECT_EQ(asked.unloaded, 1);
}

TEST_F(SourceKernelTest, IsNotBroughtToTheDeviceBeforeItIsLoaded) {
  const auto code = code_of(driver, 0, kernel, obtained);
  EXPECT_EQ(asked.loaded, "") << "compiling asks nothing of the device";
  const auto sum = code->load();
  EXPECT_EQ(asked.loaded, "machine code");
}

TEST_F(SourceKernelTest, HasResourcesOfTheDriverAndSpillsOfTheLog) {
  const auto sum = loaded();
  EXPECT_EQ(*sum->resources().registers, 32);
  EXPECT_EQ(*sum->resources().static_shared_bytes, 1024);
  EXPECT_EQ(*sum->resources().spill_store_bytes, 4);
  EXPECT_EQ(*sum->resources().spill_load_bytes, 12);
  EXPECT_EQ(sum->resources().local_bytes.missing().reason, "not-readable");
  const auto occupancy = sum->occupancy({256, 1, 1}, 0);
  EXPECT_DOUBLE_EQ(occupancy->warps_frac, 1);
  EXPECT_EQ(*occupancy->limited_by, "threads");
}

TEST_F(SourceKernelTest, LaunchesWithWhatItIsGiven) {
  unsigned n = 7;
  void* arguments[] = {&n};
  loaded()->launch({3, 2, 1}, {64, 1, 1}, 16, nullptr, arguments);
  EXPECT_THAT(asked.launches, ElementsAre(ElementsAre(3, 2, 1, 64, 1, 1, 16, 7)));
  asked.launch_result = CUDA_ERROR_INVALID_VALUE;
  try {
    loaded()->launch({1, 1, 1}, {1, 1, 1}, 0, nullptr, arguments);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_THAT(error.what(), HasSubstr("launch of the kernel sum<4>: CUDA_ERROR_OF_TEST"));
  }
  asked.launch_result = CUDA_ERROR_ILLEGAL_ADDRESS;
  EXPECT_THROW(loaded()->launch({1, 1, 1}, {1, 1, 1}, 0, nullptr, arguments), DeviceLost);
}

TEST_F(SourceKernelTest, AsksForMuchSharedMemoryOnlyWhereItNeedsIt) {
  const auto sum = loaded();
  sum->allow({1, 1, 1}, {256, 1, 1}, 47 * 1024);
  EXPECT_TRUE(asked.allowed.empty());
  sum->allow({1, 1, 1}, {256, 1, 1}, 48 * 1024);
  sum->allow({1, 1, 1}, {256, 1, 1}, 226 * 1024);
  sum->allow({1, 1, 1}, {256, 1, 1}, 100 * 1024);
  EXPECT_THAT(asked.allowed, ElementsAre(48 * 1024, 226 * 1024));
}

TEST_F(SourceKernelTest, RefusesWhatTheDeviceCannotRun) {
  EXPECT_THAT(refusal({1, 1, 1}, {513, 1, 1}, 0), HasSubstr("at most 512 threads"));
  EXPECT_THAT(refusal({1, 0, 1}, {32, 1, 1}, 0), HasSubstr("1 x 0 x 1"));
  EXPECT_THAT(refusal({1, 1, 1}, {32, 1, 1}, 227 * 1024), HasSubstr("more than the 232448 bytes"));
  EXPECT_THAT(refusal({1, 1, 1}, {32, 1, 1}, -1), HasSubstr("negative"));
}

TEST(LoadSource, WithoutACudaDeviceIsRefused) {
  Cpu cpu;
  try {
    cpu.compile({"source", "sum.cu", "sum", {}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_THAT(error.what(), HasSubstr("the device cpu cannot run CUDA source"));
  }
}

}  // namespace
