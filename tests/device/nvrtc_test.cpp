// SPDX-License-Identifier: MIT
#include "assay/device/cuda/nvrtc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/error.hpp"
#include "assay/device/cuda/compile_cache.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace assay;
using namespace assay::device;
using namespace assay::device::cuda;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// As NVRTC 13.0 wrote it: a template, a kernel with a stack frame, one that spills, and a function
// that is called.
constexpr const char* log_of_13_0 = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kILi32EEvPf' for 'sm_90'
ptxas info    : Function properties for _Z1kILi32EEvPf
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 128 bytes smem
ptxas info    : Compile time = 1.882 ms
ptxas info    : Compiling entry function 'q' for 'sm_90'
ptxas info    : Function properties for called
ptxas         .     96 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads
ptxas info    : Function properties for q
ptxas         .     288 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 288 bytes cumulative stack size
ptxas info    : Compile time = 88.848 ms
)";

TEST(NvrtcLog, TellsTheResourcesOfEachKernel) {
  const auto kernels = kernels_in(log_of_13_0);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "_Z1kILi32EEvPf");
  EXPECT_EQ(*kernels[0].registers, 10);
  EXPECT_EQ(*kernels[0].static_shared_bytes, 128);
  EXPECT_EQ(*kernels[0].stack_bytes, 0);
  const CompiledKernel q = kernel_in(log_of_13_0, "q");
  EXPECT_EQ(*q.registers, 32);
  EXPECT_EQ(*q.static_shared_bytes, 0);
  EXPECT_EQ(*q.stack_bytes, 288);
  EXPECT_EQ(*q.spill_store_bytes, 24);
  EXPECT_EQ(*q.spill_load_bytes, 28);
}

TEST(NvrtcLog, LeavesUnknownWhatItDoesNotTell) {
  const CompiledKernel kernel = kernel_in(log_of_13_0, "r");
  EXPECT_EQ(kernel.registers.missing().reason, "not-in-log");
  EXPECT_FALSE(kernel.spill_store_bytes.has_value());
  const CompiledKernel odd = kernel_in(
      "ptxas info : Compiling entry function 'r' for 'sm_90'\nptxas info : Used many registers\n",
      "r");
  EXPECT_FALSE(odd.registers.has_value());
}

TEST(NvrtcLog, GivesItsFirstErrorsWithoutTheWarnings) {
  const std::string log =
      "k.cu(1): warning #550-D: parameter \"x\" was set\n  void q\n       ^\n\n"
      "k.cu(2): error: identifier \"y\" is undefined\n  x = y;\n      ^\n\n"
      "k.cu(3): error: two\n\nk.cu(4): error: three\n\nk.cu(5): error: four\n\n4 errors detected\n";
  const std::string errors = first_errors(log);
  EXPECT_THAT(errors, HasSubstr("k.cu(2): error: identifier \"y\" is undefined\n  x = y;"));
  EXPECT_THAT(errors, HasSubstr("three\n(and 1 more)"));
  EXPECT_THAT(errors, Not(HasSubstr("warning")));
  EXPECT_EQ(first_errors("what is this"), "what is this");
}

TEST(NvrtcOptions, MayNameTheArchitecture) {
  EXPECT_EQ(architecture_in({"-DN=1", "-arch=sm_90a"}), "sm_90a");
  EXPECT_EQ(architecture_in({"--gpu-architecture", "sm_80"}), "sm_80");
  EXPECT_EQ(architecture_in({"-archive"}), "");
}

TEST(NvrtcLibrary, ThatIsNotThereIsMissingWithTheReason) {
  const auto opened = Nvrtc::open({"libassay-no-such-nvrtc.so"});
  EXPECT_EQ(opened.missing().reason, "no-nvrtc");
  EXPECT_THAT(opened.missing().detail, HasSubstr("ASSAY_NVRTC_LIBRARY"));
  EXPECT_EQ(Nvrtc::open({"libm.so.6"}).missing().reason, "nvrtc-too-old");
}

TEST(NvrtcLibrary, IsChosenByTheEnvironment) {
  ASSERT_EQ(setenv("ASSAY_NVRTC_LIBRARY", "/opt/nvrtc.so", 1), 0);
  EXPECT_THAT(nvrtc_names(), testing::ElementsAre("/opt/nvrtc.so"));
  unsetenv("ASSAY_NVRTC_LIBRARY");
  EXPECT_THAT(nvrtc_names(), Contains("/usr/local/cuda/lib64/libnvrtc.so.13"));
}

struct Compiling : testing::Test {
  void SetUp() override {
    if (!nvrtc()) GTEST_SKIP() << nvrtc().missing().detail;
  }
  static std::string failure(const SourceCode& code) {
    try {
      nvrtc()->compile(code);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return error.what();
    }
    return "no error";
  }
};

constexpr const char* sum_source =
    "template <typename T, int N> __global__ void sum(const T* x, T* y) {\n"
    "  __shared__ T part[N];\n"
    "  part[threadIdx.x] = x[blockIdx.x * N + threadIdx.x];\n"
    "  __syncthreads();\n"
    "  y[blockIdx.x] = part[N - 1 - threadIdx.x];\n"
    "}\n";

TEST_F(Compiling, GivesMachineCodeAndWhatItNeeds) {
  const Compiled compiled =
      nvrtc()->compile({sum_source, "sum.cu", {"-DX=1"}, "sm_90", {"sum<float, 64>"}});
  EXPECT_EQ(compiled.cubin.substr(1, 3), "ELF");
  EXPECT_THAT(compiled.ptx, HasSubstr(".target sm_90"));
  EXPECT_THAT(compiled.compiler, testing::StartsWith("NVRTC "));
  EXPECT_GT(compiled.compile_ns, 0);
  const std::string name = compiled.lowered_names.at("sum<float, 64>");
  EXPECT_THAT(compiled.ptx, HasSubstr(name));
  const CompiledKernel kernel = kernel_in(compiled.log, name);
  EXPECT_EQ(*kernel.static_shared_bytes, 256);
  EXPECT_GT(*kernel.registers, 0);
  EXPECT_EQ(*kernel.spill_store_bytes, 0);
}

TEST_F(Compiling, NamesFileAndLineOfAnError) {
  const std::string message =
      failure({"extern \"C\" __global__ void k(float* x) {\n  x[0] = y;\n}\n",
               "sub/k.cu",
               {},
               "sm_90",
               {"k"}});
  EXPECT_THAT(message, HasSubstr("sub/k.cu(2): error: identifier \"y\" is undefined"));
}

TEST_F(Compiling, RefusesWhatIsNoKernelOptionOrArchitecture) {
  const std::string source = "extern \"C\" __global__ void k() {}\n";
  EXPECT_THAT(failure({source, "k.cu", {}, "sm_90", {"absent"}}), HasSubstr("absent"));
  EXPECT_THAT(failure({source, "k.cu", {"--nonsense"}, "sm_90", {"k"}}), HasSubstr("--nonsense"));
  EXPECT_THAT(failure({source, "k.cu", {}, "sm_9", {"k"}}), HasSubstr("sm_90"));
  EXPECT_THAT(failure({source, "k.cu", {"-arch=compute_90"}, "sm_90", {"k"}}),
              HasSubstr("no machine code"));
}

TEST_F(Compiling, TakesTheArchitectureFromTheOptions) {
  const Compiled compiled = nvrtc()->compile(
      {"extern \"C\" __global__ void k() {}\n", "k.cu", {"-arch=sm_90a"}, "sm_90", {"k"}});
  EXPECT_EQ(compiled.architecture, "sm_90a");
  EXPECT_THAT(compiled.ptx, HasSubstr(".target sm_90a"));
}

TEST_F(Compiling, FindsHeadersBesideTheSourceAndThoseOfTheToolkit) {
  const TemporaryFolder folder;
  folder.write("n.cuh", "#define N 3\n");
  SourceCode code{"#include \"n.cuh\"\nextern \"C\" __global__ void k(int* x) { *x = N; }\n",
                  (folder.path() / "k.cu").string(),
                  {},
                  "sm_90",
                  {"k"}};
  EXPECT_FALSE(nvrtc()->compile(code).cubin.empty());
  if (toolkit_includes(nvrtc()->path()).empty()) GTEST_SKIP() << "no headers beside NVRTC";
  code.source =
      "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(__half* x) { *x = x[1]; }\n";
  EXPECT_FALSE(nvrtc()->compile(code).cubin.empty());
}

TEST_F(Compiling, IsCachedWithTheHeadersThatItReads) {
  const TemporaryFolder folder;
  folder.write("n.cuh", "#define N 3\n");
  const SourceCode code{"#include \"n.cuh\"\nextern \"C\" __global__ void k(int* x) { *x = N; }\n",
                        (folder.path() / "k.cu").string(),
                        {},
                        "sm_90",
                        {"k"}};
  const CompileCache cache(folder.path() / "cache");
  const Obtained first = cache.get(code, *nvrtc());
  const Obtained second = cache.get(code, *nvrtc());
  EXPECT_TRUE(second.is_from_cache);
  EXPECT_EQ(second.compiled.cubin, first.compiled.cubin);
  folder.write("n.cuh", "#define N 4\n");
  EXPECT_NE(cache.get(code, *nvrtc()).compiled.cubin, first.compiled.cubin);
}

}  // namespace
