// SPDX-License-Identifier: MIT
//
// The kernels as text; that they do what they should needs a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>
#include <string>
#include <vector>

#include "assay/device/cuda/kernels.hpp"
#include "assay/device/cuda/peak_kernels.hpp"

namespace {

using namespace assay::device::cuda;

// What the assembler made of it, or the reason why nothing; for the oldest architecture that it
// still serves among these and the newest that it knows.
struct Assembled {
  std::string code;
  std::string said;
};
Assembled assembled_for(const char* architecture, const std::string& ptx) {
  Assembled result;
#if defined(ASSAY_PTXAS)
  const std::string base =
      testing::TempDir() + "assay-kernels-" + std::to_string(getpid()) + "-" + architecture;
  std::ofstream(base + ".ptx") << ptx;
  const std::string command = std::string("'") + ASSAY_PTXAS + "' -Werror -arch=" + architecture +
                              " -o '" + base + ".cubin' '" + base + ".ptx' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): the build found the assembler
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) result.said += static_cast<char>(c);
  if (pclose(pipe) == 0) {
    std::ostringstream code;
    code << std::ifstream(base + ".cubin", std::ios::binary).rdbuf();
    result.code = code.str();
  }
  std::filesystem::remove(base + ".ptx");
  std::filesystem::remove(base + ".cubin");
#endif
  return result;
}

// Instructions of 16 bytes, the lowest 12 bits of which say what they do; of other parts of the
// file some may look like one.
int instructions(const std::string& code, unsigned opcode) {
  int count = 0;
  for (std::size_t at = 0; at + 16 <= code.size(); at += 16) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(code[at + i]); };
    count += (byte(0) | (byte(1) & 0xFU) << 8U) == opcode ? 1 : 0;
  }
  return count;
}

TEST(CudaKernels, AreAssembledForOldAndNewDevices) {
#if !defined(ASSAY_PTXAS)
  GTEST_SKIP() << "ptxas was not found when this was built";
#endif
  for (const char* architecture : {"sm_75", "sm_80", "sm_90", "sm_100"}) {
    EXPECT_NE(assembled_for(architecture, kernels_ptx).code, "")
        << assembled_for(architecture, kernels_ptx).said;
  }
}

TEST(CudaKernels, OfPeaksDoAllTheirMultiplyAdds) {
#if !defined(ASSAY_PTXAS)
  GTEST_SKIP() << "ptxas was not found when this was built";
#endif
  // FFMA and DFMA of registers, as of compute capability 7.x and later. A round of a thread has as
  // many as are counted: none was folded, and all fit into registers.
  constexpr unsigned ffma = 0x223;
  constexpr unsigned dfma = 0x22b;
  const double of_round = PeakKernels::flop(1, 1) / 2 / 256;
  for (const char* architecture : {"sm_75", "sm_90", "sm_100"}) {
    const Assembled assembled = assembled_for(architecture, peak_kernels_ptx());
    ASSERT_NE(assembled.code, "") << architecture << ": " << assembled.said;
    EXPECT_EQ(instructions(assembled.code, ffma), of_round) << architecture;
    EXPECT_EQ(instructions(assembled.code, dfma), of_round) << architecture;
  }
}

TEST(CudaKernels, HaveTheEntriesThatAreLookedUp) {
  for (const char* entry : {"assay_empty(", "assay_read(", "assay_write(", "assay_copy(",
                            "assay_copy_tiles(", "assay_triad(", "assay_chain("}) {
    EXPECT_THAT(kernels_ptx, testing::HasSubstr(std::string(".visible .entry ") + entry));
  }
  for (const char* entry :
       {"assay_multiply_add_f32(", "assay_multiply_add_f64(", "assay_random_bf16("}) {
    EXPECT_THAT(peak_kernels_ptx(), testing::HasSubstr(std::string(".visible .entry ") + entry));
  }
}

TEST(CudaKernels, OfPeaksCountTwoForEachMultiplyAdd) {
  EXPECT_DOUBLE_EQ(PeakKernels::flop(3, 132), 2.0 * 512 * 256 * 3 * 132);
}

// A driver that keeps what it is asked to launch: the function's name, the shape, and the first two
// arguments as far as they are as wide as said.
struct Launched {
  std::string function;
  unsigned blocks = 0;
  unsigned threads = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};
std::vector<Launched>& launches() {
  static std::vector<Launched> all;
  return all;
}
int& open_modules() {
  static int count = 0;
  return count;
}

Driver recording_driver() {
  Driver driver;
  driver.cuModuleLoadData = [](CUmodule*, const void*) {
    ++open_modules();
    return CUDA_SUCCESS;
  };
  driver.cuModuleUnload = [](CUmodule) {
    --open_modules();
    return CUDA_SUCCESS;
  };
  driver.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char* name) {
    static std::list<std::string> names;
    *function = reinterpret_cast<CUfunction>(&names.emplace_back(name));
    return CUDA_SUCCESS;
  };
  driver.cuMemAlloc = [](CUdeviceptr* memory, std::size_t) {
    *memory = 0x500;
    return CUDA_SUCCESS;
  };
  driver.cuMemFree = [](CUdeviceptr) { return CUDA_SUCCESS; };
  driver.cuLaunchKernel = [](CUfunction function, unsigned blocks, unsigned, unsigned,
                             unsigned threads, unsigned, unsigned, unsigned, CUstream,
                             void** arguments, void**) {
    Launched launched{*reinterpret_cast<std::string*>(function), blocks, threads};
    const bool is_fill = launched.function == "assay_random_bf16";
    std::memcpy(&launched.first, arguments[0], is_fill ? 8 : 4);
    std::memcpy(&launched.second, arguments[1], is_fill ? 8 : 4);
    launches().push_back(launched);
    return CUDA_SUCCESS;
  };
  return driver;
}

TEST(CudaKernels, OfPeaksAreLaunchedInTheShapeThatIsCounted) {
  const Driver driver = recording_driver();
  launches().clear();
  {
    const PeakKernels kernels(driver);
    EXPECT_EQ(open_modules(), 1);
    kernels.multiply_add(PeakKernels::Type::f32, 500, 1056, nullptr);
    kernels.multiply_add(PeakKernels::Type::f64, 7, 1056, nullptr);
    kernels.random_bf16(0x1000, 4096, 3, 8, nullptr);
  }
  EXPECT_EQ(open_modules(), 0);
  ASSERT_EQ(launches().size(), 3U);
  EXPECT_EQ(launches()[0].function, "assay_multiply_add_f32");
  EXPECT_EQ(launches()[0].blocks, 1056U);
  EXPECT_EQ(launches()[0].threads, 256U);
  EXPECT_EQ(launches()[0].first, 500U) << "rounds";
  EXPECT_EQ(launches()[1].function, "assay_multiply_add_f64");
  EXPECT_EQ(launches()[1].first, 7U);
  EXPECT_EQ(launches()[2].first, 0x1000U);
  EXPECT_EQ(launches()[2].second, 1024U) << "two numbers to a word";
}

}  // namespace
