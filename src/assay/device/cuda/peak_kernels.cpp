// SPDX-License-Identifier: MIT
#include "assay/device/cuda/peak_kernels.hpp"

#include "assay/device/cuda/code_refusal.hpp"
#include "assay/device/device.hpp"

namespace assay::device::cuda {
namespace {

// An instruction's result is there after some four cycles, and a scheduler has 16 warps to take
// turns with: eight chains in each are more than enough.
constexpr unsigned chains = 8;
// Of 512 multiply-adds and three instructions that count, 0.6 % is lost; 8 KiB of code still fit
// into the nearest cache of instructions.
constexpr unsigned steps = 64;
constexpr unsigned threads = 256;

// The hash of the thread and the seed in %h, and the next one.
constexpr const char* hash_of_thread = R"(
  ld.param.u32 %h, [seed];
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %t, %b, %n, %t;
  mad.lo.u32 %h, %t, 0x9e3779b1, %h;
)";
constexpr const char* next_hash = R"(
  add.u32 %h, %h, 0x27d4eb2f;
  shr.u32 %g, %h, 15;
  xor.b32 %h, %h, %g;
  mul.lo.u32 %h, %h, 0x85ebca77;
  shr.u32 %g, %h, 13;
  xor.b32 %h, %h, %g;
)";
// A number from 1 up to 2 in %f.
constexpr const char* random_of_hash = R"(
  and.b32 %g, %h, 0x007fffff;
  or.b32 %g, %g, 0x3f800000;
  mov.b32 %f, %g;
)";

std::string chain(unsigned i) { return "%x" + std::to_string(i); }

std::string multiply_add_ptx(const std::string& name, const std::string& type) {
  const bool is_double = type == "f64";
  const auto assign = [&](const std::string& to) {
    return is_double ? "  cvt.f64.f32 " + to + ", %f;\n" : "  mov.f32 " + to + ", %f;\n";
  };
  std::string text = "\n.visible .entry " + name +
                     "(.param .u32 rounds, .param .u32 seed, .param .u64 sink)\n{\n"
                     "  .reg .u32 %left, %h, %g, %t, %b, %n;\n  .reg .u64 %out;\n"
                     "  .reg .f32 %f;\n  .reg .pred %more, %hit;\n  .reg ." +
                     type + " %c, %sum";
  for (unsigned i = 0; i < chains; ++i) text += ", " + chain(i);
  text += ";\n  ld.param.u32 %left, [rounds];\n";
  text += hash_of_thread;
  text += next_hash;
  text += random_of_hash;
  text += "  fma.rn.f32 %f, %f, 0fBF000000, 0fBF733333;\n";  // - f / 2 - 0.95
  text += assign("%c");
  for (unsigned i = 0; i < chains; ++i) {
    text += next_hash;
    text += random_of_hash;
    text += "  add.f32 %f, %f, 0fBFC00000;\n";  // - 1.5
    text += assign(chain(i));
  }
  text += "ROUND:\n";
  for (unsigned step = 0; step < steps; ++step) {
    for (unsigned i = 0; i < chains; ++i) {
      text += "  fma.rn." + type + " " + chain(i) + ", " + chain(i) + ", " + chain(i) + ", %c;\n";
    }
  }
  text +=
      "  sub.u32 %left, %left, 1;\n  setp.ne.u32 %more, %left, 0;\n  @%more bra ROUND;\n"
      "  mov." +
      type + " %sum, %c;\n";
  for (unsigned i = 0; i < chains; ++i) {
    text += "  add." + type + " %sum, %sum, " + chain(i) + ";\n";
  }
  // The sum is never more than 18, which no compiler can know: all of it has to be computed.
  text += is_double ? "  setp.gt.f64 %hit, %sum, 0d4190000000000000;\n"
                    : "  setp.gt.f32 %hit, %sum, 0f4C800000;\n";
  text += "  @!%hit bra OUT;\n  ld.param.u64 %out, [sink];\n  st.global." + type +
          " [%out], %sum;\nOUT:\n  ret;\n}\n";
  return text;
}

std::string random_bf16_ptx() {
  return std::string(R"(
.visible .entry assay_random_bf16(.param .u64 to, .param .u64 count, .param .u32 seed)
{
  .reg .u32 %h, %g, %t, %b, %n, %all;
  .reg .u64 %at, %end, %step, %y;
  .reg .pred %done;
)") + hash_of_thread +
         R"(
  ld.param.u64 %y, [to];
  ld.param.u64 %end, [count];
  mov.u32 %all, %nctaid.x;
  mul.wide.u32 %step, %n, %all;
  cvt.u64.u32 %at, %t;
  shl.b64 %end, %end, 2;
  shl.b64 %at, %at, 2;
  shl.b64 %step, %step, 2;
  add.u64 %end, %end, %y;
  add.u64 %at, %at, %y;
FILL:
  setp.ge.u64 %done, %at, %end;
  @%done bra FILL_END;
)" + next_hash +
         R"(
  and.b32 %g, %h, 0x807f807f;
  or.b32 %g, %g, 0x3f003f00;
  st.global.u32 [%at], %g;
  add.u64 %at, %at, %step;
  bra FILL;
FILL_END:
  ret;
}
)";
}

}  // namespace

std::string peak_kernels_ptx() {
  return ".version 6.4\n.target sm_70\n.address_size 64\n" +
         multiply_add_ptx("assay_multiply_add_f32", "f32") +
         multiply_add_ptx("assay_multiply_add_f64", "f64") + random_bf16_ptx();
}

PeakKernels::PeakKernels(const Driver& driver) : driver_(&driver) {
  const std::string ptx = peak_kernels_ptx();
  check_code(driver, driver.cuModuleLoadData(&module_, ptx.c_str()),
             "compiling Assay's kernels for ceilings (cuModuleLoadData)", own_code(ptx));
  const auto find = [&](CUfunction& function, const char* name) {
    driver.check(driver.cuModuleGetFunction(&function, module_, name), "cuModuleGetFunction");
  };
  find(f32_, "assay_multiply_add_f32");
  find(f64_, "assay_multiply_add_f64");
  find(random_, "assay_random_bf16");
  driver.check(driver.cuMemAlloc(&sink_, 16), "cuMemAlloc");
}

// Of a device that is lost neither can succeed, and there is nobody to tell.
PeakKernels::~PeakKernels() {
  driver_->cuMemFree(sink_);
  driver_->cuModuleUnload(module_);
}

double PeakKernels::flop(unsigned rounds, unsigned blocks) {
  return 2.0 * chains * steps * rounds * threads * blocks;
}

void PeakKernels::launch(CUfunction function, unsigned blocks, CUstream stream,
                         void** arguments) const {
  driver_->check(
      driver_->cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr),
      "launching one of Assay's kernels for ceilings (cuLaunchKernel)");
}

void PeakKernels::multiply_add(Type type, unsigned rounds, unsigned blocks, CUstream stream) const {
  ASSAY_EXPECTS(rounds > 0);
  unsigned seed = 1;
  CUdeviceptr sink = sink_;
  void* arguments[] = {&rounds, &seed, &sink};
  launch(type == Type::f32 ? f32_ : f64_, blocks, stream, arguments);
}

void PeakKernels::random_bf16(CUdeviceptr to, std::size_t bytes, unsigned seed, unsigned blocks,
                              CUstream stream) const {
  std::uint64_t count = bytes / 4;
  void* arguments[] = {&to, &count, &seed};
  launch(random_, blocks, stream, arguments);
}

}  // namespace assay::device::cuda
