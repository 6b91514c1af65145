// SPDX-License-Identifier: MIT
#include "assay/judge/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "assay/judge/judge.hpp"
#include "assay/judge/seen_together.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::evidence_of;
using judge_test::Synthetic;
using testing::HasSubstr;

constexpr std::int64_t block_ns = 120'000'000;

// Blocks of 120 ms of a process that is busy all the time; foreign: cores' worth of others by
// (trial, block).
using Load = double (*)(std::int64_t trial, std::int64_t block);
void add_readings(record::Evidence& evidence, std::int64_t trials, std::int64_t blocks,
                  Load foreign, const std::function<void(Telemetry&, Telemetry&)>& change = {}) {
  std::int64_t busy_ns = 1'000'000'000;
  std::int64_t time_ns = 5'000'000'000;
  for (std::int64_t trial = 1; trial <= trials; ++trial) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      record::TelemetryRow row;
      row.trial = row.process = trial;
      row.problem = "sum";
      row.case_id = "n=1024";
      row.state = "warm";
      row.boundary = "call";
      row.block = block;
      Telemetry before(processor_fields());
      before.time_ns = time_ns;
      before.set(Field::core, 1);
      before.set(Field::process_ns, block * block_ns);
      before.set(Field::busy_ns, busy_ns);
      before.set(Field::steal_ns, 0);
      before.set(Field::core_steal_ns, 0);
      before.set(Field::quota_throttles, 0);
      Telemetry after = before;
      after.time_ns += block_ns;
      after.set(Field::process_ns, (block + 1) * block_ns);
      // In ticks, as the machine counts.
      busy_ns += static_cast<std::int64_t>((1 + foreign(trial, block)) * 12) * 10'000'000;
      after.set(Field::busy_ns, busy_ns);
      if (change) change(before, after);
      row.moment = "before";
      row.telemetry = before;
      evidence.telemetry.push_back(row);
      row.moment = "after";
      row.telemetry = after;
      evidence.telemetry.push_back(row);
      time_ns += block_ns + 1'000'000;
    }
  }
}

const LoadResult& load(const DeviceResult& device, const std::string& name) {
  return *std::find_if(device.loads.begin(), device.loads.end(),
                       [&](const LoadResult& each) { return each.quantity == name; });
}

std::string text_of_finding(const Result& result, const std::string& slug) {
  for (const Finding& each : result.findings) {
    if (each.slug == slug) return each.text;
  }
  return "";
}

TEST(LoadDuringTheRun, ThatBeginsInTheMiddleIsFoundAndSaid) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  add_readings(evidence, 8, 5,
               [](std::int64_t trial, std::int64_t) { return trial < 5 ? 0. : 1.; });
  const Result result = judge(evidence, Ending::complete);
  ASSERT_TRUE(result.device);
  const LoadResult& foreign = load(*result.device, "foreign_load");
  EXPECT_EQ(foreign.windows, 40);
  ASSERT_TRUE(foreign.changes);
  ASSERT_EQ(foreign.changes->size(), 1U);
  EXPECT_EQ(foreign.changes->front().trial, 5);
  EXPECT_NEAR(foreign.changes->front().before, 0, 1e-9);
  // Of the pauses between blocks, a hundredth, nothing is in the busy time of this machine.
  EXPECT_NEAR(foreign.changes->front().after, 1, 0.01);
  EXPECT_NEAR(foreign.changes->front().after_s, 20 * 0.121, 1e-6);
  EXPECT_THAT(text_of_finding(result, "machine.load-changed"),
              testing::AllOf(HasSubstr("0.00 cores' worth at first"),
                             HasSubstr("0.99 cores' worth from trial 5 on"), HasSubstr("2.420 s")));
  // It is in the record as it was found.
  const Json json = to_json(result);
  EXPECT_EQ(to_json(result_from_json(json, "result.json")), json);
}

TEST(LoadDuringTheRun, ThatStaysAsItIsIsNoFinding) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  // One tick in four blocks more.
  add_readings(evidence, 8, 5,
               [](std::int64_t, std::int64_t block) { return block % 4 == 1 ? 0.6 : 0.5; });
  const Result result = judge(evidence, Ending::complete);
  EXPECT_TRUE(load(*result.device, "foreign_load").changes->empty());
  EXPECT_EQ(text_of_finding(result, "machine.load-changed"), "");
}

TEST(LoadDuringTheRun, IsSeenOverTrialsThatAreShorterThanAWindow) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  add_readings(evidence, 80, 1,
               [](std::int64_t trial, std::int64_t) { return trial < 40 ? 0. : 1.; });
  // Blocks of 12 ms, of a machine that counts as finely.
  for (record::TelemetryRow& row : evidence.telemetry) {
    for (const Field field : {Field::busy_ns, Field::process_ns}) {
      row.telemetry.set(field, *row.telemetry.of(field) / 10);
    }
    row.telemetry.time_ns /= 10;
  }
  const Result result = judge(evidence, Ending::complete);
  const LoadResult& foreign = load(*result.device, "foreign_load");
  EXPECT_EQ(foreign.windows, 9);
  EXPECT_EQ(foreign.changes.missing().reason, "insufficient");
}

TEST(LoadDuringTheRun, IsUnknownFromTooFewWindowsAndWhereNothingTells) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  add_readings(evidence, 2, 5, [](std::int64_t, std::int64_t) { return 0.; });
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(load(*result.device, "foreign_load").changes.missing().reason, "insufficient");
  EXPECT_EQ(load(*result.device, "io_pressure").median.missing().reason, "not-read");
}

TEST(MarksOfAProcessor, AreCountedByBlockAndSaid) {
  record::Evidence evidence = evidence_of(Synthetic{}, 8);
  std::int64_t calls = 0;
  add_readings(
      evidence, 1, 4, [](std::int64_t, std::int64_t) { return 0.; },
      [&](Telemetry&, Telemetry& after) {
        if (++calls == 1) after.set(Field::quota_throttles, 3);
        // On another core nothing is known of the core's own counters.
        if (calls == 2) after.set(Field::core, 0);
        if (calls == 3) after.set(Field::core_steal_ns, 10'000'000);
      });
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(result.device->throttled_blocks, 1);
  const auto counter = [&](const std::string& name) {
    return *std::find_if(result.device->counters.begin(), result.device->counters.end(),
                         [&](const DeviceCounter& each) { return each.name == name; });
  };
  EXPECT_EQ(counter("quota_throttles").advance, 3);
  EXPECT_EQ(counter("core_steal_ns").known_blocks, 3);
  EXPECT_EQ(counter("core_steal_ns").blocks, 1);
  EXPECT_THAT(text_of_finding(result, "device.throttled"), HasSubstr("quota 3 times"));
}

TEST(SeenTogether, IsSaidOfATimeThatMovedWithTheLoad) {
  Synthetic world;
  world.sd_sample = world.sd_trial = 0.0005;
  record::Evidence evidence = evidence_of(world, 8);
  // Trials from 5 on take twice as long: two modes between trials, or a drift.
  for (record::Sample& row : evidence.samples.rows) {
    if (row.trial >= 5) row.interval_ns *= 2 + 0.01 * row.trial;
    if (row.trial < 5) row.interval_ns *= 1 + 0.01 * row.trial;
  }
  add_readings(evidence, 8, 3,
               [](std::int64_t trial, std::int64_t) { return static_cast<double>(trial) / 4; });
  Index index(evidence.plan, evidence.calibration);
  index.update(evidence.samples);
  Result result = judge(evidence, index, Ending::complete);
  // Whatever the finding that makes it look.
  result.findings = {{"differences.lopsided", "", result.cells[0].cell}};
  detail::add_seen_together(result.findings, evidence, index, result.cells);
  EXPECT_THAT(text_of_finding(result, "time.seen-together"),
              testing::AllOf(HasSubstr("load by other processes"), HasSubstr("over 8 trials"),
                             HasSubstr("does not say that one caused the other")));
  // Without a finding about the times nothing is looked for.
  std::vector<Finding> none;
  result.cells[0].steadiness = {};
  for (SubjectResult& subject : result.cells[0].subjects) {
    subject.modality = Missing{"not-measured", ""};
  }
  detail::add_seen_together(none, evidence, index, result.cells);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace assay::judge
