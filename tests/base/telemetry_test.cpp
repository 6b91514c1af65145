// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/energy.hpp"
#include "assay/base/telemetry_marks.hpp"

namespace {

using namespace assay;
using testing::ElementsAre;
using testing::IsEmpty;

Telemetry with_counters(std::int64_t power_cap_ns, std::int64_t thermal_ns) {
  Telemetry telemetry;
  telemetry.set(Field::sw_power_cap_ns, power_cap_ns);
  telemetry.set(Field::sync_boost_ns, 0);
  telemetry.set(Field::sw_thermal_ns, thermal_ns);
  telemetry.set(Field::hw_thermal_ns, 0);
  telemetry.set(Field::hw_power_brake_ns, 0);
  telemetry.set(Field::clock_reasons, 0);
  return telemetry;
}

TEST(ClockReasons, AreNamedByTheirBits) {
  EXPECT_THAT(clock_reasons_of(0), IsEmpty());
  EXPECT_THAT(clock_reasons_of(0x1 | 0x4), ElementsAre("idle", "sw-power-cap"));
  EXPECT_THAT(clock_reasons_of(0x1ff),
              ElementsAre("idle", "application-clocks", "sw-power-cap", "hw-slowdown", "sync-boost",
                          "sw-thermal", "hw-thermal", "hw-power-brake", "display-clocks"));
  EXPECT_THAT(clock_reasons_of(0x200), ElementsAre("bit-9"));
}

TEST(Throttling, IsWhatACounterAdvancedBetweenTwoReadings) {
  const auto throttling =
      throttled_between(with_counters(1'000'000, 500'000), with_counters(4'200'000, 500'000));
  EXPECT_EQ(throttling_text(throttling), "sw-power-cap 3.2 ms");
  EXPECT_EQ(throttling_text(throttled_between(with_counters(1, 1), with_counters(1, 1))), "");
  EXPECT_EQ(
      throttling_text(throttled_between(with_counters(0, 0), with_counters(1'500'000, 250'000))),
      "sw-power-cap 1.5 ms, sw-thermal 0.25 ms");
}

TEST(Throttling, OfACounterThatWentBackIsUnknown) {
  const auto throttling = throttled_between(with_counters(5, 0), with_counters(4, 0));
  EXPECT_EQ(throttling.front().reason, "sw-power-cap");
  EXPECT_EQ(throttling.front().ns.missing().reason, "went-back");
}

TEST(Throttling, FlagsABlockByCounters) {
  EXPECT_EQ(telemetry_flags(with_counters(7, 7), with_counters(7, 7)), "");
  EXPECT_EQ(telemetry_flags(with_counters(7, 7), with_counters(7, 8)), "throttled");
}

TEST(Throttling, IsNoIdleAndNoClockThatSomebodyAskedFor) {
  Telemetry before = with_counters(0, 0);
  before.set(Field::clock_reasons, 0x1 | 0x2 | 0x100);
  EXPECT_EQ(telemetry_flags(before, before), "");
}

TEST(Throttling, GoesByTheStateOnlyWhereItsCounterIsNotKnown) {
  Telemetry before = with_counters(0, 0);
  Telemetry after = before;
  // The state says so at the end of the block, the counter that it did not last: no throttling.
  after.set(Field::clock_reasons, 0x20);
  EXPECT_EQ(telemetry_flags(before, after), "");
  after.set(Field::sw_thermal_ns, Missing{"not-supported", ""});
  EXPECT_EQ(telemetry_flags(before, after), "throttled");
  // No counter at all.
  after = with_counters(0, 0);
  after.set(Field::clock_reasons, 0x8);
  EXPECT_EQ(telemetry_flags(before, after), "throttled");
}

TEST(Sharing, IsFlaggedWhenAnotherProcessIsKnown) {
  Telemetry before;
  Telemetry after;
  EXPECT_EQ(telemetry_flags(before, after), "");  // unknown is not shared, and not alone either
  before.set(Field::other_processes, 0);
  after.set(Field::other_processes, 2);
  EXPECT_EQ(telemetry_flags(before, after), "shared");
  EXPECT_EQ(telemetry_flags(after, before), "shared");
  after.set(Field::clock_reasons, 0x40);
  EXPECT_EQ(telemetry_flags(before, after), "throttled shared");
}

Telemetry with_energy(double time_s, std::int64_t energy_mj) {
  Telemetry telemetry;
  telemetry.time_ns = static_cast<std::int64_t>(time_s * 1e9);
  telemetry.set(Field::energy_mj, energy_mj);
  return telemetry;
}

TEST(Energy, IsADifferenceWithTwoStepsAndTheGain) {
  // 500 J in 2 s, 250 W: 2 · 250 W · 0.1 s + 0.05 · 500 J.
  const auto use = energy_between(with_energy(10, 1'000'000), with_energy(12, 1'500'000));
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->energy_j, 500);
  EXPECT_DOUBLE_EQ(use->window_s, 2);
  EXPECT_DOUBLE_EQ(use->uncertainty_j, 75);
}

TEST(Energy, IsUnknownOverAShortWindowAndNeverZero) {
  EXPECT_EQ(energy_between(with_energy(10, 0), with_energy(10.9, 500)).missing().reason,
            "window-too-short");
  EXPECT_EQ(energy_between(with_energy(10, 500), with_energy(20, 500)).missing().reason,
            "window-too-short");
  EXPECT_EQ(energy_between(with_energy(10, 500), with_energy(20, 400)).missing().reason,
            "went-back");
  Telemetry unknown;
  unknown.set(Field::energy_mj, Missing{"not-supported", ""});
  EXPECT_EQ(energy_between(unknown, with_energy(20, 1)).missing().reason, "not-supported");
}

Telemetry with_rapl(double seconds, std::int64_t energy_uj) {
  Telemetry telemetry(processor_fields());
  telemetry.time_ns = static_cast<std::int64_t>(seconds * 1e9);
  telemetry.set(Field::package_energy_uj, energy_uj);
  return telemetry;
}

TEST(Energy, OfAProcessorHasItsOwnStepAndNoGain) {
  // 20 J in 0.2 s: 100 W, of which a millisecond at each end.
  const auto use = energy_between(with_rapl(1, 5'000'000), with_rapl(1.2, 25'000'000));
  ASSERT_TRUE(use);
  EXPECT_EQ(use->meter->name, "RAPL");
  EXPECT_DOUBLE_EQ(use->energy_j, 20);
  EXPECT_NEAR(use->uncertainty_j, 0.2, 1e-9);
  EXPECT_EQ(energy_between(with_rapl(1, 0), with_rapl(1.009, 900)).missing().reason,
            "window-too-short");
  EXPECT_EQ(energy_between(Telemetry{}, Telemetry{}).missing().reason, "not-given");
}

Telemetry on_core(std::int64_t core, std::int64_t core_steal_ns, std::int64_t steal_ns) {
  Telemetry telemetry(processor_fields());
  telemetry.set(Field::core, core);
  telemetry.set(Field::core_steal_ns, core_steal_ns);
  telemetry.set(Field::steal_ns, steal_ns);
  return telemetry;
}

TEST(Stealing, IsOfTheCoreOrOfAllWhereTheThreadChangedIt) {
  EXPECT_EQ(telemetry_flags(on_core(1, 5, 5), on_core(1, 5, 9)), "");
  EXPECT_EQ(telemetry_flags(on_core(1, 5, 5), on_core(1, 6, 9)), "stolen");
  // Counters of two cores cannot be compared.
  EXPECT_EQ(telemetry_flags(on_core(1, 5, 9), on_core(0, 6, 9)), "");
  EXPECT_EQ(telemetry_flags(on_core(1, 6, 5), on_core(0, 5, 9)), "stolen");
  EXPECT_EQ(
      core_advance_of(Field::core_steal_ns, on_core(1, 5, 9), on_core(0, 6, 9)).missing().reason,
      "other-core");
}

TEST(Throttling, OfAProcessorIsByQuotaOrHeat) {
  Telemetry before(processor_fields());
  for (const HoldBack& each : processor_hold_backs) before.set(each.counter, 4);
  before.set(Field::core, 0);
  EXPECT_EQ(telemetry_flags(before, before), "");
  for (const HoldBack& each : processor_hold_backs) {
    Telemetry after = before;
    after.set(each.counter, 5);
    EXPECT_EQ(telemetry_flags(before, after), "throttled") << each.slug;
    after.set(each.counter, Missing{"not-permitted", ""});
    EXPECT_EQ(telemetry_flags(before, after), "") << each.slug;
  }
}

TEST(TelemetryFields, AreThoseOfTheDevice) {
  EXPECT_FALSE(Telemetry(processor_fields()).has(Field::sm_clock_hz));
  EXPECT_FALSE(Telemetry(gpu_fields()).has(Field::busy_ns));
  EXPECT_TRUE(Telemetry(processor_fields()).has(Field::temperature_c));
  Telemetry some;
  some.set(Field::busy_ns, 3);
  some.set(Field::temperature_c, 4);
  EXPECT_THAT(some.fields(), ElementsAre(Field::temperature_c, Field::busy_ns));
  EXPECT_EQ(some.of(Field::core).missing().reason, "not-given");
  const std::array wanted{Field::busy_ns, Field::core};
  const Telemetry same = some.with_fields(wanted);
  EXPECT_THAT(same.fields(), ElementsAre(Field::core, Field::busy_ns));
  EXPECT_EQ(*same.of(Field::busy_ns), 3);
  EXPECT_FALSE(same.of(Field::core));
}

TEST(TelemetryFields, AreFoundByName) {
  EXPECT_FALSE(telemetry_field("fan_speed"));
  for (std::size_t i = 0; i < telemetry_fields.size(); ++i) {
    EXPECT_EQ(*telemetry_field(telemetry_fields[i].name), static_cast<Field>(i));
  }
  EXPECT_EQ(name_of(Field::energy_mj), "energy_mj");
  EXPECT_EQ(name_of(Field::package_energy_uj), "package_energy_uj");
}

TEST(Reason, IsASlug) {
  EXPECT_TRUE(is_reason("not-supported"));
  for (const char* text : {"", "Not Supported", "a:b", "a;b", "a,b"}) EXPECT_FALSE(is_reason(text));
}

}  // namespace
