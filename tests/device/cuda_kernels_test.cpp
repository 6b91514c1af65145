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

#include "assay/device/cuda/kernels.hpp"

namespace {

using namespace assay::device::cuda;

// For the oldest architecture that ptxas still serves among these and the newest that it knows.
std::string assembled_for(const char* architecture) {
#if defined(ASSAY_PTXAS)
  const std::string base =
      testing::TempDir() + "assay-kernels-" + std::to_string(getpid()) + "-" + architecture;
  std::ofstream(base + ".ptx") << kernels_ptx;
  const std::string command = std::string("'") + ASSAY_PTXAS + "' -Werror -arch=" + architecture +
                              " -o '" + base + ".cubin' '" + base + ".ptx' 2>&1";
  std::string said;
  FILE* pipe = popen(command.c_str(), "r");  // NOLINT(cert-env33-c): the build found the assembler
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) said += static_cast<char>(c);
  const int status = pclose(pipe);
  std::filesystem::remove(base + ".ptx");
  std::filesystem::remove(base + ".cubin");
  return status == 0 ? "assembled" : said;
#else
  return architecture;
#endif
}

TEST(CudaKernels, AreAssembledForOldAndNewDevices) {
#if !defined(ASSAY_PTXAS)
  GTEST_SKIP() << "ptxas was not found when this was built";
#endif
  for (const char* architecture : {"sm_75", "sm_80", "sm_90"}) {
    EXPECT_EQ(assembled_for(architecture), "assembled") << architecture;
  }
}

TEST(CudaKernels, HaveTheEntriesThatAreLookedUp) {
  for (const char* entry : {"assay_empty(", "assay_read(", "assay_write(", "assay_chain("}) {
    EXPECT_THAT(kernels_ptx, testing::HasSubstr(std::string(".visible .entry ") + entry));
  }
}

}  // namespace
