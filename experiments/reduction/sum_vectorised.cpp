// SPDX-License-Identifier: MIT
//
// Highway compiles this file once for every instruction set that the processor might have
// (foreach_target.h includes it again and again) and picks one of them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sum_vectorised.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include "sum.hpp"

HWY_BEFORE_NAMESPACE();
namespace reduction {
namespace HWY_NAMESPACE {

float sum_lanes(const float* HWY_RESTRICT x, std::int64_t n) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));

  // An addition takes about four cycles and two can start in each: eight independent chains keep
  // both adders busy.
  auto a0 = hn::Zero(d);
  auto a1 = a0;
  auto a2 = a0;
  auto a3 = a0;
  auto a4 = a0;
  auto a5 = a0;
  auto a6 = a0;
  auto a7 = a0;
  std::int64_t i = 0;
  for (; i + 8 * lanes <= n; i += 8 * lanes) {
    a0 = hn::Add(a0, hn::LoadU(d, x + i));
    a1 = hn::Add(a1, hn::LoadU(d, x + i + lanes));
    a2 = hn::Add(a2, hn::LoadU(d, x + i + 2 * lanes));
    a3 = hn::Add(a3, hn::LoadU(d, x + i + 3 * lanes));
    a4 = hn::Add(a4, hn::LoadU(d, x + i + 4 * lanes));
    a5 = hn::Add(a5, hn::LoadU(d, x + i + 5 * lanes));
    a6 = hn::Add(a6, hn::LoadU(d, x + i + 6 * lanes));
    a7 = hn::Add(a7, hn::LoadU(d, x + i + 7 * lanes));
  }
  a0 =
      hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(hn::Add(a4, a5), hn::Add(a6, a7)));
  for (; i + lanes <= n; i += lanes) a0 = hn::Add(a0, hn::LoadU(d, x + i));
  float total = hn::GetLane(hn::SumOfLanes(d, a0));
  for (; i < n; ++i) total += x[i];
  return total;
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reduction {

HWY_EXPORT(sum_lanes);
HWY_EXPORT(target_name);

float sum_vectorised(const float* x, std::int64_t n) {
  return HWY_DYNAMIC_DISPATCH(sum_lanes)(x, n);
}

std::string vector_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace reduction
#endif
