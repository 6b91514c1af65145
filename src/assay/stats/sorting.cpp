// SPDX-License-Identifier: MIT
#include "assay/stats/detail/sorting.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace assay::stats::detail {
namespace {

// Below the first, comparing is quicker than counting digits; from the second on, fewer and longer
// digits pay for their tables.
constexpr std::size_t kFewestByDigits = 256;
constexpr std::size_t kFewestByLongDigits = 1 << 14;

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

// Whole numbers in the order of the doubles: IEEE 754 orders those of one sign by their bits,
// negative ones downwards.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
double value_of(std::uint64_t key) {
  return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key);
}

// Lowest digit first, each time keeping the order of the ones before.
template <unsigned kDigitBits>
void sort_by_digits(std::span<double> values) {
  constexpr unsigned kDigits = (64 + kDigitBits - 1) / kDigitBits;
  constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;
  const auto digit = [](std::uint64_t key, unsigned place) {
    return static_cast<std::size_t>(key >> (place * kDigitBits) & (kDigitValues - 1));
  };
  std::vector<std::uint64_t> keys(values.size());
  std::vector<std::array<std::uint32_t, kDigitValues>> counts(kDigits);
  for (std::size_t i = 0; i < values.size(); ++i) {
    keys[i] = key_of(values[i]);
    for (unsigned place = 0; place < kDigits; ++place) ++counts[place][digit(keys[i], place)];
  }
  std::vector<std::uint64_t> next(values.size());
  for (unsigned place = 0; place < kDigits; ++place) {
    auto& begins = counts[place];
    if (begins[digit(keys.front(), place)] == values.size()) continue;  // all alike
    std::uint32_t before = 0;
    for (std::uint32_t& begin : begins) before += std::exchange(begin, before);
    for (const std::uint64_t key : keys) next[begins[digit(key, place)]++] = key;
    keys.swap(next);
  }
  std::transform(keys.begin(), keys.end(), values.begin(), value_of);
}

}  // namespace

void sort(std::span<double> values) {
  if (values.size() < kFewestByDigits || values.size() > UINT32_MAX) {
    std::sort(values.begin(), values.end());
  } else if (values.size() < kFewestByLongDigits) {
    sort_by_digits<8>(values);
  } else {
    sort_by_digits<11>(values);
  }
}

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  sort(copy);
  return copy;
}

}  // namespace assay::stats::detail
