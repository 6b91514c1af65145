// SPDX-License-Identifier: MIT
#include "assay/record/telemetry_table.hpp"

#include <gmock/gmock.h>

#include "support.hpp"

namespace assay::record {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TelemetryRow some_reading() {
  TelemetryRow row;
  row.trial = 2;
  row.process = 3;
  row.problem = "sum";
  row.case_id = "n=16";
  row.state = "warm";
  row.boundary = "device";
  row.block = 4;
  row.position = 5;
  row.moment = "before";
  row.telemetry.time_ns = 99;
  row.telemetry.took_ns = 7;
  std::int64_t value = 100;
  for (const Field field : gpu_fields()) row.telemetry.set(field, value++);
  row.telemetry.set(Field::temperature_c, -5);
  row.telemetry.set(Field::power_instant_mw,
                    Missing{"not-supported", "a sentence; with anything: in it"});
  row.telemetry.set(Field::other_processes, Missing{"own-process-not-listed", "another"});
  return row;
}

std::string table_of(const std::string& row) { return telemetry_header(gpu_fields()) + "\n" + row; }

TEST(TelemetryCsv, HasTheColumnsOfTheReference) {
  EXPECT_EQ(telemetry_header(gpu_fields()),
            "trial,process,problem,case,state,boundary,phase,block,position,moment,time_ns,took_ns,"
            "sm_clock_hz,memory_clock_hz,temperature_c,power_average_mw,power_instant_mw,energy_mj,"
            "clock_reasons,sw_power_cap_ns,sync_boost_ns,sw_thermal_ns,hw_thermal_ns,"
            "hw_power_brake_ns,performance_state,other_processes,used_memory_bytes,missing");
}

TEST(TelemetryCsv, HasTheColumnsOfItsDevice) {
  TelemetryRow row = some_reading();
  row.telemetry = Telemetry(processor_fields(), {"no-such-file", ""});
  row.telemetry.set(Field::core, 3);
  row.telemetry.set(Field::package_energy_uj, 8);
  const std::string header = telemetry_header(row.telemetry.fields());
  EXPECT_THAT(header, HasSubstr(",took_ns,temperature_c,core,core_clock_hz,"));
  EXPECT_THAT(header, HasSubstr(",package_energy_uj,missing"));
  std::string text;
  append_csv(text, row);
  const auto rows = parse_telemetry(header + "\n" + text, "telemetry.csv", false);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].telemetry.values(), row.telemetry.values());
}

TEST(TelemetryCsv, RefusesColumnsThatItDoesNotKnowOrThatAreOutOfOrder) {
  std::string text;
  append_csv(text, some_reading());
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string table = table_of(text);
    table.replace(table.find(from), from.size(), to);
    return refusal_of(ErrorKind::bad_input,
                      [&] { parse_telemetry(table, "telemetry.csv", false); });
  };
  EXPECT_THAT(refusal("sm_clock_hz", "fan_hz"), HasSubstr("fan_hz"));
  EXPECT_THAT(refusal("sm_clock_hz,memory_clock_hz", "memory_clock_hz,sm_clock_hz"),
              HasSubstr("memory_clock_hz"));
  EXPECT_THAT(refusal("sm_clock_hz", "sm_clock_hz,sm_clock_hz"), HasSubstr("columns"));
  EXPECT_THAT(refusal("trial,", ""), HasSubstr("columns"));
  EXPECT_THAT(refusal(",missing", ""), HasSubstr("columns"));
}

TEST(TelemetryCsv, LeavesAMissingValueEmptyAndSaysWhy) {
  std::string text;
  append_csv(text, some_reading());
  EXPECT_EQ(text,
            "2,3,sum,n=16,warm,device,measure,4,5,before,99,7,100,101,-5,103,,105,106,107,108,109,"
            "110,111,112,,114,power_instant_mw:not-supported;other_processes:own-process-not-"
            "listed\n");
}

TEST(TelemetryCsv, ReadsBackWithoutTheDetails) {
  std::string text;
  TelemetryRow row = some_reading();
  append_csv(text, row);
  const auto rows = parse_telemetry(table_of(text), "telemetry.csv", false);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].case_id, "n=16");
  EXPECT_EQ(rows[0].moment, "before");
  EXPECT_EQ(rows[0].telemetry.took_ns, 7);
  row.telemetry.set(Field::power_instant_mw, Missing{"not-supported", ""});
  row.telemetry.set(Field::other_processes, Missing{"own-process-not-listed", ""});
  EXPECT_EQ(rows[0].telemetry.values(), row.telemetry.values());
  std::string again;
  append_csv(again, rows[0]);
  EXPECT_EQ(again, text);
}

TEST(TelemetryCsv, DropsARowThatWasCutOffWhereThatMayBe) {
  std::string text;
  append_csv(text, some_reading());
  const std::string cut = table_of(text + text.substr(0, text.size() / 2));
  EXPECT_EQ(parse_telemetry(cut, "telemetry.csv", true).size(), 1U);
  refusal_of(ErrorKind::bad_input, [&] { parse_telemetry(cut, "telemetry.csv", false); });
}

// The row of some_reading() with `from` replaced.
std::string refusal_with(const std::string& from, const std::string& to) {
  std::string text;
  append_csv(text, some_reading());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return refusal_of(ErrorKind::bad_input,
                    [&] { parse_telemetry(table_of(text), "telemetry.csv", false); });
}

TEST(TelemetryCsv, RefusesWhatItWouldNotWrite) {
  EXPECT_THAT(refusal_with("before", "meanwhile"), AllOf(HasSubstr("moment"), HasSubstr("2")));
  EXPECT_THAT(refusal_with("measure", "canary"), HasSubstr("phase"));
  EXPECT_THAT(refusal_with(",100,", ",-100,"), HasSubstr("sm_clock_hz"));
  // A value without a reason for its absence, a reason for what is there, one for what is nowhere.
  EXPECT_THAT(refusal_with("power_instant_mw:not-supported;", ""), HasSubstr("power_instant_mw"));
  EXPECT_THAT(refusal_with(",100,", ",,"), HasSubstr("sm_clock_hz"));
  EXPECT_THAT(refusal_with("power_instant_mw:", "energy_mj:x;power_instant_mw:"),
              HasSubstr("energy_mj"));
  EXPECT_THAT(refusal_with("power_instant_mw:", "fan:x;power_instant_mw:"), HasSubstr("fan"));
  EXPECT_THAT(refusal_with(":not-supported", ":Not Supported"), HasSubstr("NAME:reason"));
}

}  // namespace
}  // namespace assay::record
