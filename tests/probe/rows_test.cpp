// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ceiling_kernels.hpp"
#include "ceiling_rows.hpp"

namespace assay::probe {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;

// Four cores with caches of their own, two to a last-level cache.
Topology some_topology() {
  Topology topology;
  topology.cores = {0, 2, 1, 3};
  topology.cores_allowed = 4;
  topology.caches = std::vector<Cache>{
      {"L1", 32 * kib, {0, 2, 1, 3}}, {"L2", mib, {0, 2, 1, 3}}, {"L3", 32 * mib, {0, 1, 0, 1}}};
  topology.memory_bytes = 64 * 1024 * mib;
  topology.memory_free_bytes = 60 * 1024 * mib;
  return topology;
}

const BandwidthCeiling& row_of(const std::vector<BandwidthCeiling>& rows, const std::string& level,
                               const std::string& kernel, const std::string& stores) {
  for (const BandwidthCeiling& row : rows) {
    if (row.level == level && row.kernel == kernel && row.stores == stores) return row;
  }
  throw std::runtime_error("no such row");
}

TEST(CeilingRows, ThreadCountsAreAllUpToFourThenPowersOfTwoAndAll) {
  EXPECT_THAT(thread_counts(1), ElementsAre(1));
  EXPECT_THAT(thread_counts(2), ElementsAre(1, 2));
  EXPECT_THAT(thread_counts(4), ElementsAre(1, 4, 2, 3));
  EXPECT_THAT(thread_counts(24), ElementsAre(1, 24, 2, 3, 4, 8, 16));
}

TEST(CeilingRows, CoresAreTakenFromOneCacheAfterTheOther) {
  EXPECT_THAT(in_turns({0, 0, 0, 1, 1}), ElementsAre(0, 3, 1, 4, 2));
  EXPECT_THAT(in_turns({5, 5}), ElementsAre(0, 1));
  const Cache cache{"L3", mib, {0, 1, 0, 1}};
  EXPECT_EQ(cache.count_for(1), 1);
  EXPECT_EQ(cache.count_for(2), 2);
  EXPECT_EQ(cache.count_for(9), 2);
}

TEST(CeilingRows, ArraysInTheMemoryAreFourTimesTheLastLevelCachesThatTheThreadsHave) {
  const auto one = rows_of(some_topology(), 1);
  for (const char* kernel : {"write", "copy", "triad"}) {
    for (const char* stores : {"regular", "non-temporal"}) {
      EXPECT_GE(row_of(one, "memory", kernel, stores).array_bytes, 4 * 32 * mib);
    }
  }
  const auto all = rows_of(some_topology(), 4);
  const BandwidthCeiling& read = row_of(all, "memory", "read", "none");
  EXPECT_GE(read.array_bytes, 4 * 2 * 32 * mib);
  EXPECT_LT(read.array_bytes, 4 * 2 * 32 * mib + mib);
  EXPECT_EQ(elements_of(read) % kGranule, 0U);
}

TEST(CeilingRows, ACachesArraysFitItAndNotTheNearerOnes) {
  const Topology topology = some_topology();
  for (const std::int64_t threads : {1, 2, 3, 4}) {
    for (const BandwidthCeiling& row : rows_of(topology, threads)) {
      EXPECT_EQ(elements_of(row) % kGranule, 0U) << row.level;
      EXPECT_GT(elements_of(row), 0U);
      EXPECT_EQ(row.bytes_per_s.missing().reason, "not-measured");
      if (row.level == "memory") continue;
      std::int64_t nearer = 0;
      for (const Cache& cache : *topology.caches) {
        const std::int64_t all = cache.bytes * cache.count_for(threads);
        if (cache.name == row.level) {
          EXPECT_LE(bytes_of(row), static_cast<double>(all)) << row.level << row.kernel;
          EXPECT_GE(bytes_of(row), 2.0 * static_cast<double>(nearer)) << row.level << row.kernel;
        }
        nearer += all;
      }
    }
  }
}

TEST(CeilingRows, WithoutCachesTheMemoryAloneIsMeasured) {
  Topology topology = some_topology();
  topology.caches = Missing{"not-known", "nobody says"};
  const auto rows = rows_of(topology, 1);
  EXPECT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[0].level, "memory");
  EXPECT_GE(rows[0].array_bytes, 512 * mib);
  EXPECT_EQ(levels_of(topology).size(), 1U);
  EXPECT_EQ(levels_of(some_topology())[2].count, 2);
}

TEST(CeilingRows, WithoutRoomTheMemoryIsMissingAndTheCachesAreNot) {
  Topology topology = some_topology();
  topology.memory_free_bytes = 500 * mib;
  const auto rows = rows_of(topology, 1);
  EXPECT_EQ(row_of(rows, "memory", "read", "none").bytes_per_s.missing().reason, "no-room");
  EXPECT_EQ(row_of(rows, "L1", "read", "none").bytes_per_s.missing().reason, "not-measured");
}

TEST(CeilingRows, BytesAreThoseThatTheKernelNames) {
  const BandwidthCeiling triad{"L1", "triad", "regular", 1, 1000, Missing{"", ""}};
  EXPECT_DOUBLE_EQ(bytes_of(triad), 3000);
  const BandwidthCeiling copy{"L1", "copy", "regular", 1, 1000, Missing{"", ""}};
  EXPECT_DOUBLE_EQ(bytes_of(copy), 2000);
}

}  // namespace
}  // namespace assay::probe
