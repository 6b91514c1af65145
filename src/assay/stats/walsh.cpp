// SPDX-License-Identifier: MIT
#include "assay/stats/detail/walsh.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "assay/base/error.hpp"

namespace assay::stats::detail {
namespace {

// Doubles as integers in the same order, and back.
std::uint64_t place_of(double value) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

double value_at(std::uint64_t place) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return std::bit_cast<double>((place & sign) != 0 ? place ^ sign : ~place);
}

std::size_t averages_upto(std::span<const double> sorted, double bound) {
  std::size_t count = 0;
  std::size_t end = sorted.size();  // of the row: no later row has more
  for (std::size_t row = 0; row < end; ++row) {
    while (end > row && sorted[row] / 2 + sorted[end - 1] / 2 > bound) --end;
    count += end > row ? end - row : 0;
  }
  return count;
}

}  // namespace

std::size_t walsh_count(std::size_t values) { return values * (values + 1) / 2; }

double walsh_average(std::span<const double> sorted, std::size_t k) {
  static_assert(std::numeric_limits<double>::is_iec559);
  ASSAY_EXPECTS(k < walsh_count(sorted.size()));
  // The least number that more than k averages do not exceed. Adding 0 makes a zero positive.
  std::uint64_t low = place_of(sorted.front() / 2 + sorted.front() / 2);
  std::uint64_t high = place_of(sorted.back() / 2 + sorted.back() / 2 + 0.0);
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (averages_upto(sorted, value_at(middle)) > k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return value_at(low) + 0.0;
}

}  // namespace assay::stats::detail
