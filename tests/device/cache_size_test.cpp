// SPDX-License-Identifier: MIT
#include "assay/device/cpu/cache_size.hpp"

#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace assay::device {
namespace {

class CacheSize : public testing::Test {
 protected:
  void put(int processor, int index, int level, const std::string& type, const std::string& size,
           const std::string& shared) const {
    const std::string cache = "sys/devices/system/cpu/cpu" + std::to_string(processor) +
                              "/cache/index" + std::to_string(index) + "/";
    folder_.write(cache + "level", std::to_string(level) + "\n");
    folder_.write(cache + "type", type + "\n");
    if (!size.empty()) folder_.write(cache + "size", size + "\n");
    if (!shared.empty()) folder_.write(cache + "shared_cpu_list", shared + "\n");
  }
  Reading<std::int64_t> bytes() const { return last_level_cache_bytes(Sources(folder_.path())); }
  TemporaryFolder folder_;
};

TEST_F(CacheSize, IsThatOfTheHighestLevel) {
  for (int processor : {0, 1}) {
    put(processor, 0, 1, "Data", "32K", std::to_string(processor));
    put(processor, 1, 1, "Instruction", "32K", std::to_string(processor));
    put(processor, 2, 2, "Unified", "1024K", std::to_string(processor));
    put(processor, 3, 3, "Unified", "32768K", "0-1");
  }
  folder_.write("sys/devices/system/cpu/cpufreq/policy0/x", "");
  EXPECT_EQ(*bytes(), 32 << 20);
}

TEST_F(CacheSize, AddsUpThoseThatDoNotShareAProcessor) {
  put(0, 3, 3, "Unified", "32M", "0-1");
  put(1, 3, 3, "Unified", "32M", "0-1");
  put(2, 3, 3, "Unified", "16M", "2-3");
  put(10, 2, 2, "Unified", "1M", "10");
  EXPECT_EQ(*bytes(), 48 << 20);
}

TEST_F(CacheSize, WithoutWordOfSharingEachProcessorHasItsOwn) {
  put(0, 2, 2, "Unified", "512K", "");
  put(1, 2, 2, "Unified", "512K", "");
  EXPECT_EQ(*bytes(), 1 << 20);
}

TEST_F(CacheSize, IsMissingWhereNoneIsListed) {
  EXPECT_EQ(bytes().missing().reason, "not-found");
  put(0, 0, 1, "Data", "", "0");
  EXPECT_EQ(bytes().missing().reason, "not-found");
}

}  // namespace
}  // namespace assay::device
