// SPDX-License-Identifier: MIT
//
// Compiled by Highway once for every instruction set that the processor might have, and picked from
// at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "norm.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <cmath>

#include "norm.hpp"

HWY_BEFORE_NAMESPACE();
namespace add_rmsnorm {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using assay::bf16;

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const float* p) {
  return hn::LoadU(d, p);
}

// The upper half of a float is a bfloat16.
template <class D>
HWY_INLINE hn::Vec<D> load(D d, const bf16* p) {
  const hn::Rebind<std::uint16_t, D> d16;
  const hn::Rebind<std::uint32_t, D> d32;
  const auto bits = hn::LoadU(d16, reinterpret_cast<const std::uint16_t*>(p));
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, bits)));
}

template <class D>
HWY_INLINE void store(D d, hn::Vec<D> value, float* p) {
  hn::StoreU(value, d, p);
}

// To nearest, ties to even: adding 0x7fff, and one more where the last kept bit is 1, carries into
// the kept bits exactly when rounding up is due. A NaN would be carried into infinity: it is made
// quiet instead.
template <class D>
HWY_INLINE void store(D /*d*/, hn::Vec<D> value, bf16* p) {
  const hn::Rebind<std::uint16_t, D> d16;
  const hn::Rebind<std::int32_t, D> ds32;
  const hn::Rebind<std::uint32_t, D> d32;
  const auto bits = hn::BitCast(d32, value);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1U));
  const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7fffU)));
  const auto quiet = hn::Or(bits, hn::Set(d32, 0x400000U));
  const auto is_number = hn::RebindMask(d32, hn::Eq(value, value));
  const auto upper = hn::ShiftRight<16>(hn::IfThenElse(is_number, rounded, quiet));
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(ds32, upper)), d16, reinterpret_cast<std::uint16_t*>(p));
}

using Wide = hn::ScalableTag<float>;
using Single = hn::CappedTag<float, 1>;  // what is left over at the end of a row

template <typename T>
HWY_INLINE void add_any(const T* HWY_RESTRICT x, const T* HWY_RESTRICT r, T* HWY_RESTRICT sum,
                        std::int64_t n) {
  const Wide d;
  const Single d1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) store(d, hn::Add(load(d, x + i), load(d, r + i)), sum + i);
  for (; i < n; ++i) store(d1, hn::Add(load(d1, x + i), load(d1, r + i)), sum + i);
}

HWY_INLINE float scale_of(float sum_of_squares, std::int64_t cols) {
  return 1.0F / std::sqrt(sum_of_squares / static_cast<float>(cols) + epsilon);
}

// y = h · scale · w for one row.
template <typename H, typename T>
HWY_INLINE void scale_row(const H* HWY_RESTRICT h, const T* HWY_RESTRICT w, T* HWY_RESTRICT y,
                          float scale, std::int64_t cols) {
  const Wide d;
  const Single d1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  const auto factor1 = hn::Set(d1, scale);
  std::int64_t i = 0;
  for (; i + lanes <= cols; i += lanes)
    store(d, hn::Mul(hn::Mul(load(d, h + i), factor), load(d, w + i)), y + i);
  for (; i < cols; ++i)
    store(d1, hn::Mul(hn::Mul(load(d1, h + i), factor1), load(d1, w + i)), y + i);
}

template <typename T>
HWY_INLINE void rms_norm_any(const T* HWY_RESTRICT h, const T* HWY_RESTRICT w, T* HWY_RESTRICT y,
                             std::int64_t rows, std::int64_t cols) {
  const Wide d;
  const Single d1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < rows; ++row, h += cols, y += cols) {
    // Four chains, so that an addition need not wait for the one before it.
    auto s0 = hn::Zero(d);
    auto s1 = s0;
    auto s2 = s0;
    auto s3 = s0;
    std::int64_t i = 0;
    for (; i + 4 * lanes <= cols; i += 4 * lanes) {
      const auto h0 = load(d, h + i);
      const auto h1 = load(d, h + i + lanes);
      const auto h2 = load(d, h + i + 2 * lanes);
      const auto h3 = load(d, h + i + 3 * lanes);
      s0 = hn::MulAdd(h0, h0, s0);
      s1 = hn::MulAdd(h1, h1, s1);
      s2 = hn::MulAdd(h2, h2, s2);
      s3 = hn::MulAdd(h3, h3, s3);
    }
    for (; i + lanes <= cols; i += lanes) {
      const auto h0 = load(d, h + i);
      s0 = hn::MulAdd(h0, h0, s0);
    }
    s0 = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    float squares = hn::GetLane(hn::SumOfLanes(d, s0));
    for (; i < cols; ++i) {
      const float h0 = hn::GetLane(load(d1, h + i));
      squares += h0 * h0;
    }
    scale_row(h, w, y, scale_of(squares, cols), cols);
  }
}

template <class D, typename T>
HWY_INLINE hn::Vec<D> add_and_keep(D d, const T* x, const T* r, float* kept) {
  const auto sum = hn::Add(load(d, x), load(d, r));
  hn::StoreU(sum, d, kept);
  return sum;
}

template <typename T>
HWY_INLINE void add_rms_norm_any(const T* HWY_RESTRICT x, const T* HWY_RESTRICT r,
                                 const T* HWY_RESTRICT w, T* HWY_RESTRICT y,
                                 float* HWY_RESTRICT kept, std::int64_t rows, std::int64_t cols) {
  const Wide d;
  const Single d1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = 0; row < rows; ++row, x += cols, r += cols, y += cols) {
    auto s0 = hn::Zero(d);
    auto s1 = s0;
    auto s2 = s0;
    auto s3 = s0;
    std::int64_t i = 0;
    for (; i + 4 * lanes <= cols; i += 4 * lanes) {
      const auto h0 = add_and_keep(d, x + i, r + i, kept + i);
      const auto h1 = add_and_keep(d, x + i + lanes, r + i + lanes, kept + i + lanes);
      const auto h2 = add_and_keep(d, x + i + 2 * lanes, r + i + 2 * lanes, kept + i + 2 * lanes);
      const auto h3 = add_and_keep(d, x + i + 3 * lanes, r + i + 3 * lanes, kept + i + 3 * lanes);
      s0 = hn::MulAdd(h0, h0, s0);
      s1 = hn::MulAdd(h1, h1, s1);
      s2 = hn::MulAdd(h2, h2, s2);
      s3 = hn::MulAdd(h3, h3, s3);
    }
    for (; i + lanes <= cols; i += lanes) {
      const auto h0 = add_and_keep(d, x + i, r + i, kept + i);
      s0 = hn::MulAdd(h0, h0, s0);
    }
    s0 = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    float squares = hn::GetLane(hn::SumOfLanes(d, s0));
    for (; i < cols; ++i) {
      const float h0 = hn::GetLane(add_and_keep(d1, x + i, r + i, kept + i));
      squares += h0 * h0;
    }
    scale_row(kept, w, y, scale_of(squares, cols), cols);
  }
}

void add_f32(const float* x, const float* r, float* sum, std::int64_t n) { add_any(x, r, sum, n); }
void add_bf16(const bf16* x, const bf16* r, bf16* sum, std::int64_t n) { add_any(x, r, sum, n); }
void norm_f32(const float* h, const float* w, float* y, std::int64_t rows, std::int64_t cols) {
  rms_norm_any(h, w, y, rows, cols);
}
void norm_bf16(const bf16* h, const bf16* w, bf16* y, std::int64_t rows, std::int64_t cols) {
  rms_norm_any(h, w, y, rows, cols);
}
void fused_f32(const float* x, const float* r, const float* w, float* y, float* kept,
               std::int64_t rows, std::int64_t cols) {
  add_rms_norm_any(x, r, w, y, kept, rows, cols);
}
void fused_bf16(const bf16* x, const bf16* r, const bf16* w, bf16* y, float* kept,
                std::int64_t rows, std::int64_t cols) {
  add_rms_norm_any(x, r, w, y, kept, rows, cols);
}
const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace add_rmsnorm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace add_rmsnorm {

HWY_EXPORT(add_f32);
HWY_EXPORT(add_bf16);
HWY_EXPORT(norm_f32);
HWY_EXPORT(norm_bf16);
HWY_EXPORT(fused_f32);
HWY_EXPORT(fused_bf16);
HWY_EXPORT(target_name);

void add(const float* x, const float* r, float* sum, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(add_f32)(x, r, sum, n);
}
void add(const assay::bf16* x, const assay::bf16* r, assay::bf16* sum, std::int64_t n) {
  HWY_DYNAMIC_DISPATCH(add_bf16)(x, r, sum, n);
}
void rms_norm(const float* h, const float* w, float* y, std::int64_t rows, std::int64_t cols) {
  HWY_DYNAMIC_DISPATCH(norm_f32)(h, w, y, rows, cols);
}
void rms_norm(const assay::bf16* h, const assay::bf16* w, assay::bf16* y, std::int64_t rows,
              std::int64_t cols) {
  HWY_DYNAMIC_DISPATCH(norm_bf16)(h, w, y, rows, cols);
}
void add_rms_norm(const float* x, const float* r, const float* w, float* y, float* row_buffer,
                  std::int64_t rows, std::int64_t cols) {
  HWY_DYNAMIC_DISPATCH(fused_f32)(x, r, w, y, row_buffer, rows, cols);
}
void add_rms_norm(const assay::bf16* x, const assay::bf16* r, const assay::bf16* w, assay::bf16* y,
                  float* row_buffer, std::int64_t rows, std::int64_t cols) {
  HWY_DYNAMIC_DISPATCH(fused_bf16)(x, r, w, y, row_buffer, rows, cols);
}
std::string vector_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace add_rmsnorm
#endif
