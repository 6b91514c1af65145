// SPDX-License-Identifier: MIT
#include "assay/device/cpu/process_memory.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include "temporary_folder.hpp"

namespace assay::device {
namespace {

class ProcessMemoryOf : public testing::Test {
 protected:
  MemoryUse use() const {
    ProcessMemory memory(folder_.path());
    memory.begin_peak();
    return memory.use();
  }
  void put(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  void put_process() const {
    put("proc/self/clear_refs", "");
    put("proc/self/status",
        "Name:\tx\nVmHWM:\t    9000 kB\nVmRSS:\t    8000 kB\nVmSwap:\t  0 kB\n");
    put("proc/meminfo", "MemTotal: 99000 kB\nMemAvailable:   50000 kB\n");
  }
  TemporaryFolder folder_;
};

TEST_F(ProcessMemoryOf, AMachineWithRoom) {
  put_process();
  const MemoryUse memory = use();
  EXPECT_EQ(*memory.peak_bytes, 9000 * 1024);
  EXPECT_EQ(*memory.swapped_bytes, 0);
  EXPECT_EQ(*memory.capacity_bytes, 58000 * 1024);  // what is left, and what the process has
  EXPECT_EQ(memory.capacity_of, "machine");
  EXPECT_EQ(*memory.spare_bytes(), 49000 * 1024);
  EXPECT_TRUE(*memory.fits());
  EXPECT_EQ(memory.remote_bytes.missing().reason, "no-such-file");
  EXPECT_EQ(TemporaryFolder::read(folder_.path() / "proc/self/clear_refs"), "5\n");
}

TEST_F(ProcessMemoryOf, AMachineThatTellsNothing) {
  const MemoryUse memory = use();
  for (const auto& value : {memory.peak_bytes, memory.swapped_bytes, memory.remote_bytes,
                            memory.capacity_bytes, memory.spare_bytes()}) {
    EXPECT_EQ(value.missing().reason, "no-such-file");
  }
  EXPECT_FALSE(memory.fits());
}

TEST_F(ProcessMemoryOf, APeakThatCouldNotBeBegunIsNoPeak) {
  put_process();
  EXPECT_EQ(ProcessMemory(folder_.path()).use().peak_bytes.missing().reason, "not-begun");
}

TEST_F(ProcessMemoryOf, WhatIsSwappedOutDoesNotFit) {
  put_process();
  put("proc/self/status", "VmHWM: 9000 kB\nVmRSS: 8000 kB\nVmSwap: 4 kB\n");
  EXPECT_FALSE(*use().fits());
}

TEST_F(ProcessMemoryOf, TheLeastLimitOfTheControlGroupsAbove) {
  put_process();
  put("proc/self/cgroup", "0::/outer/inner\n");
  put("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  put("sys/fs/cgroup/outer/memory.max", "8388608\n");
  put("sys/fs/cgroup/outer/memory.current", "8192000\n");  // this process alone
  put("sys/fs/cgroup/outer/memory.stat", "anon 8192000\ninactive_file 0\nactive_file 0\n");
  const MemoryUse memory = use();
  EXPECT_EQ(*memory.capacity_bytes, 8'388'608);
  EXPECT_EQ(memory.capacity_of, "control-group");
  EXPECT_FALSE(*memory.fits());
  EXPECT_EQ(*memory.spare_bytes(), 8'388'608 - 9000 * 1024);
}

TEST_F(ProcessMemoryOf, TheRestOfTheGroupHasItsShare) {
  put_process();
  put("proc/self/cgroup", "0::/job\n");
  put("sys/fs/cgroup/job/memory.max", "20000000\n");
  // 8000 KiB of this process, 5 MB of others', 3 MB of files that are given up when need be.
  put("sys/fs/cgroup/job/memory.current", "16192000\n");
  put("sys/fs/cgroup/job/memory.stat",
      "anon 13192000\ninactive_file 2000000\nactive_file 1000000\n");
  const MemoryUse memory = use();
  EXPECT_EQ(*memory.capacity_bytes, 15'000'000);
  EXPECT_EQ(memory.capacity_of, "control-group");
  EXPECT_TRUE(*memory.fits());
  put("sys/fs/cgroup/job/memory.current", "21192000\n");
  EXPECT_EQ(*use().capacity_bytes, 10'000'000);
  EXPECT_EQ(*use().spare_bytes(), 10'000'000 - 9000 * 1024);
}

TEST_F(ProcessMemoryOf, AGroupWhoseShareIsNotToldLeavesTheCapacityUnknown) {
  put_process();
  put("proc/self/cgroup", "0::/job\n");
  put("sys/fs/cgroup/job/memory.max", "20000000\n");
  EXPECT_EQ(use().capacity_bytes.missing().reason, "no-such-file");
  EXPECT_EQ(use().capacity_of, "control-group");
  EXPECT_EQ(use().fits().missing().reason, "no-such-file");
  put("sys/fs/cgroup/job/memory.current", "16192000\n");
  put("sys/fs/cgroup/job/memory.stat", "anon 13192000\n");
  EXPECT_EQ(use().capacity_bytes.missing().reason, "no-such-field");
}

TEST_F(ProcessMemoryOf, AControlGroupOfVersionOne) {
  put_process();
  put("proc/self/cgroup", "4:memory:/job\n0::/\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "20000000\n");
  put("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "9192000\n");
  put("sys/fs/cgroup/memory/job/memory.stat",
      "active_file 7\ntotal_active_file 500000\ntotal_inactive_file 400000\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(*use().capacity_bytes, 19'900'000);
  EXPECT_TRUE(*use().fits());
}

TEST_F(ProcessMemoryOf, PagesOnOtherNodes) {
  put_process();
  put("sys/devices/system/node/online", "0-1\n");
  for (int core = 0; core < 512; ++core) {
    put("sys/devices/system/node/node1/cpu" + std::to_string(core) + "/online", "1\n");
  }
  put("proc/self/numa_maps",
      "55 default file=/x/N0=7 mapped=5 N0=2 N1=3 kernelpagesize_kB=4\n"
      "56 default anon=1 N0=1 kernelpagesize_kB=2048\n"
      "57 default N1=9 kernelpagesize_kB=4\n58 garbage N= =3 N0=x N0=-4\n");
  EXPECT_EQ(*use().remote_bytes, 2 * 4096 + 2048 * 1024);
}

TEST_F(ProcessMemoryOf, HostileFilesGiveReasons) {
  put_process();
  put("proc/self/status", "VmHWM: many\nVmRSS: 99999999999999999999 kB\nVmSwap: -4 kB\n");
  put("proc/meminfo", "MemAvailable: 9007199254740991 kB\n");
  put("proc/self/cgroup", "garbage\n0::\n4:memory:no-slash\n");
  const MemoryUse memory = use();
  EXPECT_EQ(memory.peak_bytes.missing().reason, "not-understood");
  EXPECT_EQ(memory.swapped_bytes.missing().reason, "not-understood");
  EXPECT_FALSE(memory.fits());
}

TEST(MemoryUseJson, ReadsBackAndRefusesNegativeNumbers) {
  MemoryUse use;
  use.allocated_bytes = 5;
  use.peak_bytes = 7;
  use.capacity_bytes = 9;
  use.capacity_of = "machine";
  Json json = to_json(use);
  EXPECT_EQ(to_json(memory_use_from_json(json, "x")), json);
  json["peak_bytes"]["value"] = -1;
  EXPECT_THROW(memory_use_from_json(json, "x"), Error);
}

}  // namespace
}  // namespace assay::device
