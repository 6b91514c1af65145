// SPDX-License-Identifier: MIT
#include "assay/model/ceilings.hpp"

#include <gtest/gtest.h>

namespace assay::model {
namespace {

constexpr std::int64_t mib = 1 << 20;

Level some_memory() {
  Level memory;
  memory.name = "memory";
  memory.read_bytes_per_s = 4.0e12;
  memory.write_bytes_per_s = 3.0e12;
  memory.copy_bytes_per_s = 3.5e12;
  memory.triad_bytes_per_s = 3.6e12;
  return memory;
}

// As of a device that measured its memory alone.
Ceilings ceilings_of_memory(Level memory, const Reading<std::int64_t>& last_level_cache_bytes) {
  Ceilings ceilings;
  Level cache;
  cache.name = "last-level cache";
  cache.capacity_bytes = last_level_cache_bytes;
  ceilings.levels = {std::move(cache), std::move(memory)};
  return ceilings;
}

Ceilings some_ceilings() { return ceilings_of_memory(some_memory(), std::int64_t{50 * mib}); }

bool is_impossible(const MemoryCall& call, double call_ns, const Ceilings& ceilings) {
  const Reading<LeastTime> least = least_time(call, ceilings);
  return least && call_ns < least->ns;
}

// 32 KiB and 1 MiB a core, 32 MiB for both; rates by level, one and two threads.
MachineCeilings some_machine() {
  MachineCeilings machine;
  machine.cores = {0, 1};
  machine.levels = {{"L1", std::int64_t{32 * 1024}, 2},
                    {"L2", std::int64_t{1 * mib}, 2},
                    {"L3", std::int64_t{32 * mib}, 1},
                    {"memory", std::int64_t{1} << 34, 1}};
  const auto add = [&](const char* level, const char* kernel, const char* stores, double gb_per_s) {
    for (const std::int64_t threads : {1, 2}) {
      const double rate = gb_per_s * 1e9 * static_cast<double>(threads);
      machine.bandwidths.push_back({level, kernel, stores, threads, 1024, Passes{rate, rate, 10}});
    }
  };
  add("L1", "read", "none", 200);
  add("L1", "write", "regular", 100);
  add("L1", "copy", "regular", 250);
  add("L2", "read", "none", 100);
  add("L2", "copy", "regular", 110);
  add("L3", "read", "none", 80);
  add("memory", "read", "none", 20);
  add("memory", "copy", "regular", 15);
  add("memory", "copy", "non-temporal", 18);
  machine.compute = {{"f32", 1, Passes{100e9, 99e9, 10}},
                     {"f64", 1, Passes{50e9, 49e9, 10}},
                     {"f32", 2, Passes{200e9, 199e9, 10}},
                     {"f64", 2, Missing{"no-time", "spent"}}};
  machine.calls = {{"empty-iteration", Passes{0.5, 0.6, 10}}, {"erased-call", Passes{2, 2, 10}}};
  return machine;
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
  EXPECT_EQ(least_time(warm, ceilings).missing().reason, "in-cache");
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
  EXPECT_FALSE(is_impossible(copy, moved / 4.199e12 * 1e9, ceilings));
  EXPECT_TRUE(is_impossible(copy, moved / 4.201e12 * 1e9, ceilings));
  // A cold reader found nothing in a cache.
  const MemoryCall reader{4e9, 4, 4'000'000'000, true};
  EXPECT_FALSE(is_impossible(reader, 4e9 / 4.199e12 * 1e9, ceilings));
  EXPECT_TRUE(is_impossible(reader, 4e9 / 4.201e12 * 1e9, ceilings));
  // Bytes that a model counts twice need not have moved twice.
  const MemoryCall twice{8e9, 4, 4'000'000'000, true};
  EXPECT_FALSE(is_impossible(twice, 4e9 / 4.199e12 * 1e9, ceilings));
}

TEST(Ceilings, UnknownStaysUnknown) {
  const MemoryCall call{4e9, 0, 4'000'000'000, true};
  EXPECT_EQ(share_of_ceiling(call, 1e6, {}).missing().reason, "not-measured");
  EXPECT_EQ(least_time(call, {}).missing().reason, "not-measured");
  Level memory;
  EXPECT_EQ(least_time(call, ceilings_of_memory(memory, Missing{"unknown", ""})).missing().reason,
            "not-measured");
  memory.read_bytes_per_s = 4e12;
  const Ceilings no_cache = ceilings_of_memory(memory, Missing{"unknown", ""});
  EXPECT_TRUE(share_of_ceiling(call, 1e6, no_cache).has_value());
  EXPECT_TRUE(least_time(call, no_cache).has_value());
  const MemoryCall copy{4e9, 4e9, 8'000'000'000, true};
  EXPECT_EQ(share_of_ceiling(copy, 1e6, no_cache).missing().reason, "cache-unknown");
  EXPECT_EQ(least_time(copy, no_cache).missing().reason, "cache-unknown");
  const MemoryCall nothing{0, 0, 8'000'000'000, true};
  EXPECT_EQ(share_of_ceiling(nothing, 1e6, no_cache).missing().reason, "no-bytes");
  EXPECT_EQ(least_time(nothing, no_cache).missing().reason, "no-bytes");
}

TEST(Ceilings, AreThoseOfTheSubjectsThreads) {
  const MachineCeilings machine = some_machine();
  const Ceilings one = ceilings_for(machine, 1);
  EXPECT_EQ(one.threads, 1);
  EXPECT_DOUBLE_EQ(*one.levels[0].read_bytes_per_s, 200e9);
  EXPECT_EQ(*one.levels[0].capacity_bytes, 32 * 1024);
  // Of two kinds of stores the better.
  EXPECT_DOUBLE_EQ(*one.levels[3].copy_bytes_per_s, 18e9);
  EXPECT_EQ(one.levels[1].write_bytes_per_s.missing().reason, "not-measured");
  EXPECT_DOUBLE_EQ(*one.call_ns, 0.5);
  EXPECT_EQ(*one.peaks.at("f64").flop_per_s, 50e9);
  EXPECT_FALSE(one.are_of_device);
  for (const std::int64_t threads : {-1, 2, 7}) {
    const Ceilings two = ceilings_for(machine, threads);
    EXPECT_EQ(two.threads, 2) << threads;
    EXPECT_DOUBLE_EQ(*two.levels[0].read_bytes_per_s, 400e9);
    EXPECT_EQ(*two.levels[0].capacity_bytes, 2 * 32 * 1024);
    EXPECT_EQ(*two.levels[2].capacity_bytes, 32 * mib);
    EXPECT_EQ(*two.peaks.at("f32").flop_per_s, 200e9);
    EXPECT_EQ(two.peaks.at("f64").flop_per_s.missing().reason, "no-time");
  }
}

TEST(Ceilings, OfADeviceAreOfAllOfIt) {
  MachineCeilings device;
  device.levels = {{"L2", std::int64_t{50 * mib}, 1}, {"memory", std::int64_t{1} << 37, 1}};
  device.bandwidths = {{"memory", "read", "none", 1, 1 << 30, Passes{4e12, 4e12, 7}}};
  device.compute = {{"f32", 1, Passes{6e13, 6e13, 7}},
                    {"bf16", 1, Passes{7e14, 7e14, 7}, "matrix-product", "cuBLAS 13.1"}};
  device.calls = {{"empty-kernel", Passes{1e3, 1.1e3, 201}}};
  for (const std::int64_t threads : {-1, 1, 64}) {
    const Ceilings ceilings = ceilings_for(device, threads);
    EXPECT_TRUE(ceilings.are_of_device);
    EXPECT_EQ(*ceilings.levels[1].read_bytes_per_s, 4e12);
    EXPECT_EQ(ceilings.levels[0].read_bytes_per_s.missing().detail,
              "no rate of read in L2 has been measured");
    EXPECT_EQ(ceilings.peaks.at("bf16").kernel, "matrix product");
    EXPECT_EQ(*ceilings.call_ns, 1e3);
  }
}

TEST(Ceilings, LeastTimeIsOfTheNearestLevelThatCouldHoldTheFootprint) {
  const Ceilings ceilings = ceilings_for(some_machine(), 1);
  // In the nearest cache: its best rate is that of copying.
  const auto near = least_time({8192, 8192, 16384, false}, ceilings);
  EXPECT_EQ(near->level, "L1");
  EXPECT_DOUBLE_EQ(near->ns, 16384 / (250e9 * 1.05) * 1e9);
  // Half a MiB: all but twice 32 KiB must have come from L2.
  const double half = 512 * 1024;
  const auto far = least_time({half, 0, 512 * 1024, false}, ceilings);
  EXPECT_EQ(far->level, "L2");
  EXPECT_DOUBLE_EQ(far->bytes, half - 2 * 32 * 1024);
  EXPECT_DOUBLE_EQ(far->ns, far->bytes / (110e9 * 1.05) * 1e9);
  // A footprint that twice the nearest cache may hold says nothing of the next one.
  EXPECT_EQ(least_time({49152, 0, 49152, false}, ceilings)->level, "L1");
  // From memory only beyond four times the last-level cache.
  EXPECT_EQ(least_time({127.0 * mib, 0, 127 * mib, false}, ceilings)->level, "L3");
  EXPECT_EQ(least_time({128.0 * mib, 0, 128 * mib, false}, ceilings)->level, "memory");
  // Cold, also what is small.
  const auto cold = least_time({4096, 0, 4096, true}, ceilings);
  EXPECT_EQ(cold->level, "memory");
  EXPECT_DOUBLE_EQ(cold->ns, 4096 / (20e9 * 1.05) * 1e9);
}

TEST(Ceilings, WhatACacheHoldsIsNotGuessed) {
  MachineCeilings machine = some_machine();
  machine.levels[1].bytes = Missing{"not-known", ""};
  const Ceilings ceilings = ceilings_for(machine, 1);
  // What L1 cannot hold comes from L2 at best; what L2 cannot hold is not known.
  EXPECT_EQ(least_time({20.0 * mib, 0, 20 * mib, false}, ceilings)->level, "L2");
}

TEST(Ceilings, ANearerLevelIsNotHeldToBeSlowerThanAFartherOne) {
  MachineCeilings machine = some_machine();
  for (BandwidthCeiling& row : machine.bandwidths) {
    if (row.level == "L1") row.bytes_per_s = Passes{30e9, 30e9, 10};  // a busy machine
  }
  const auto least = least_time({8192, 8192, 16384, false}, ceilings_for(machine, 1));
  EXPECT_EQ(least->level, "L1");
  EXPECT_DOUBLE_EQ(least->bytes_per_s, 110e9);
}

}  // namespace
}  // namespace assay::model
