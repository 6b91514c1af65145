// SPDX-License-Identifier: MIT
#include "assay/judge/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "assay/base/telemetry_marks.hpp"
#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::evidence_of;
using judge_test::Synthetic;

// Readings around one block of 0.5 s, at 300 W.
void add_block(record::Evidence& evidence, std::int64_t trial, std::int64_t block,
               const std::function<void(Telemetry&, Telemetry&)>& change = {}) {
  record::TelemetryRow row;
  row.trial = trial;
  row.process = trial;
  row.problem = "sum";
  row.case_id = "n=1024";
  row.state = "warm";
  row.boundary = "call";
  row.block = block;
  Telemetry before;
  before.time_ns = trial * 100'000'000'000 + block * 500'000'000;
  before.took_ns = 4'000'000;
  before.set(Field::sm_clock_hz, 1'980'000'000);
  before.set(Field::energy_mj, trial * 1'000'000 + block * 150'000);
  before.set(Field::clock_reasons, 0);
  for (const ThrottleReason& reason : throttle_reasons) {
    if (reason.counter_ns) before.set(*reason.counter_ns, 0);
  }
  before.set(Field::other_processes, 0);
  before.set(Field::power_average_mw, Missing{"not-supported", ""});
  Telemetry after = before;
  after.time_ns += 500'000'000;
  after.set(Field::energy_mj, *before.of(Field::energy_mj) + 150'000);
  if (change) change(before, after);
  row.moment = "before";
  row.telemetry = before;
  evidence.telemetry.push_back(row);
  row.moment = "after";
  row.telemetry = after;
  evidence.telemetry.push_back(row);
}

const DeviceQuantity& quantity(const DeviceResult& device, const std::string& name) {
  return *std::find_if(device.quantities.begin(), device.quantities.end(),
                       [&](const DeviceQuantity& each) { return each.name == name; });
}

TEST(Device, SaysNothingWhereNothingWasTold) {
  const record::Evidence evidence = evidence_of(Synthetic{}, 8);
  EXPECT_FALSE(detail::device_of(evidence));
  EXPECT_FALSE(to_json(judge(evidence, Ending::complete)).contains("device"));
}

TEST(Device, DescribesTheMeasuredBlocksOnly) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  add_block(evidence, 0, 0,
            [](Telemetry& before, Telemetry&) { before.set(Field::sm_clock_hz, 1); });
  for (std::int64_t block = 0; block < 4; ++block) {
    add_block(evidence, 1, block, [&](Telemetry&, Telemetry& after) {
      after.set(Field::sm_clock_hz, 1'980'000'000 - block * 10'000'000);
    });
  }
  evidence.telemetry[4].phase = evidence.telemetry[5].phase = record::Phase::warm_up;
  const auto device = detail::device_of(evidence);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->blocks, 3);
  const DeviceQuantity& clock = quantity(*device, "sm_clock_hz");
  EXPECT_EQ(clock.readings, 6);
  EXPECT_EQ(clock.least, 1.95e9);
  EXPECT_EQ(clock.median, 1.98e9);
  EXPECT_EQ(clock.greatest, 1.98e9);
  EXPECT_EQ(device->median_reading_ns, 4e6);
  // A pair that lost its second reading is none.
  evidence.telemetry.pop_back();
  EXPECT_EQ(detail::device_of(evidence)->blocks, 2);
}

TEST(Device, AddsUpThrottlingOverBlocksAndNotBetweenThem) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  add_block(evidence, 1, 0, [](Telemetry& before, Telemetry& after) {
    before.set(Field::sw_power_cap_ns, 5);
    after.set(Field::sw_power_cap_ns, 1'000'005);
  });
  add_block(evidence, 1, 1, [](Telemetry& before, Telemetry& after) {
    before.set(Field::sw_power_cap_ns, 90'000'000);  // between the blocks: no sample was there
    after.set(Field::sw_power_cap_ns, 92'200'000);
  });
  add_block(evidence, 1, 2, [](Telemetry& before, Telemetry& after) {
    before.set(Field::sw_power_cap_ns, Missing{"not-supported", ""});
    after.set(Field::sw_power_cap_ns, Missing{"not-supported", ""});
    after.set(Field::other_processes, 1);
  });
  const auto device = detail::device_of(evidence);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->throttled_blocks, 2);
  EXPECT_EQ(device->shared_blocks, 1);
  ASSERT_EQ(device->throttling.size(), 5U);
  EXPECT_EQ(device->throttling[0].reason, "sw-power-cap");
  EXPECT_EQ(device->throttling[0].blocks, 2);
  EXPECT_EQ(device->throttling[0].advance_ns, 3'200'000);
  EXPECT_EQ(device->throttling[1].blocks, 0);
  const Result result = judge(evidence, Ending::complete);
  std::vector<std::string> slugs;
  for (const Finding& finding : result.findings) slugs.push_back(finding.slug);
  EXPECT_EQ(std::count(slugs.begin(), slugs.end(), "device.throttled"), 1);
  EXPECT_EQ(std::count(slugs.begin(), slugs.end(), "device.shared"), 1);
}

TEST(Device, DoesNotTakeUnknownProcessesForNone) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  const Missing unknown{"own-process-not-listed", ""};
  add_block(evidence, 1, 0, [&](Telemetry& before, Telemetry& after) {
    before.set(Field::other_processes, unknown);
    after.set(Field::other_processes, unknown);
  });
  add_block(evidence, 1, 1);
  const auto device = detail::device_of(evidence);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->shared_blocks, 0);
  EXPECT_EQ(device->unknown_shared_blocks, 1);
  const auto gap =
      std::find_if(device->missing.begin(), device->missing.end(),
                   [](const DeviceGap& each) { return each.name == "other_processes"; });
  ASSERT_NE(gap, device->missing.end());
  EXPECT_EQ(gap->reason, "own-process-not-listed");
  EXPECT_EQ(gap->readings, 2);
}

TEST(Device, AddsUpTheEnergyOfProcessesThatRanLongEnough) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  add_block(evidence, 1, 0);
  // 0.5 s is too short.
  EXPECT_EQ(detail::device_of(evidence)->energy.missing().reason, "window-too-short");
  for (const std::int64_t trial : {2, 3}) {
    for (std::int64_t block = 0; block < 4; ++block) add_block(evidence, trial, block);
  }
  // Two of 2 s at 300 W: 2 · (2 · 300 W · 0.1 s + 0.05 · 600 J).
  const auto energy = detail::device_of(evidence)->energy;
  ASSERT_TRUE(energy);
  EXPECT_EQ(energy->processes, 2);
  EXPECT_DOUBLE_EQ(energy->energy_j, 1200);
  EXPECT_DOUBLE_EQ(energy->window_s, 4);
  EXPECT_DOUBLE_EQ(energy->uncertainty_j, 180);
}

TEST(Device, CountsABlockOnceWhereTwoBuildsHaveAPartOfIt) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  const Missing none{"not-supported", ""};
  for (std::int64_t block = 0; block < 2; ++block) {
    for (const std::int64_t faults : {0, 3}) {
      add_block(evidence, 1, block, [&](Telemetry& before, Telemetry& after) {
        before = Telemetry(processor_fields());
        before.time_ns = 1'000'000'000 * block;
        before.set(Field::busy_ns, 0);
        before.set(Field::major_faults, 5);
        before.set(Field::temperature_c, none);
        after = before;
        after.time_ns += 1'000'000;
        after.set(Field::major_faults, 5 + faults);
      });
    }
  }
  const auto device = detail::device_of(evidence);
  ASSERT_TRUE(device);
  EXPECT_EQ(device->blocks, 2);
  EXPECT_EQ(device->readings, 8);
  const auto counter =
      std::find_if(device->counters.begin(), device->counters.end(),
                   [](const DeviceCounter& each) { return each.name == "major_faults"; });
  ASSERT_NE(counter, device->counters.end());
  EXPECT_EQ(counter->known_blocks, 2);
  EXPECT_EQ(counter->blocks, 2);
  EXPECT_EQ(counter->advance, 6);
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(to_json(result).at("device").at("readings"), 8);
  EXPECT_EQ(to_json(result_from_json(to_json(result), "here")), to_json(result));
}

TEST(Device, CountsFlaggedSamplesByWholeFlags) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  add_block(evidence, 1, 0);
  auto& rows = evidence.samples.rows;
  std::size_t left = 3;
  for (record::Sample& row : rows) {
    if (row.trial == 0 || row.phase != record::Phase::measure || left == 0) continue;
    row.flags = evidence.samples.names.index_of(left == 3   ? "switched throttled"
                                                : left == 2 ? "throttled shared"
                                                            : "unthrottled");
    --left;
  }
  const auto device = detail::device_of(evidence);
  ASSERT_EQ(device->flagged.size(), 2U);
  EXPECT_EQ(device->flagged[0].name, "shared");
  EXPECT_EQ(device->flagged[0].count, 1);
  EXPECT_EQ(device->flagged[1].count, 2);
}

TEST(Device, ReadsBackAsItIsWritten) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  for (std::int64_t block = 0; block < 4; ++block) {
    add_block(evidence, 1, block,
              [](Telemetry&, Telemetry& after) { after.set(Field::clock_reasons, 0x5); });
  }
  const Json json = to_json(judge(evidence, Ending::complete));
  ASSERT_TRUE(json.contains("device"));
  EXPECT_EQ(to_json(result_from_json(json, "result.json")), json);
}

}  // namespace
}  // namespace assay::judge
