// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "assay/doctor/counters.hpp"
#include "assay/doctor/doctor.hpp"

namespace assay::doctor {
namespace {

using env::Fitness;
using testing::HasSubstr;

std::vector<experiment::TimerDescription> timer(Reading<double> step_ns) {
  experiment::TimerDescription description;
  description.name = "a-clock";
  description.resolution_ns = step_ns;
  description.floor_ns = 25.0;
  return {description};
}

TEST(TimerCheck, ComparesTheStepWithWhatIsMeasured) {
  EXPECT_EQ(timer_check(timer(20.0)).fitness, Fitness::fit);
  EXPECT_THAT(timer_check(timer(20.0)).found, HasSubstr("step 20.00 ns, an empty interval"));
  EXPECT_EQ(timer_check(timer(4e3)).fitness, Fitness::reservation);
  EXPECT_EQ(timer_check(timer(4e6)).fitness, Fitness::unfit);
  EXPECT_EQ(timer_check(timer(Missing{"one-value", ""})).fitness, Fitness::unknown);
  EXPECT_EQ(timer_check({}).fitness, Fitness::unknown);
}

TEST(ColdCheck, BelievesInEmptiedCachesOnlyWhereTheyAreSlower) {
  EXPECT_EQ(cold_check(50e3, 10e3).fitness, Fitness::fit);
  EXPECT_THAT(cold_check(50e3, 10e3).found, HasSubstr("5.00"));
  EXPECT_EQ(cold_check(10.5e3, 10e3).fitness, Fitness::reservation);
  EXPECT_EQ(cold_check(Missing{"x", "no such state"}, 10e3).fitness, Fitness::unknown);
  EXPECT_EQ(cold_check(50e3, 0.0).fitness, Fitness::unknown);
  EXPECT_THAT(cold_check(50e3, Missing{"x", "no such state"}).found, HasSubstr("no such state"));
}

TEST(DiskCheck, AsksForRoomForARecord) {
  EXPECT_EQ(disk_check("records", 5e9).fitness, Fitness::fit);
  EXPECT_EQ(disk_check("records", 5e8).fitness, Fitness::reservation);
  EXPECT_EQ(disk_check("records", 5e6).fitness, Fitness::unfit);
  EXPECT_EQ(disk_check("records", Missing{"not-permitted", "/"}).fitness, Fitness::unfit);
}

TEST(CountersCheck, IsNoReservationWithoutThem) {
  EXPECT_EQ(counters_check(true).fitness, Fitness::fit);
  EXPECT_EQ(counters_check(Missing{"not-supported", "No such file"}).fitness, Fitness::unknown);
  EXPECT_THAT(counters_check(Missing{"not-permitted", ""}).advice,
              HasSubstr("perf_event_paranoid"));
}

TEST(DeviceChecks, ReadWhatTheDriverSaid) {
  experiment::DeviceDescription device;
  EXPECT_TRUE(device_checks(device).empty());
  device.facts = {
      {"persistence-mode", std::string("off")},  {"mig-mode", std::string("off")},
      {"power-limit", std::string("500 W")},     {"default-power-limit", std::string("700 W")},
      {"max-sm-clock", std::string("1980 MHz")}, {"vbios-version", Missing{"not-supported", ""}}};
  const auto checks = device_checks(device);
  ASSERT_EQ(checks.size(), 4U);
  EXPECT_EQ(checks[0].fitness, Fitness::reservation);
  EXPECT_EQ(checks[1].fitness, Fitness::fit);
  EXPECT_EQ(checks[2].fitness, Fitness::reservation);
  EXPECT_THAT(checks[2].found, HasSubstr("500 W, default 700 W"));
  EXPECT_EQ(checks[3].fitness, Fitness::unknown);
}

TEST(ExaminationText, PutsWhatNeedsAttentionFirst) {
  Examination examination;
  examination.checks = {{"a.fit", Fitness::fit, "well", "why a", ""},
                        {"b.unknown", Fitness::unknown, "not told", "why b", "do b"},
                        {"c.busy", Fitness::reservation, "busy", "why c", "do c"},
                        {"d.traced", Fitness::unfit, "traced", "why d", "do d"}};
  EXPECT_EQ(examination_text(examination),
            "  UNFIT  d.traced   traced\n"
            "                    why d\n"
            "                    → do d\n"
            "  !      c.busy     busy\n"
            "                    why c\n"
            "                    → do c\n"
            "  ?      b.unknown  not told\n"
            "                    → do b\n"
            "  ok     a.fit      well\n"
            "\nThis machine is unfit: d.traced; also c.busy.\n");
  const Json json = to_json(examination);
  EXPECT_EQ(json["fitness"], "unfit");
  EXPECT_EQ(json["checks"][2]["advice"], "do c");
}

}  // namespace
}  // namespace assay::doctor
