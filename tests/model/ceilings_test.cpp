// SPDX-License-Identifier: MIT
#include "assay/model/ceilings.hpp"

#include <gtest/gtest.h>

namespace assay::model {
namespace {

constexpr std::int64_t mib = 1 << 20;

Ceilings some_ceilings() {
  Ceilings ceilings;
  ceilings.read_bytes_per_s = 4.0e12;
  ceilings.write_bytes_per_s = 3.0e12;
  ceilings.copy_bytes_per_s = 3.5e12;
  ceilings.triad_bytes_per_s = 3.6e12;
  ceilings.last_level_cache_bytes = 50 * mib;
  return ceilings;
}

TEST(Ceilings, ShareIsOfTheCeilingOfTheMix) {
  const Ceilings ceilings = some_ceilings();
  const double bytes = 4e9;
  // 4 GB in 2 ms are 2 TB/s.
  EXPECT_DOUBLE_EQ(*share_of_ceiling({bytes, 0, 4'000'000'000, false}, 2e6, ceilings), 0.5);
  EXPECT_DOUBLE_EQ(*share_of_ceiling({0, bytes, 4'000'000'000, false}, 2e6, ceilings), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*share_of_ceiling({bytes / 2, bytes / 2, 4'000'000'000, false}, 2e6, ceilings),
                   2.0 / 3.5);
}

TEST(Ceilings, NothingIsSaidOfWhatACacheMayHold) {
  const Ceilings ceilings = some_ceilings();
  const MemoryCall warm{1e8, 4, 199 * mib, false};
  EXPECT_EQ(share_of_ceiling(warm, 1e3, ceilings).missing().reason, "in-cache");
  EXPECT_EQ(is_impossible(warm, 1, ceilings).missing().reason, "in-cache");
  EXPECT_TRUE(share_of_ceiling({1e8, 4, 200 * mib, false}, 1e5, ceilings).has_value());
  // Cold, it must be read; what is written may stay in the cache.
  EXPECT_TRUE(share_of_ceiling({1e8, 4, mib, true}, 1e5, ceilings).has_value());
  EXPECT_EQ(share_of_ceiling({5e7, 5e7, mib, true}, 1e5, ceilings).missing().reason, "in-cache");
}

TEST(Ceilings, ImpossibleIsMoreThanFivePercentAboveTheBest) {
  const Ceilings ceilings = some_ceilings();
  const MemoryCall copy{2e9, 2e9, 4'000'000'000, false};
  // What two caches of 50 MiB cannot have held, at 4.2 TB/s.
  const double moved = 4e9 - 2 * 50 * mib;
  EXPECT_FALSE(*is_impossible(copy, moved / 4.199e12 * 1e9, ceilings));
  EXPECT_TRUE(*is_impossible(copy, moved / 4.201e12 * 1e9, ceilings));
  // A cold reader found nothing in a cache.
  const MemoryCall reader{4e9, 4, 4'000'000'000, true};
  EXPECT_FALSE(*is_impossible(reader, 4e9 / 4.199e12 * 1e9, ceilings));
  EXPECT_TRUE(*is_impossible(reader, 4e9 / 4.201e12 * 1e9, ceilings));
  // Bytes that a model counts twice need not have moved twice.
  const MemoryCall twice{8e9, 4, 4'000'000'000, true};
  EXPECT_FALSE(*is_impossible(twice, 4e9 / 4.199e12 * 1e9, ceilings));
}

TEST(Ceilings, UnknownStaysUnknown) {
  const MemoryCall call{4e9, 0, 4'000'000'000, true};
  Ceilings none;
  EXPECT_EQ(share_of_ceiling(call, 1e6, none).missing().reason, "not-measured");
  EXPECT_EQ(is_impossible(call, 1e6, none).missing().reason, "not-measured");
  none.read_bytes_per_s = 4e12;
  EXPECT_TRUE(share_of_ceiling(call, 1e6, none).has_value());
  EXPECT_EQ(share_of_ceiling({4e9, 4e9, 8'000'000'000, true}, 1e6, none).missing().reason,
            "cache-unknown");
  EXPECT_EQ(share_of_ceiling({0, 0, 8'000'000'000, true}, 1e6, none).missing().reason, "no-bytes");
}

}  // namespace
}  // namespace assay::model
