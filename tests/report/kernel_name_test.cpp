// SPDX-License-Identifier: MIT
//
// Names as nvcc 13.0 made them: of CUB's reduction, of kernels in anonymous namespaces, of
// templates.
#include "assay/report/kernel_name.hpp"

#include <gtest/gtest.h>

#include "assay/report/columns.hpp"

namespace assay::report {
namespace {

constexpr const char* of_cub =
    "_ZN3cub21CUB_300001_SM_800_9006detail6reduce18DeviceReduceKernelINS2_10policy_"
    "hubIfyN4cuda3std3"
    "__44plusIvEEE10Policy1000EPKfyS9_fNS7_10__identityEEEvT0_PT3_T1_NS0_13GridEvenShareISI_EET2_T4"
    "_";
// Of a kernel that takes a __device__ lambda of main().
constexpr const char* of_lambda = "_Z8for_eachIZ4mainEUliE_EvT_i";

TEST(KernelName, IsDemangledWithoutResultAndParameters) {
  EXPECT_EQ(readable_kernel_name("_Z3sumIfLi4EEvPKT_PS0_l"), "sum<float, 4>");
  EXPECT_EQ(readable_kernel_name("_Z7doubledPKfPfl"), "doubled");
  EXPECT_EQ(readable_kernel_name(of_lambda), "for_each<main::{lambda(int)#1}>");
}

TEST(KernelName, OfAnAnonymousNamespaceIsWithoutTheHashOfItsFile) {
  EXPECT_EQ(readable_kernel_name("_ZN46_GLOBAL__N__d6830675_17_reduction_cuda_cu_main14sum_each_"
                                 "blockEPKflPf"),
            "sum_each_block");
  EXPECT_EQ(readable_kernel_name("_ZN3abc46_GLOBAL__N__d6830675_17_reduction_cuda_cu_main8add_"
                                 "eachEPKflPf"),
            "abc::add_each");
}

TEST(KernelName, ThatIsNotMangledStaysAsItIs) {
  for (const char* name : {"copy_tiled", "[memcpy]", "", "_Z", "_Zebra", "_Z99short",
                           "sum<float>(int)", "ampere_sgemm"}) {
    EXPECT_EQ(readable_kernel_name(name), name);
    EXPECT_EQ(short_kernel_name(name, 40), name);
  }
}

TEST(KernelName, ThatFitsIsNotShortened) {
  EXPECT_EQ(short_kernel_name("_ZN3abc3sumIfLi4EEEvPKT_PS1_l", 40), "abc::sum<float, 4>");
}

TEST(KernelName, LosesFirstWhatTellsLeast) {
  const auto columns = [](std::size_t count) { return short_kernel_name(of_cub, count); };
  EXPECT_EQ(columns(110),
            "DeviceReduceKernel<Policy1000, float const*, unsigned long long, plus<void>, float, "
            "__identity>");
  EXPECT_EQ(columns(93),
            "DeviceReduceKernel<Policy1000, float const*, unsigned long long, plus<…>, float, "
            "__identity>");
  EXPECT_EQ(columns(40), "DeviceReduceKernel<…>");
  EXPECT_EQ(columns(12), "DeviceReduc…");
  EXPECT_GT(width_of(readable_kernel_name(of_cub)), 200U);
  for (std::size_t count = 1; count < 200; ++count) EXPECT_LE(width_of(columns(count)), count);
}

TEST(KernelName, OfALambdaKeepsWhichOneItIs) {
  EXPECT_EQ(short_kernel_name(of_lambda, 28), "for_each<{lambda(int)#1}>");
}

TEST(KernelName, WithAnOperatorIsCutAndNothingElse) {
  // Its "<" opens nothing.
  EXPECT_EQ(readable_kernel_name("_ZltRK1aS1_"), "operator<(a const&, a const&)");
  EXPECT_EQ(short_kernel_name("_ZltRK1aS1_", 12), "operator<(a…");
}

}  // namespace
}  // namespace assay::report
