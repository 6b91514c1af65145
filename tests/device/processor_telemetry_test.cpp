// SPDX-License-Identifier: MIT
//
// What a processor tells, on machines of which the files below say what they are.
#include "assay/device/cpu/processor_telemetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "assay/base/energy.hpp"
#include "assay/base/telemetry_marks.hpp"
#include "temporary_folder.hpp"

namespace assay::device {
namespace {

constexpr int cores = 512;  // whichever this thread runs on

class Machine {
 public:
  void put(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  const std::filesystem::path& root() const { return folder_.path(); }

  // Ticks of 10 ms.
  void put_stat(int user, int steal) const {
    const std::string line =
        std::to_string(user) + " 1 2 1000 7 3 4 " + std::to_string(steal) + " 0 0\n";
    std::string text = "cpu  " + line;
    for (int core = 0; core < cores; ++core) text += "cpu" + std::to_string(core) + " " + line;
    put("proc/stat", text + "intr 12 0\nctxt 99\n");
  }
  void put_for_each_core(const std::string& name, const std::string& text) const {
    // One core is enough: this thread's, which stays there.
    const std::string core = std::to_string(sched_getcpu());
    put("sys/devices/system/cpu/cpu" + core + "/" + name, text);
  }

 private:
  TemporaryFolder folder_;
};

class OnOneCore : public testing::Test {
 protected:
  OnOneCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OnOneCore() override { sched_setaffinity(0, sizeof before_, &before_); }

  // The first reading of a request, whatever the one before has cost.
  Telemetry read() const { return ProcessorTelemetry(machine_.root()).read(); }
  std::string why(Field field) const { return read().of(field).missing().reason; }

  Machine machine_;
  cpu_set_t before_{};
};

using ProcessorTelemetryOf = OnOneCore;

TEST_F(ProcessorTelemetryOf, AMachineThatTellsNothingHasReasonsAndNoZeros) {
  const Telemetry telemetry = read();
  EXPECT_EQ(telemetry.fields(),
            std::vector<Field>(processor_fields().begin(), processor_fields().end()));
  for (const auto& [field, value] : telemetry.values()) {
    // What the system calls tell is always there, whatever the root.
    const bool is_of_process = field == Field::core || field == Field::process_ns ||
                               field == Field::voluntary_switches ||
                               field == Field::involuntary_switches ||
                               field == Field::minor_faults || field == Field::major_faults;
    if (is_of_process) {
      EXPECT_TRUE(value) << name_of(field);
    } else if (field != Field::cycles && field != Field::cycles_time_ns) {
      ASSERT_FALSE(value) << name_of(field);
      EXPECT_THAT(value.missing().reason, testing::AnyOf("no-such-file", "no-sensor"))
          << name_of(field);
    }
  }
  EXPECT_EQ(telemetry.of(Field::cycles).has_value(),
            telemetry.of(Field::cycles_time_ns).has_value());
}

TEST_F(ProcessorTelemetryOf, AnIntelMachineOfTwoPackages) {
  machine_.put_stat(500, 6);
  machine_.put_for_each_core("cpufreq/scaling_cur_freq", "3812345\n");
  machine_.put_for_each_core("thermal_throttle/core_throttle_count", "3\n");
  machine_.put_for_each_core("thermal_throttle/package_throttle_count", "17\n");
  machine_.put("proc/thread-self/sched",
               "program (1, #threads: 1)\n---\nse.exec_start    :   12.5\n"
               "se.nr_migrations                             :                   42\n");
  machine_.put("proc/pressure/cpu",
               "some avg10=1.00 avg60=0.50 avg300=0.10 total=123456\n"
               "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
  machine_.put("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
  machine_.put("sys/class/hwmon/hwmon0/name", "nvme\n");
  machine_.put("sys/class/hwmon/hwmon0/temp1_label", "Composite\n");
  machine_.put("sys/class/hwmon/hwmon0/temp1_input", "99000\n");
  for (const auto& [chip, degrees] : {std::pair("hwmon1", "54000\n"), {"hwmon2", "61500\n"}}) {
    const std::string folder = std::string("sys/class/hwmon/") + chip;
    machine_.put(folder + "/name", "coretemp\n");
    machine_.put(folder + "/temp1_label", "Package id 0\n");
    machine_.put(folder + "/temp1_input", degrees);
    machine_.put(folder + "/temp2_label", "Core 0\n");
    machine_.put(folder + "/temp2_input", "88000\n");
  }
  const Telemetry telemetry = read();
  EXPECT_EQ(*telemetry.of(Field::busy_ns), (500 + 1 + 2 + 3 + 4) * 10'000'000LL);
  EXPECT_EQ(*telemetry.of(Field::core_busy_ns), 5'100'000'000);
  EXPECT_EQ(*telemetry.of(Field::steal_ns), 60'000'000);
  EXPECT_EQ(*telemetry.of(Field::core_steal_ns), 60'000'000);
  EXPECT_EQ(*telemetry.of(Field::core_clock_hz), 3'812'345'000);
  EXPECT_EQ(*telemetry.of(Field::core_thermal_throttles), 3);
  EXPECT_EQ(*telemetry.of(Field::package_thermal_throttles), 17);
  EXPECT_EQ(*telemetry.of(Field::migrations), 42);
  EXPECT_EQ(*telemetry.of(Field::cpu_pressure_us), 123'456);
  EXPECT_EQ(*telemetry.of(Field::memory_pressure_us), 0);
  EXPECT_EQ(telemetry.of(Field::io_pressure_us).missing().reason, "no-such-file");
  EXPECT_EQ(*telemetry.of(Field::temperature_c), 62);  // the hotter package, rounded
  EXPECT_GT(telemetry.time_ns, 0);
}

TEST_F(ProcessorTelemetryOf, AnAmdMachineTellsTheDieBeforeTheControlTemperature) {
  machine_.put("sys/class/hwmon/hwmon3/name", "k10temp\n");
  machine_.put("sys/class/hwmon/hwmon3/temp1_label", "Tctl\n");
  machine_.put("sys/class/hwmon/hwmon3/temp1_input", "70250\n");
  EXPECT_EQ(*read().of(Field::temperature_c), 70);
  machine_.put("sys/class/hwmon/hwmon3/temp2_label", "Tdie\n");
  machine_.put("sys/class/hwmon/hwmon3/temp2_input", "50250\n");
  EXPECT_EQ(*read().of(Field::temperature_c), 50);
}

TEST_F(ProcessorTelemetryOf, AnArmBoardTellsByItsThermalZone) {
  machine_.put("sys/class/thermal/thermal_zone0/type", "gpu-thermal\n");
  machine_.put("sys/class/thermal/thermal_zone0/temp", "80000\n");
  machine_.put("sys/class/thermal/thermal_zone1/type", "cpu-thermal\n");
  machine_.put("sys/class/thermal/thermal_zone1/temp", "-4700\n");
  EXPECT_EQ(*read().of(Field::temperature_c), -5);
}

TEST_F(ProcessorTelemetryOf, AGroupOfVersionTwo) {
  machine_.put("proc/self/cgroup", "0::/user.slice/job\n");
  machine_.put("sys/fs/cgroup/user.slice/job/cpu.stat",
               "usage_usec 100\nnr_periods 9\nnr_throttled 4\nthrottled_usec 2500\n");
  EXPECT_EQ(*read().of(Field::quota_throttles), 4);
  EXPECT_EQ(*read().of(Field::quota_throttled_ns), 2'500'000);
}

TEST_F(ProcessorTelemetryOf, AGroupOfVersionTwoInAContainer) {
  machine_.put("proc/self/cgroup", "0::/../../outside\n");
  machine_.put("sys/fs/cgroup/cpu.stat", "nr_throttled 5\nthrottled_usec 1\n");
  EXPECT_EQ(*read().of(Field::quota_throttles), 5);
}

TEST_F(ProcessorTelemetryOf, TheRootGroupHasNoQuota) {
  machine_.put("proc/self/cgroup", "0::/\n");
  machine_.put("sys/fs/cgroup/cpu.stat", "usage_usec 100\n");
  EXPECT_EQ(why(Field::quota_throttles), "no-such-field");
  EXPECT_EQ(why(Field::quota_throttled_ns), "no-such-field");
}

TEST_F(ProcessorTelemetryOf, AGroupOfVersionOneBesideOneOfVersionTwo) {
  machine_.put("proc/self/cgroup", "3:memory:/a\n2:cpu,cpuacct:/job\n0::/other\n");
  machine_.put("sys/fs/cgroup/cpu,cpuacct/job/cpu.stat",
               "nr_periods 9\nnr_throttled 6\nthrottled_time 777\n");
  machine_.put("sys/fs/cgroup/unified/other/cpu.stat", "nr_throttled 1\nthrottled_usec 1\n");
  EXPECT_EQ(*read().of(Field::quota_throttles), 6);
  EXPECT_EQ(*read().of(Field::quota_throttled_ns), 777);
}

TEST_F(ProcessorTelemetryOf, FilesThatHoldSomethingElseGiveReasons) {
  for (const char* text :
       {"", "\n", "many\n", "-5\n", "99999999999999999999999\n", "1 2\n", "1.5\n"}) {
    machine_.put_for_each_core("cpufreq/scaling_cur_freq", text);
    EXPECT_EQ(why(Field::core_clock_hz), "not-understood") << text;
  }
  machine_.put_for_each_core("cpufreq/scaling_cur_freq", "9223372036854775807\n");
  EXPECT_EQ(why(Field::core_clock_hz), "not-understood");
  machine_.put("proc/pressure/cpu", "some avg10=1.00\n");
  EXPECT_EQ(why(Field::cpu_pressure_us), "no-such-field");
  machine_.put("proc/pressure/cpu", "some total=-4\n");
  EXPECT_EQ(why(Field::cpu_pressure_us), "not-understood");
  machine_.put("proc/stat", "cpu  1 2 3\n");
  EXPECT_EQ(why(Field::busy_ns), "no-such-field");
  EXPECT_EQ(why(Field::core_busy_ns), "no-such-field");
  machine_.put("proc/stat", "cpu  9223372036854775807 2 3 4 5 6 7 8 9 10\n");
  EXPECT_EQ(why(Field::busy_ns), "not-understood");
  EXPECT_EQ(*read().of(Field::steal_ns), 80'000'000);
  machine_.put("sys/class/hwmon/hwmon0/name", "coretemp\n");
  machine_.put("sys/class/hwmon/hwmon0/temp1_label", "Package id 0\n");
  machine_.put("sys/class/hwmon/hwmon0/temp1_input", "-9223372036854775808\n");
  EXPECT_EQ(why(Field::temperature_c), "not-understood");
  machine_.put("proc/self/cgroup", "garbage\n::\n");
  EXPECT_EQ(why(Field::quota_throttles), "no-such-field");
}

TEST_F(ProcessorTelemetryOf, StealingIsAMarkByTheCore) {
  machine_.put_stat(500, 6);
  const Telemetry before = read();
  machine_.put_stat(501, 6);
  EXPECT_EQ(telemetry_flags(before, read()), "");
  machine_.put_stat(501, 7);
  EXPECT_EQ(telemetry_flags(before, read()), "stolen");
}

class Rapl : public OnOneCore {
 protected:
  void put(const std::string& package, const std::string& energy_uj) const {
    const std::string folder = "sys/class/powercap/" + package;
    machine_.put(folder + "/name", package == "intel-rapl:9" ? "psys\n" : "package-0\n");
    machine_.put(folder + "/max_energy_range_uj", "262143328850\n");
    machine_.put(folder + "/energy_uj", energy_uj + "\n");
  }
  Reading<std::int64_t> advance_to(const std::string& before, const std::string& after) const {
    put("intel-rapl:0", before);
    PackageEnergy energy{Sources(machine_.root())};
    EXPECT_EQ(*energy.read_uj(), 0);
    put("intel-rapl:0", after);
    return energy.read_uj();
  }
};

TEST_F(Rapl, CountsFromTheFirstReadingOn) { EXPECT_EQ(*advance_to("1000", "4000"), 3000); }

TEST_F(Rapl, GoesOnWhereTheCounterWraps) { EXPECT_EQ(*advance_to("262143328800", "50"), 100); }

TEST_F(Rapl, DoesNotGuessWhereACounterWentBackBeyondItsRange) {
  EXPECT_EQ(advance_to("300000000000", "50").missing().reason, "not-understood");
}

TEST_F(Rapl, AddsUpPackagesAndNothingElse) {
  put("intel-rapl:0", "0");
  put("intel-rapl:1", "0");
  put("intel-rapl:9", "0");
  put("intel-rapl:0:0", "0");
  put("intel-rapl-mmio:0", "0");
  PackageEnergy energy{Sources(machine_.root())};
  energy.read_uj();
  put("intel-rapl:0", "5");
  put("intel-rapl:1", "7");
  for (const char* other : {"intel-rapl:9", "intel-rapl:0:0", "intel-rapl-mmio:0"}) {
    put(other, "1000");
  }
  EXPECT_EQ(*energy.read_uj(), 12);
}

TEST(ThinningTest, KeepsReadingsBelowAHundredthOfTheTime) {
  // A clock of its own: each reading takes 2 ms, a request comes every 10 ms.
  Thinning thinning;
  std::int64_t now_ns = 1'000'000'000;
  std::int64_t spent_ns = 0;
  int whole = 0;
  for (int request = 0; request < 1000; ++request) {
    if (thinning.has_room(now_ns)) {
      ++whole;
      for (int reading = 0; reading < 2; ++reading) {
        thinning.spent(now_ns, 2'000'000);
        spent_ns += 2'000'000;
      }
    }
    now_ns += 10'000'000;
  }
  // 10 s: 100 ms, of which pairs of 4 ms, and the very first one besides.
  EXPECT_LE(spent_ns, 100'000'000 + 4'000'000);
  EXPECT_GE(whole, 24);
}

TEST(ThinningTest, LeavesAlmostNothingOutWhereReadingIsCheap) {
  Thinning thinning;
  int left_out = 0;
  for (std::int64_t now_ns = 0; now_ns < 1'000'000'000; now_ns += 5'000'000) {
    if (!thinning.has_room(now_ns)) {
      ++left_out;
      continue;
    }
    thinning.spent(now_ns, 20'000);
    thinning.spent(now_ns, 20'000);
  }
  EXPECT_LE(left_out, 2);
}

}  // namespace
}  // namespace assay::device
