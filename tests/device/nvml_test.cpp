// SPDX-License-Identifier: MIT
#include "assay/device/cuda/nvml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "assay/device/cuda/library.hpp"
#include "fake_nvml.hpp"

namespace {

using namespace assay;
using namespace assay::device;
using cuda::Library;
using cuda::Nvml;
using cuda::nvml::FakeNvml;
using testing::HasSubstr;

// FAKE_NVML and OLD_FAKE_NVML: paths of the two libraries.
class Nvidia : public testing::Test {
 protected:
  void SetUp() override { use(FAKE_NVML); }

  void use(const std::string& path) {
    path_ = path;
    const auto library = Library::open({path});
    ASSERT_TRUE(library) << library.missing().detail;
    const auto state = reinterpret_cast<cuda::nvml::FakeNvmlState>(library->find("fake_nvml"));
    ASSERT_NE(state, nullptr);
    fake_ = state();
    *fake_ = FakeNvml{};
    fake_->pids = {own()};
  }
  static unsigned own() { return static_cast<unsigned>(getpid()); }

  Reading<Nvml> open() const { return Nvml::open(fake_->uuid, {path_}); }
  Telemetry sample() const { return open()->sample(); }
  Reading<std::string> fact(const std::string& name) const {
    for (const Fact& fact : open()->facts()) {
      if (fact.name == name) return fact.value;
    }
    return Missing{"no-such-fact", name};
  }

  std::string path_;
  FakeNvml* fake_ = nullptr;
};

TEST_F(Nvidia, IsMissingWithTheLoadersWordsWhereThereIsNoLibrary) {
  const auto nvml = Nvml::open("GPU-x", {"libassay-no-such-library.so.1"});
  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.missing().reason, "not-found");
  EXPECT_THAT(nvml.missing().detail, HasSubstr("libassay-no-such-library.so.1"));
}

TEST_F(Nvidia, GivesSamplesThatSayWhyThereAreNone) {
  const Telemetry sample = cuda::unknown_sample({"not-found", "no such library"});
  EXPECT_GT(sample.time_ns, 0);
  EXPECT_EQ(sample.values().size(), gpu_fields().size());
  for (const auto& [field, value] : sample.values()) {
    EXPECT_EQ(value.missing(), (Missing{"not-found", "no such library"}));
  }
}

TEST_F(Nvidia, IsMissingWhereTheLibraryIsAnother) {
  const auto nvml = Nvml::open("GPU-x", {"libc.so.6"});
  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.missing().reason, "no-function");
}

TEST_F(Nvidia, SaysWhyItCannotStart) {
  fake_->init = 9;
  const auto nvml = open();
  ASSERT_FALSE(nvml);
  EXPECT_EQ(nvml.missing().reason, "driver-not-loaded");
  EXPECT_EQ(nvml.missing().detail, "nvmlInit_v2: Fake Error (9)");
}

TEST_F(Nvidia, FindsTheDeviceByTheTextOfItsUuid) {
  std::array<unsigned char, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i);
  EXPECT_TRUE(Nvml::open(cuda::uuid_text(bytes), {path_}));
  const auto other = Nvml::open("GPU-ffffffff-0405-0607-0809-0a0b0c0d0e0f", {path_});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.missing().reason, "not-found");
}

TEST_F(Nvidia, TellsWhatTheDeviceIsSetTo) {
  const std::map<std::string, std::string> expected{{"driver-version", "580.159.04"},
                                                    {"nvml-version", "13.580.159.04"},
                                                    {"name", "Fake H200"},
                                                    {"vbios-version", "96.00.AF.00.01"},
                                                    {"persistence-mode", "on"},
                                                    {"compute-mode", "exclusive-process"},
                                                    {"mig-mode", "off"},
                                                    {"ecc-mode", "on"},
                                                    {"power-limit", "650.5 W"},
                                                    {"default-power-limit", "700 W"},
                                                    {"max-sm-clock", "1980 MHz"},
                                                    {"max-memory-clock", "3201 MHz"},
                                                    {"application-sm-clock", "1980 MHz"},
                                                    {"pcie-generation", "5"},
                                                    {"pcie-width", "16"},
                                                    {"performance-state", "0"},
                                                    {"total-memory-bytes", "150754820096"}};
  for (const auto& [name, value] : expected)
    EXPECT_EQ(fact(name), Reading<std::string>(value)) << name;
  EXPECT_EQ(fact("locked-clocks").missing().reason, "not-readable");
}

TEST_F(Nvidia, TellsAFactThatIsRefusedInTheLibrarysWords) {
  fake_->refuses = {{"nvmlDeviceGetMigMode", 3}, {"nvmlDeviceGetEnforcedPowerLimit", 4}};
  EXPECT_EQ(fact("mig-mode"), Reading<std::string>(Missing{
                                  "not-supported", "nvmlDeviceGetMigMode: Not Supported (3)"}));
  EXPECT_EQ(fact("power-limit").missing().reason, "no-permission");
  EXPECT_TRUE(fact("ecc-mode"));
}

TEST_F(Nvidia, SamplesInTheUnitsOfTheTable) {
  fake_->fields = {{74, {0, cuda::nvml::type_unsigned_long_long, 3'200'000}},
                   {76, {0, cuda::nvml::type_unsigned_long_long, 0}},
                   {186, {0, cuda::nvml::type_unsigned_int, 76'618}},
                   {269, {0, cuda::nvml::type_unsigned_long_long, 1}},
                   {270, {0, cuda::nvml::type_unsigned_long_long, 2}},
                   {271, {0, cuda::nvml::type_unsigned_long_long, 3}}};
  fake_->pids = {7, own(), 9};
  const Telemetry sample = this->sample();
  EXPECT_EQ(*sample.of(Field::sm_clock_hz), 1'830'000'000);
  EXPECT_EQ(*sample.of(Field::memory_clock_hz), 3'201'000'000);
  EXPECT_EQ(*sample.of(Field::temperature_c), 32);
  EXPECT_EQ(*sample.of(Field::power_average_mw), 100'540);
  EXPECT_EQ(*sample.of(Field::power_instant_mw), 76'618);
  EXPECT_EQ(*sample.of(Field::energy_mj), 2'280'686);
  EXPECT_EQ(*sample.of(Field::clock_reasons), 0x5);
  EXPECT_EQ(*sample.of(Field::sw_power_cap_ns), 3'200'000);
  EXPECT_EQ(*sample.of(Field::sync_boost_ns), 0);
  EXPECT_EQ(*sample.of(Field::sw_thermal_ns), 1);
  EXPECT_EQ(*sample.of(Field::hw_thermal_ns), 2);
  EXPECT_EQ(*sample.of(Field::hw_power_brake_ns), 3);
  EXPECT_EQ(*sample.of(Field::performance_state), 0);
  EXPECT_EQ(*sample.of(Field::other_processes), 2);
  EXPECT_EQ(*sample.of(Field::used_memory_bytes), 12'345);
  EXPECT_GT(sample.time_ns, 0);
  EXPECT_GE(sample.took_ns, 0);
}

TEST_F(Nvidia, TakesACounterFromItsOldNumberAndNothingElseThatLiesThere) {
  using namespace cuda::nvml;
  // The numbers of 570: 251 to 253 count, 269 to 271 are settings of power smoothing.
  fake_->fields = {{251, {0, type_unsigned_long_long, 11}},
                   {269, {0, type_unsigned_int, 500}},
                   {252, {0, type_unsigned_long_long, 12}},
                   {253, {0, type_unsigned_int, 1}},
                   {271, {0, type_unsigned_int, 1}}};
  Telemetry sample = this->sample();
  EXPECT_EQ(*sample.of(Field::sw_thermal_ns), 11);
  EXPECT_EQ(*sample.of(Field::hw_thermal_ns), 12);
  EXPECT_EQ(sample.of(Field::hw_power_brake_ns).missing().reason, "not-understood");
  // Two that may be it are none.
  fake_->fields[269] = {0, type_unsigned_long_long, 500};
  sample = this->sample();
  EXPECT_EQ(sample.of(Field::sw_thermal_ns).missing().reason, "ambiguous");
}

TEST_F(Nvidia, KeepsWhatIsThereWhenSomeCallsFail) {
  fake_->refuses = {{"nvmlDeviceGetPowerUsage", 3},
                    {"nvmlDeviceGetFieldValues", 999},
                    {"nvmlDeviceGetComputeRunningProcesses_v3", 4}};
  const Telemetry sample = this->sample();
  EXPECT_EQ(sample.of(Field::power_average_mw).missing(),
            (Missing{"not-supported", "nvmlDeviceGetPowerUsage: Not Supported (3)"}));
  for (const auto& counter : {sample.of(Field::sw_power_cap_ns), sample.of(Field::sw_thermal_ns),
                              sample.of(Field::power_instant_mw)}) {
    EXPECT_EQ(counter.missing().reason, "nvml-error-999");
  }
  EXPECT_EQ(sample.of(Field::other_processes).missing().reason, "no-permission");
  EXPECT_TRUE(sample.of(Field::sm_clock_hz));
  EXPECT_TRUE(sample.of(Field::energy_mj));
}

TEST_F(Nvidia, GivesEveryMissingValueAReasonThatCanStandInATable) {
  fake_->refuses = {{"nvmlDeviceGetClockInfo", 999},
                    {"nvmlDeviceGetFieldValues", 2},
                    {"nvmlDeviceGetPowerUsage", 15},
                    {"nvmlDeviceGetPerformanceState", 27},
                    {"nvmlDeviceGetTemperatureV", 3},
                    {"nvmlDeviceGetTemperature", 3},
                    {"nvmlDeviceGetMemoryInfo_v2", 25},
                    {"nvmlDeviceGetMemoryInfo", 20},
                    {"nvmlDeviceGetCurrentClocksEventReasons", 17},
                    {"nvmlDeviceGetTotalEnergyConsumption", 21}};
  fake_->pids = {};
  const Telemetry sample = this->sample();
  for (const auto& [field, value] : sample.values()) {
    ASSERT_FALSE(value) << name_of(field);
    EXPECT_TRUE(is_reason(value.missing().reason)) << name_of(field);
    EXPECT_NE(value.missing().reason, "not-read") << name_of(field);
  }
}

TEST_F(Nvidia, DoesNotCallTheDeviceUnsharedFromAListWithoutThisProcess) {
  fake_->pids = {};
  EXPECT_EQ(sample().of(Field::other_processes).missing().reason, "own-process-not-listed");
  fake_->pids = {own() + 1};
  EXPECT_EQ(sample().of(Field::other_processes).missing().reason, "own-process-not-listed");
  fake_->pids = {own()};
  EXPECT_EQ(*sample().of(Field::other_processes), 0);
}

TEST_F(Nvidia, CountsMoreProcessesThanItHasRoomForAtFirst) {
  fake_->pids.assign(500, 1);
  fake_->pids.push_back(own());
  EXPECT_EQ(*sample().of(Field::other_processes), 500);
}

TEST_F(Nvidia, ReadsAnOlderLibraryByItsOwnFunctions) {
  use(OLD_FAKE_NVML);
  const Telemetry sample = this->sample();
  EXPECT_EQ(*sample.of(Field::temperature_c), 41);
  EXPECT_EQ(*sample.of(Field::clock_reasons), 0x4);
  EXPECT_EQ(*sample.of(Field::used_memory_bytes), 300);
  EXPECT_EQ(
      sample.of(Field::other_processes).missing(),
      (Missing{"no-function",
               "this version of the library has no nvmlDeviceGetComputeRunningProcesses_v3"}));
  EXPECT_EQ(fact("application-sm-clock").missing().reason, "no-function");
  EXPECT_EQ(fact("total-memory-bytes"), Reading<std::string>("1000"));
}

}  // namespace
