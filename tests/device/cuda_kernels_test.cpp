// SPDX-License-Identifier: MIT
//
// The kernels as text; that they do what they should needs a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

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
                            "assay_triad(", "assay_chain("}) {
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

}  // namespace
