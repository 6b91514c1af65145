// SPDX-License-Identifier: MIT
#include "assay/device/cuda/kernels.hpp"

namespace assay::device::cuda {

// read: the words are folded into one by exclusive or and stored only if that gives one certain
// value, which random data do not give, so that no compiler may leave the loads out.
// write: a multiplicative hash of the index and the seed: data that no link or memory compresses.
const char kernels_ptx[] = R"(
.version 6.4
.target sm_70
.address_size 64

.visible .entry assay_empty()
{
  ret;
}

.visible .entry assay_read(.param .u64 buffer, .param .u64 count, .param .u64 sink)
{
  .reg .u64 %at, %end, %step, %base, %out, %offset;
  .reg .u32 %thread, %block, %threads, %blocks, %a, %b, %c, %d, %sum;
  .reg .pred %done, %hit;
  ld.param.u64 %base, [buffer];
  ld.param.u64 %end, [count];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %at, %block, %threads;
  cvt.u64.u32 %offset, %thread;
  add.u64 %at, %at, %offset;
  mul.wide.u32 %step, %threads, %blocks;
  mov.u32 %sum, 0;
READ:
  setp.ge.u64 %done, %at, %end;
  @%done bra READ_END;
  shl.b64 %offset, %at, 4;
  add.u64 %offset, %base, %offset;
  ld.global.v4.u32 {%a, %b, %c, %d}, [%offset];
  xor.b32 %sum, %sum, %a;
  xor.b32 %sum, %sum, %b;
  xor.b32 %sum, %sum, %c;
  xor.b32 %sum, %sum, %d;
  add.u64 %at, %at, %step;
  bra READ;
READ_END:
  setp.eq.u32 %hit, %sum, 0x5bd1e995;
  @!%hit bra READ_OUT;
  ld.param.u64 %out, [sink];
  st.global.u32 [%out], %sum;
READ_OUT:
  ret;
}

.visible .entry assay_write(.param .u64 buffer, .param .u64 count, .param .u32 seed)
{
  .reg .u64 %at, %end, %step, %base, %offset;
  .reg .u32 %thread, %block, %threads, %blocks, %a, %b, %c, %d, %key;
  .reg .pred %done;
  ld.param.u64 %base, [buffer];
  ld.param.u64 %end, [count];
  ld.param.u32 %key, [seed];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %at, %block, %threads;
  cvt.u64.u32 %offset, %thread;
  add.u64 %at, %at, %offset;
  mul.wide.u32 %step, %threads, %blocks;
WRITE:
  setp.ge.u64 %done, %at, %end;
  @%done bra WRITE_END;
  cvt.u32.u64 %a, %at;
  xor.b32 %a, %a, %key;
  mul.lo.u32 %a, %a, 0x9e3779b1;
  shr.u32 %b, %a, 15;
  xor.b32 %b, %a, %b;
  mul.lo.u32 %b, %b, 0x85ebca77;
  shr.u32 %c, %b, 13;
  xor.b32 %c, %b, %c;
  mul.lo.u32 %c, %c, 0xc2b2ae3d;
  shr.u32 %d, %c, 16;
  xor.b32 %d, %c, %d;
  mul.lo.u32 %d, %d, 0x27d4eb2f;
  shl.b64 %offset, %at, 4;
  add.u64 %offset, %base, %offset;
  st.global.v4.u32 [%offset], {%a, %b, %c, %d};
  add.u64 %at, %at, %step;
  bra WRITE;
WRITE_END:
  ret;
}

.visible .entry assay_chain(.param .u32 steps, .param .u64 sink)
{
  .reg .u64 %out;
  .reg .u32 %left, %value;
  .reg .pred %more;
  ld.param.u32 %left, [steps];
  mov.u32 %value, 1;
CHAIN:
  mad.lo.u32 %value, %value, 0x9e3779b1, 0x7f4a7c15;
  mad.lo.u32 %value, %value, 0x9e3779b1, 0x7f4a7c15;
  mad.lo.u32 %value, %value, 0x9e3779b1, 0x7f4a7c15;
  mad.lo.u32 %value, %value, 0x9e3779b1, 0x7f4a7c15;
  sub.u32 %left, %left, 1;
  setp.ne.u32 %more, %left, 0;
  @%more bra CHAIN;
  ld.param.u64 %out, [sink];
  st.global.u32 [%out], %value;
  ret;
}
)";

Kernels::Kernels(const Driver& driver) : driver_(&driver) {
  driver.check(driver.cuModuleLoadData(&module_, kernels_ptx),
               "compiling Assay's own kernels (cuModuleLoadData)");
  const auto find = [&](CUfunction& function, const char* name) {
    driver.check(driver.cuModuleGetFunction(&function, module_, name), "cuModuleGetFunction");
  };
  find(empty_, "assay_empty");
  find(read_, "assay_read");
  find(write_, "assay_write");
  find(chain_, "assay_chain");
  driver.check(driver.cuMemAlloc(&sink_, 16), "cuMemAlloc");
}

Kernels::~Kernels() {
  // Of a device that is lost neither can succeed, and there is nobody to tell.
  driver_->cuMemFree(sink_);
  driver_->cuModuleUnload(module_);
}

void Kernels::launch(CUfunction function, unsigned blocks, unsigned threads, CUstream stream,
                     void** arguments) const {
  driver_->check(
      driver_->cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, nullptr),
      "launching one of Assay's own kernels (cuLaunchKernel)");
}

void Kernels::empty(CUstream stream) const { launch(empty_, 1, 1, stream, nullptr); }

void Kernels::read(CUdeviceptr buffer, std::size_t bytes, unsigned blocks, CUstream stream) const {
  std::uint64_t count = bytes / 16;
  CUdeviceptr sink = sink_;
  void* arguments[] = {&buffer, &count, &sink};
  launch(read_, blocks, 256, stream, arguments);
}

void Kernels::write(CUdeviceptr buffer, std::size_t bytes, unsigned seed, unsigned blocks,
                    CUstream stream) const {
  std::uint64_t count = bytes / 16;
  void* arguments[] = {&buffer, &count, &seed};
  launch(write_, blocks, 256, stream, arguments);
}

void Kernels::chain(unsigned steps, CUstream stream) const {
  CUdeviceptr sink = sink_;
  void* arguments[] = {&steps, &sink};
  launch(chain_, 1, 1, stream, arguments);
}

}  // namespace assay::device::cuda
