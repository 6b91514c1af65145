// SPDX-License-Identifier: MIT
#include "assay/device/cuda/kernels.hpp"

namespace assay::device::cuda {

// Arrays are moved by 16 bytes a thread, four such accesses under way at a time, and one by one
// where fewer than four strides are left.
//
// copy_tiles: eight accesses under way, which for a block of 256 threads lie side by side: 32 KiB.
// Only the last tile may be smaller, and is moved one by one.
// read: the words are folded into one by exclusive or and stored only if that gives one certain
// value, which random data do not give, so that no compiler may leave the loads out.
// write: a multiplicative hash of the index and the seed: data that no link or memory compresses.
// triad: y = x + 3 z, in single precision.
const char kernels_ptx[] = R"(
.version 6.4
.target sm_70
.address_size 64

.visible .entry assay_empty()
{
  ret;
}

.visible .entry assay_read(.param .u64 from, .param .u64 count, .param .u64 sink)
{
  .reg .u64 %at, %end, %step, %stride, %last, %offset, %x, %x0, %x1, %x2, %x3;
  .reg .u32 %thread, %block, %threads, %blocks;
  .reg .pred %done;
  .reg .u32 %v0a, %v0b, %v0c, %v0d, %v1a, %v1b, %v1c, %v1d, %v2a, %v2b, %v2c, %v2d, %v3a, %v3b, %v3c, %v3d;
  .reg .u64 %out;
  .reg .u32 %sum;
  .reg .pred %hit;
  ld.param.u64 %x, [from];
  ld.param.u64 %end, [count];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %at, %block, %threads;
  cvt.u64.u32 %offset, %thread;
  add.u64 %at, %at, %offset;
  mul.wide.u32 %step, %threads, %blocks;
  shl.b64 %stride, %step, 4;
  mov.u32 %sum, 0;
READ:
  setp.ge.u64 %done, %at, %end;
  @%done bra READ_END;
  mul.lo.u64 %last, %step, 3;
  add.u64 %last, %last, %at;
  setp.ge.u64 %done, %last, %end;
  @%done bra READ_ONE;
  shl.b64 %offset, %at, 4;
  add.u64 %x0, %x, %offset;
  add.u64 %x1, %x0, %stride;
  add.u64 %x2, %x1, %stride;
  add.u64 %x3, %x2, %stride;
  ld.global.v4.u32 {%v0a, %v0b, %v0c, %v0d}, [%x0];
  ld.global.v4.u32 {%v1a, %v1b, %v1c, %v1d}, [%x1];
  ld.global.v4.u32 {%v2a, %v2b, %v2c, %v2d}, [%x2];
  ld.global.v4.u32 {%v3a, %v3b, %v3c, %v3d}, [%x3];
  xor.b32 %sum, %sum, %v0a;
  xor.b32 %sum, %sum, %v0b;
  xor.b32 %sum, %sum, %v0c;
  xor.b32 %sum, %sum, %v0d;
  xor.b32 %sum, %sum, %v1a;
  xor.b32 %sum, %sum, %v1b;
  xor.b32 %sum, %sum, %v1c;
  xor.b32 %sum, %sum, %v1d;
  xor.b32 %sum, %sum, %v2a;
  xor.b32 %sum, %sum, %v2b;
  xor.b32 %sum, %sum, %v2c;
  xor.b32 %sum, %sum, %v2d;
  xor.b32 %sum, %sum, %v3a;
  xor.b32 %sum, %sum, %v3b;
  xor.b32 %sum, %sum, %v3c;
  xor.b32 %sum, %sum, %v3d;
  shl.b64 %offset, %step, 2;
  add.u64 %at, %at, %offset;
  bra READ;
READ_ONE:
  shl.b64 %offset, %at, 4;
  add.u64 %x0, %x, %offset;
  ld.global.v4.u32 {%v0a, %v0b, %v0c, %v0d}, [%x0];
  xor.b32 %sum, %sum, %v0a;
  xor.b32 %sum, %sum, %v0b;
  xor.b32 %sum, %sum, %v0c;
  xor.b32 %sum, %sum, %v0d;
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

.visible .entry assay_write(.param .u64 to, .param .u64 count, .param .u32 seed)
{
  .reg .u64 %at, %end, %step, %stride, %last, %offset, %y, %y0, %y1, %y2, %y3;
  .reg .u32 %thread, %block, %threads, %blocks;
  .reg .pred %done;
  .reg .u32 %key, %a, %b, %c, %d;
  ld.param.u64 %y, [to];
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
  shl.b64 %stride, %step, 4;
WRITE:
  setp.ge.u64 %done, %at, %end;
  @%done bra WRITE_END;
  mul.lo.u64 %last, %step, 3;
  add.u64 %last, %last, %at;
  setp.ge.u64 %done, %last, %end;
  @%done bra WRITE_ONE;
  shl.b64 %offset, %at, 4;
  add.u64 %y0, %y, %offset;
  add.u64 %y1, %y0, %stride;
  add.u64 %y2, %y1, %stride;
  add.u64 %y3, %y2, %stride;
  cvt.u32.u64 %a, %at;
  xor.b32 %a, %a, %key;
  mul.lo.u32 %a, %a, 0x9e3779b1;
  shr.u32 %b, %a, 15;
  xor.b32 %b, %a, %b;
  mul.lo.u32 %c, %b, 0x85ebca77;
  xor.b32 %d, %c, %a;
  st.global.v4.u32 [%y0], {%a, %b, %c, %d};
  add.u32 %a, %d, 0x27d4eb2f;
  mul.lo.u32 %a, %a, 0x9e3779b1;
  shr.u32 %b, %a, 15;
  xor.b32 %b, %a, %b;
  mul.lo.u32 %c, %b, 0x85ebca77;
  xor.b32 %d, %c, %a;
  st.global.v4.u32 [%y1], {%a, %b, %c, %d};
  add.u32 %a, %d, 0x27d4eb2f;
  mul.lo.u32 %a, %a, 0x9e3779b1;
  shr.u32 %b, %a, 15;
  xor.b32 %b, %a, %b;
  mul.lo.u32 %c, %b, 0x85ebca77;
  xor.b32 %d, %c, %a;
  st.global.v4.u32 [%y2], {%a, %b, %c, %d};
  add.u32 %a, %d, 0x27d4eb2f;
  mul.lo.u32 %a, %a, 0x9e3779b1;
  shr.u32 %b, %a, 15;
  xor.b32 %b, %a, %b;
  mul.lo.u32 %c, %b, 0x85ebca77;
  xor.b32 %d, %c, %a;
  st.global.v4.u32 [%y3], {%a, %b, %c, %d};
  shl.b64 %offset, %step, 2;
  add.u64 %at, %at, %offset;
  bra WRITE;
WRITE_ONE:
  shl.b64 %offset, %at, 4;
  add.u64 %y0, %y, %offset;
  cvt.u32.u64 %a, %at;
  xor.b32 %a, %a, %key;
  mul.lo.u32 %a, %a, 0x9e3779b1;
  shr.u32 %b, %a, 15;
  xor.b32 %b, %a, %b;
  mul.lo.u32 %c, %b, 0x85ebca77;
  xor.b32 %d, %c, %a;
  st.global.v4.u32 [%y0], {%a, %b, %c, %d};
  add.u64 %at, %at, %step;
  bra WRITE;
WRITE_END:
  ret;
}

.visible .entry assay_copy(.param .u64 from, .param .u64 to, .param .u64 count)
{
  .reg .u64 %at, %end, %step, %stride, %last, %offset, %x, %x0, %x1, %x2, %x3, %y, %y0, %y1, %y2, %y3;
  .reg .u32 %thread, %block, %threads, %blocks;
  .reg .pred %done;
  .reg .u32 %v0a, %v0b, %v0c, %v0d, %v1a, %v1b, %v1c, %v1d, %v2a, %v2b, %v2c, %v2d, %v3a, %v3b, %v3c, %v3d;
  ld.param.u64 %x, [from];
  ld.param.u64 %y, [to];
  ld.param.u64 %end, [count];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %at, %block, %threads;
  cvt.u64.u32 %offset, %thread;
  add.u64 %at, %at, %offset;
  mul.wide.u32 %step, %threads, %blocks;
  shl.b64 %stride, %step, 4;
COPY:
  setp.ge.u64 %done, %at, %end;
  @%done bra COPY_END;
  mul.lo.u64 %last, %step, 3;
  add.u64 %last, %last, %at;
  setp.ge.u64 %done, %last, %end;
  @%done bra COPY_ONE;
  shl.b64 %offset, %at, 4;
  add.u64 %x0, %x, %offset;
  add.u64 %y0, %y, %offset;
  add.u64 %x1, %x0, %stride;
  add.u64 %y1, %y0, %stride;
  add.u64 %x2, %x1, %stride;
  add.u64 %y2, %y1, %stride;
  add.u64 %x3, %x2, %stride;
  add.u64 %y3, %y2, %stride;
  ld.global.v4.u32 {%v0a, %v0b, %v0c, %v0d}, [%x0];
  ld.global.v4.u32 {%v1a, %v1b, %v1c, %v1d}, [%x1];
  ld.global.v4.u32 {%v2a, %v2b, %v2c, %v2d}, [%x2];
  ld.global.v4.u32 {%v3a, %v3b, %v3c, %v3d}, [%x3];
  st.global.v4.u32 [%y0], {%v0a, %v0b, %v0c, %v0d};
  st.global.v4.u32 [%y1], {%v1a, %v1b, %v1c, %v1d};
  st.global.v4.u32 [%y2], {%v2a, %v2b, %v2c, %v2d};
  st.global.v4.u32 [%y3], {%v3a, %v3b, %v3c, %v3d};
  shl.b64 %offset, %step, 2;
  add.u64 %at, %at, %offset;
  bra COPY;
COPY_ONE:
  shl.b64 %offset, %at, 4;
  add.u64 %x0, %x, %offset;
  add.u64 %y0, %y, %offset;
  ld.global.v4.u32 {%v0a, %v0b, %v0c, %v0d}, [%x0];
  st.global.v4.u32 [%y0], {%v0a, %v0b, %v0c, %v0d};
  add.u64 %at, %at, %step;
  bra COPY;
COPY_END:
  ret;
}

.visible .entry assay_copy_tiles(.param .u64 from, .param .u64 to, .param .u64 count)
{
  .reg .u64 %at, %end, %step, %last, %offset, %x, %x0, %y, %y0;
  .reg .u32 %thread, %block, %blocks;
  .reg .pred %done, %more;
  .reg .u32 %v0a, %v0b, %v0c, %v0d, %v1a, %v1b, %v1c, %v1d, %v2a, %v2b, %v2c, %v2d, %v3a, %v3b, %v3c, %v3d, %v4a, %v4b, %v4c, %v4d, %v5a, %v5b, %v5c, %v5d, %v6a, %v6b, %v6c, %v6d, %v7a, %v7b, %v7c, %v7d;
  ld.param.u64 %x, [from];
  ld.param.u64 %y, [to];
  ld.param.u64 %end, [count];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %at, %block, 2048;
  cvt.u64.u32 %offset, %thread;
  add.u64 %at, %at, %offset;
  mul.wide.u32 %step, %blocks, 2048;
TILE:
  setp.ge.u64 %done, %at, %end;
  @%done bra TILE_END;
  shl.b64 %offset, %at, 4;
  add.u64 %x0, %x, %offset;
  add.u64 %y0, %y, %offset;
  add.u64 %last, %at, 1792;
  setp.ge.u64 %done, %last, %end;
  @%done bra TILE_ONE;
  ld.global.v4.u32 {%v0a, %v0b, %v0c, %v0d}, [%x0];
  ld.global.v4.u32 {%v1a, %v1b, %v1c, %v1d}, [%x0+4096];
  ld.global.v4.u32 {%v2a, %v2b, %v2c, %v2d}, [%x0+8192];
  ld.global.v4.u32 {%v3a, %v3b, %v3c, %v3d}, [%x0+12288];
  ld.global.v4.u32 {%v4a, %v4b, %v4c, %v4d}, [%x0+16384];
  ld.global.v4.u32 {%v5a, %v5b, %v5c, %v5d}, [%x0+20480];
  ld.global.v4.u32 {%v6a, %v6b, %v6c, %v6d}, [%x0+24576];
  ld.global.v4.u32 {%v7a, %v7b, %v7c, %v7d}, [%x0+28672];
  st.global.v4.u32 [%y0], {%v0a, %v0b, %v0c, %v0d};
  st.global.v4.u32 [%y0+4096], {%v1a, %v1b, %v1c, %v1d};
  st.global.v4.u32 [%y0+8192], {%v2a, %v2b, %v2c, %v2d};
  st.global.v4.u32 [%y0+12288], {%v3a, %v3b, %v3c, %v3d};
  st.global.v4.u32 [%y0+16384], {%v4a, %v4b, %v4c, %v4d};
  st.global.v4.u32 [%y0+20480], {%v5a, %v5b, %v5c, %v5d};
  st.global.v4.u32 [%y0+24576], {%v6a, %v6b, %v6c, %v6d};
  st.global.v4.u32 [%y0+28672], {%v7a, %v7b, %v7c, %v7d};
  add.u64 %at, %at, %step;
  bra TILE;
TILE_ONE:
  ld.global.v4.u32 {%v0a, %v0b, %v0c, %v0d}, [%x0];
  st.global.v4.u32 [%y0], {%v0a, %v0b, %v0c, %v0d};
  add.u64 %x0, %x0, 4096;
  add.u64 %y0, %y0, 4096;
  add.u64 %at, %at, 256;
  setp.lt.u64 %more, %at, %end;
  @%more bra TILE_ONE;
TILE_END:
  ret;
}

.visible .entry assay_triad(.param .u64 from, .param .u64 also, .param .u64 to, .param .u64 count)
{
  .reg .u64 %at, %end, %step, %stride, %last, %offset, %x, %x0, %x1, %x2, %x3, %z, %z0, %z1, %z2, %z3, %y, %y0, %y1, %y2, %y3;
  .reg .u32 %thread, %block, %threads, %blocks;
  .reg .pred %done;
  .reg .f32 %v0a, %v0b, %v0c, %v0d, %v1a, %v1b, %v1c, %v1d, %v2a, %v2b, %v2c, %v2d, %v3a, %v3b, %v3c, %v3d;
  .reg .f32 %w0a, %w0b, %w0c, %w0d, %w1a, %w1b, %w1c, %w1d, %w2a, %w2b, %w2c, %w2d, %w3a, %w3b, %w3c, %w3d;
  ld.param.u64 %x, [from];
  ld.param.u64 %z, [also];
  ld.param.u64 %y, [to];
  ld.param.u64 %end, [count];
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %blocks, %nctaid.x;
  mul.wide.u32 %at, %block, %threads;
  cvt.u64.u32 %offset, %thread;
  add.u64 %at, %at, %offset;
  mul.wide.u32 %step, %threads, %blocks;
  shl.b64 %stride, %step, 4;
TRIAD:
  setp.ge.u64 %done, %at, %end;
  @%done bra TRIAD_END;
  mul.lo.u64 %last, %step, 3;
  add.u64 %last, %last, %at;
  setp.ge.u64 %done, %last, %end;
  @%done bra TRIAD_ONE;
  shl.b64 %offset, %at, 4;
  add.u64 %x0, %x, %offset;
  add.u64 %z0, %z, %offset;
  add.u64 %y0, %y, %offset;
  add.u64 %x1, %x0, %stride;
  add.u64 %z1, %z0, %stride;
  add.u64 %y1, %y0, %stride;
  add.u64 %x2, %x1, %stride;
  add.u64 %z2, %z1, %stride;
  add.u64 %y2, %y1, %stride;
  add.u64 %x3, %x2, %stride;
  add.u64 %z3, %z2, %stride;
  add.u64 %y3, %y2, %stride;
  ld.global.v4.f32 {%v0a, %v0b, %v0c, %v0d}, [%x0];
  ld.global.v4.f32 {%v1a, %v1b, %v1c, %v1d}, [%x1];
  ld.global.v4.f32 {%v2a, %v2b, %v2c, %v2d}, [%x2];
  ld.global.v4.f32 {%v3a, %v3b, %v3c, %v3d}, [%x3];
  ld.global.v4.f32 {%w0a, %w0b, %w0c, %w0d}, [%z0];
  ld.global.v4.f32 {%w1a, %w1b, %w1c, %w1d}, [%z1];
  ld.global.v4.f32 {%w2a, %w2b, %w2c, %w2d}, [%z2];
  ld.global.v4.f32 {%w3a, %w3b, %w3c, %w3d}, [%z3];
  fma.rn.f32 %v0a, %w0a, 0f40400000, %v0a;
  fma.rn.f32 %v0b, %w0b, 0f40400000, %v0b;
  fma.rn.f32 %v0c, %w0c, 0f40400000, %v0c;
  fma.rn.f32 %v0d, %w0d, 0f40400000, %v0d;
  fma.rn.f32 %v1a, %w1a, 0f40400000, %v1a;
  fma.rn.f32 %v1b, %w1b, 0f40400000, %v1b;
  fma.rn.f32 %v1c, %w1c, 0f40400000, %v1c;
  fma.rn.f32 %v1d, %w1d, 0f40400000, %v1d;
  fma.rn.f32 %v2a, %w2a, 0f40400000, %v2a;
  fma.rn.f32 %v2b, %w2b, 0f40400000, %v2b;
  fma.rn.f32 %v2c, %w2c, 0f40400000, %v2c;
  fma.rn.f32 %v2d, %w2d, 0f40400000, %v2d;
  fma.rn.f32 %v3a, %w3a, 0f40400000, %v3a;
  fma.rn.f32 %v3b, %w3b, 0f40400000, %v3b;
  fma.rn.f32 %v3c, %w3c, 0f40400000, %v3c;
  fma.rn.f32 %v3d, %w3d, 0f40400000, %v3d;
  st.global.v4.f32 [%y0], {%v0a, %v0b, %v0c, %v0d};
  st.global.v4.f32 [%y1], {%v1a, %v1b, %v1c, %v1d};
  st.global.v4.f32 [%y2], {%v2a, %v2b, %v2c, %v2d};
  st.global.v4.f32 [%y3], {%v3a, %v3b, %v3c, %v3d};
  shl.b64 %offset, %step, 2;
  add.u64 %at, %at, %offset;
  bra TRIAD;
TRIAD_ONE:
  shl.b64 %offset, %at, 4;
  add.u64 %x0, %x, %offset;
  add.u64 %z0, %z, %offset;
  add.u64 %y0, %y, %offset;
  ld.global.v4.f32 {%v0a, %v0b, %v0c, %v0d}, [%x0];
  ld.global.v4.f32 {%w0a, %w0b, %w0c, %w0d}, [%z0];
  fma.rn.f32 %v0a, %w0a, 0f40400000, %v0a;
  fma.rn.f32 %v0b, %w0b, 0f40400000, %v0b;
  fma.rn.f32 %v0c, %w0c, 0f40400000, %v0c;
  fma.rn.f32 %v0d, %w0d, 0f40400000, %v0d;
  st.global.v4.f32 [%y0], {%v0a, %v0b, %v0c, %v0d};
  add.u64 %at, %at, %step;
  bra TRIAD;
TRIAD_END:
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

}  // namespace assay::device::cuda
