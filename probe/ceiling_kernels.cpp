// SPDX-License-Identifier: MIT
//
// Highway compiles this file once for every instruction set that the processor might have
// (foreach_target.h includes it again and again) and picks one of them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceiling_kernels.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "assay/base/do_not_optimize.hpp"
#include "ceiling_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::probe {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 64 bytes, a cache line, so that the granule fits every width.
using Doubles = hn::CappedTag<double, 8>;
using Words = hn::CappedTag<std::uint64_t, 8>;

std::uint64_t read_lanes(const double* a, std::size_t n, std::int64_t repeats) {
  const Words d;
  const std::size_t lanes = hn::Lanes(d);
  const auto* from = reinterpret_cast<const std::uint64_t*>(a);
  auto s0 = hn::Zero(d);
  auto s1 = s0;
  auto s2 = s0;
  auto s3 = s0;
  for (; repeats > 0; --repeats) {
    for (std::size_t i = 0; i < n; i += 8 * lanes) {
      s0 = hn::Add(s0, hn::Load(d, from + i));
      s1 = hn::Add(s1, hn::Load(d, from + i + lanes));
      s2 = hn::Add(s2, hn::Load(d, from + i + 2 * lanes));
      s3 = hn::Add(s3, hn::Load(d, from + i + 3 * lanes));
      s0 = hn::Add(s0, hn::Load(d, from + i + 4 * lanes));
      s1 = hn::Add(s1, hn::Load(d, from + i + 5 * lanes));
      s2 = hn::Add(s2, hn::Load(d, from + i + 6 * lanes));
      s3 = hn::Add(s3, hn::Load(d, from + i + 7 * lanes));
    }
    clobber();
  }
  HWY_ALIGN std::uint64_t sums[8] = {};
  hn::Store(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), d, sums);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < lanes; ++i) total += sums[i];
  return total;
}

template <bool kPastCaches, class D, class V>
HWY_INLINE void put(V v, D d, double* to) {
  if constexpr (kPastCaches) {
    hn::Stream(v, d, to);
  } else {
    hn::Store(v, d, to);
  }
}

template <bool kPastCaches>
HWY_INLINE void write_loop(double* a, std::size_t n, double value, std::int64_t repeats) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto v = hn::Set(d, value);
  for (; repeats > 0; --repeats) {
    for (std::size_t i = 0; i < n; i += 4 * lanes) {
      put<kPastCaches>(v, d, a + i);
      put<kPastCaches>(v, d, a + i + lanes);
      put<kPastCaches>(v, d, a + i + 2 * lanes);
      put<kPastCaches>(v, d, a + i + 3 * lanes);
    }
    clobber();
  }
  if constexpr (kPastCaches) hwy::FlushStream();
}

template <bool kPastCaches>
HWY_INLINE void copy_loop(double* HWY_RESTRICT a, const double* HWY_RESTRICT b, std::size_t n,
                          std::int64_t repeats) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  for (; repeats > 0; --repeats) {
    for (std::size_t i = 0; i < n; i += 4 * lanes) {
      put<kPastCaches>(hn::Load(d, b + i), d, a + i);
      put<kPastCaches>(hn::Load(d, b + i + lanes), d, a + i + lanes);
      put<kPastCaches>(hn::Load(d, b + i + 2 * lanes), d, a + i + 2 * lanes);
      put<kPastCaches>(hn::Load(d, b + i + 3 * lanes), d, a + i + 3 * lanes);
    }
    clobber();
  }
  if constexpr (kPastCaches) hwy::FlushStream();
}

template <bool kPastCaches>
HWY_INLINE void triad_loop(double* HWY_RESTRICT a, const double* HWY_RESTRICT b,
                           const double* HWY_RESTRICT c, std::size_t n, double factor,
                           std::int64_t repeats) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto f = hn::Set(d, factor);
  for (; repeats > 0; --repeats) {
    for (std::size_t i = 0; i < n; i += 4 * lanes) {
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t at = i + k * lanes;
        put<kPastCaches>(hn::MulAdd(f, hn::Load(d, c + at), hn::Load(d, b + at)), d, a + at);
      }
    }
    clobber();
  }
  if constexpr (kPastCaches) hwy::FlushStream();
}

void write_lanes(double* a, std::size_t n, double value, Stores stores, std::int64_t repeats) {
  if (stores == Stores::regular) {
    write_loop<false>(a, n, value, repeats);
  } else {
    write_loop<true>(a, n, value, repeats);
  }
}

void copy_lanes(double* a, const double* b, std::size_t n, Stores stores, std::int64_t repeats) {
  if (stores == Stores::regular) {
    copy_loop<false>(a, b, n, repeats);
  } else {
    copy_loop<true>(a, b, n, repeats);
  }
}

void triad_lanes(double* a, const double* b, const double* c, std::size_t n, double factor,
                 Stores stores, std::int64_t repeats) {
  if (stores == Stores::regular) {
    triad_loop<false>(a, b, c, n, factor, repeats);
  } else {
    triad_loop<true>(a, b, c, n, factor, repeats);
  }
}

// A multiplication and addition takes four or five cycles, and two can start in each, on some Arm
// cores four: ten to sixteen chains at least. With the two constants no more than the registers
// that there are: sixteen of older x86, else 32.
#if HWY_ARCH_ARM_A64 || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3)
constexpr bool kHas32Registers = true;
#else
constexpr bool kHas32Registers = false;
#endif

template <typename T>
HWY_INLINE Chains multiply_add(std::int64_t steps, T factor, T term) {
  const hn::ScalableTag<T> d;
  const auto f = hn::Set(d, factor);
  const auto t = hn::Set(d, term);
  const auto start = [&](int chain) { return hn::Set(d, static_cast<T>(chain)); };
  auto x0 = start(0), x1 = start(1), x2 = start(2), x3 = start(3), x4 = start(4), x5 = start(5);
  auto x6 = start(6), x7 = start(7), x8 = start(8), x9 = start(9), x10 = start(10), x11 = start(11);
  [[maybe_unused]] auto y0 = start(12), y1 = start(13), y2 = start(14), y3 = start(15);
  [[maybe_unused]] auto y4 = start(16), y5 = start(17), y6 = start(18), y7 = start(19);
  [[maybe_unused]] auto y8 = start(20), y9 = start(21), y10 = start(22), y11 = start(23);
  for (; steps > 0; --steps) {
    x0 = hn::MulAdd(x0, f, t);
    x1 = hn::MulAdd(x1, f, t);
    x2 = hn::MulAdd(x2, f, t);
    x3 = hn::MulAdd(x3, f, t);
    x4 = hn::MulAdd(x4, f, t);
    x5 = hn::MulAdd(x5, f, t);
    x6 = hn::MulAdd(x6, f, t);
    x7 = hn::MulAdd(x7, f, t);
    x8 = hn::MulAdd(x8, f, t);
    x9 = hn::MulAdd(x9, f, t);
    x10 = hn::MulAdd(x10, f, t);
    x11 = hn::MulAdd(x11, f, t);
    if constexpr (kHas32Registers) {
      y0 = hn::MulAdd(y0, f, t);
      y1 = hn::MulAdd(y1, f, t);
      y2 = hn::MulAdd(y2, f, t);
      y3 = hn::MulAdd(y3, f, t);
      y4 = hn::MulAdd(y4, f, t);
      y5 = hn::MulAdd(y5, f, t);
      y6 = hn::MulAdd(y6, f, t);
      y7 = hn::MulAdd(y7, f, t);
      y8 = hn::MulAdd(y8, f, t);
      y9 = hn::MulAdd(y9, f, t);
      y10 = hn::MulAdd(y10, f, t);
      y11 = hn::MulAdd(y11, f, t);
    }
  }
  constexpr std::int64_t kChains = kHas32Registers ? 24 : 12;
  constexpr std::size_t kMostLanes = 256 / sizeof(T) + 1;  // of the widest vectors there are
  T lanes[kMostLanes];
  Chains chains;
  const std::size_t count = hn::Lanes(d);
  const auto add = [&](auto x, int chain) {
    hn::StoreU(x, d, lanes);
    for (std::size_t i = 0; i < count; ++i) chains.growth += static_cast<double>(lanes[i]) - chain;
  };
  add(x0, 0), add(x1, 1), add(x2, 2), add(x3, 3), add(x4, 4), add(x5, 5);
  add(x6, 6), add(x7, 7), add(x8, 8), add(x9, 9), add(x10, 10), add(x11, 11);
  if constexpr (kHas32Registers) {
    add(y0, 12), add(y1, 13), add(y2, 14), add(y3, 15), add(y4, 16), add(y5, 17);
    add(y6, 18), add(y7, 19), add(y8, 20), add(y9, 21), add(y10, 22), add(y11, 23);
  }
  chains.lanes = kChains * static_cast<std::int64_t>(count);
  return chains;
}

Chains multiply_add_floats(std::int64_t steps, float factor, float term) {
  return multiply_add(steps, factor, term);
}
Chains multiply_add_doubles(std::int64_t steps, double factor, double term) {
  return multiply_add(steps, factor, term);
}

const char* name_of_target() { return hwy::TargetName(HWY_TARGET); }
std::int64_t bits_of_target() {
  return 8 * static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<std::uint8_t>()));
}

}  // namespace HWY_NAMESPACE
}  // namespace assay::probe
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay::probe {

HWY_EXPORT(read_lanes);
HWY_EXPORT(write_lanes);
HWY_EXPORT(copy_lanes);
HWY_EXPORT(triad_lanes);
HWY_EXPORT(multiply_add_floats);
HWY_EXPORT(multiply_add_doubles);
HWY_EXPORT(name_of_target);
HWY_EXPORT(bits_of_target);

std::uint64_t read_words(const double* a, std::size_t n, std::int64_t repeats) {
  return HWY_DYNAMIC_DISPATCH(read_lanes)(a, n, repeats);
}
void write_words(double* a, std::size_t n, double value, Stores stores, std::int64_t repeats) {
  HWY_DYNAMIC_DISPATCH(write_lanes)(a, n, value, stores, repeats);
}
void copy_words(double* a, const double* b, std::size_t n, Stores stores, std::int64_t repeats) {
  HWY_DYNAMIC_DISPATCH(copy_lanes)(a, b, n, stores, repeats);
}
void triad_words(double* a, const double* b, const double* c, std::size_t n, double factor,
                 Stores stores, std::int64_t repeats) {
  HWY_DYNAMIC_DISPATCH(triad_lanes)(a, b, c, n, factor, stores, repeats);
}
Chains multiply_add_f32(std::int64_t steps, float factor, float term) {
  return HWY_DYNAMIC_DISPATCH(multiply_add_floats)(steps, factor, term);
}
Chains multiply_add_f64(std::int64_t steps, double factor, double term) {
  return HWY_DYNAMIC_DISPATCH(multiply_add_doubles)(steps, factor, term);
}
const char* ceiling_instructions() { return HWY_DYNAMIC_DISPATCH(name_of_target)(); }
std::int64_t ceiling_vector_bits() { return HWY_DYNAMIC_DISPATCH(bits_of_target)(); }

}  // namespace assay::probe
#endif
