// SPDX-License-Identifier: MIT
#include "assay/base/random.hpp"

#include <numeric>

#include "assay/base/error.hpp"

namespace assay {

std::uint64_t Random::next_below(std::uint64_t bound) {
  ASSAY_EXPECTS(bound >= 1);
  // Numbers below 2^64 mod bound would be drawn once too often.
  const std::uint64_t rejected_below = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t drawn = next();
    if (drawn >= rejected_below) return drawn % bound;
  }
}

std::vector<std::size_t> Random::permutation(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[next_below(left)]);
  }
  return order;
}

std::uint64_t derive_key(std::uint64_t seed, std::initializer_list<std::string_view> names) {
  // FNV-1a over the names with a separator, mixed with the seed by Philox, which scatters
  // neighbouring values.
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto absorb = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001B3U; };
  for (const auto name : names) {
    for (const char c : name) absorb(static_cast<unsigned char>(c));
    absorb(0);
  }
  return Random(seed).at(0) ^ Random(hash).at(1) ^ Random(seed ^ hash).at(2);
}

}  // namespace assay
