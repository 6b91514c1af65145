// SPDX-License-Identifier: MIT
//
// Ceilings in the plan, and what follows for times: the synthetic baseline moves 12288 bytes in
// 10 µs, 1.2288 GB/s.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::evidence_of;
using testing::HasSubstr;

MachineCeilings machine_of(double l1_gb_per_s, double memory_gb_per_s) {
  MachineCeilings machine;
  machine.cores = {0, 1};
  machine.cores_allowed = 2;
  machine.levels = {{"L1", std::int64_t{32768}, 2}, {"memory", std::int64_t{1} << 34, 1}};
  for (const std::int64_t threads : {1, 2}) {
    const auto add = [&](const char* level, const char* kernel, const char* stores, double gb) {
      const double rate = gb * 1e9 * static_cast<double>(threads);
      machine.bandwidths.push_back({level, kernel, stores, threads, 1024, Passes{rate, rate, 10}});
    };
    add("L1", "read", "none", l1_gb_per_s);
    add("L1", "copy", "regular", l1_gb_per_s);
    add("memory", "read", "none", memory_gb_per_s);
    add("memory", "copy", "regular", memory_gb_per_s);
    machine.compute.push_back({"f32", threads, Passes{1e9, 1e9, 10}});
  }
  machine.calls = {{"empty-iteration", Passes{0.5, 0.5, 10}}};
  return machine;
}

record::Evidence evidence_with(const MachineCeilings& machine, int threads = 1) {
  record::Evidence evidence = evidence_of({}, 8);
  evidence.plan.ceilings = machine;
  evidence.plan.ceilings_source =
      experiment::CeilingsSource{"2026-11-29T21:44:05+00:00", 1, "0.1.0"};
  experiment::ProblemDescription problem;
  problem.name = "sum";
  for (const char* name : {"before", "after"}) {
    problem.subjects.push_back({name, threads, {}, 0});
  }
  evidence.plan.descriptions[0].problems = {problem};
  experiment::TimerDescription timer;
  timer.name = "steady";
  timer.floor_ns = 50.0;
  evidence.plan.descriptions[0].timers = {timer};
  return evidence;
}

const SubjectResult& first(const Result& result) { return result.cells[0].subjects[0]; }

TEST(Limits, AreOfTheNearestLevelThatHoldsTheFootprint) {
  const Result result = judge(evidence_with(machine_of(2, 0.1)), Ending::complete);
  const SubjectResult& subject = first(result);
  ASSERT_TRUE(subject.valid) << subject.why_invalid;
  ASSERT_TRUE(subject.limits);
  const model::Limits& predicted = subject.limits->predicted;
  EXPECT_EQ(predicted.threads, 1);
  EXPECT_EQ(predicted.memory->at, "L1");
  EXPECT_EQ(predicted.memory->kernel, "copy");
  EXPECT_DOUBLE_EQ(*predicted.bound_ns, 12288 / 2.0);
  EXPECT_NEAR(*subject.limits->share_frac, 0.6144, 0.01);
  EXPECT_EQ(*subject.limits->bound, "memory-bound");
  EXPECT_DOUBLE_EQ(predicted.compute->ns, 1024);
  // A hundred calls share the timer's floor; each goes once around the loop.
  EXPECT_DOUBLE_EQ(*predicted.launch_ns, 50.0 / 100 + 0.5);
  EXPECT_DOUBLE_EQ(*predicted.flop_per_byte, 1024.0 / 12288);
  // The memory's own ceiling says nothing of what a cache may hold.
  EXPECT_EQ(subject.ceiling_share_frac.missing().reason, "in-cache");
  EXPECT_EQ(to_json(result), to_json(result_from_json(to_json(result), "here")));
}

TEST(Limits, ATimeBelowWhatTheNearestCacheAllowsIsImpossible) {
  // 5 % more than 1.16 GB/s are less than what was "moved", than 1.19 GB/s more.
  const Result impossible = judge(evidence_with(machine_of(1.16, 0.1)), Ending::complete);
  EXPECT_FALSE(first(impossible).valid);
  EXPECT_THAT(first(impossible).why_invalid, HasSubstr("impossible-time"));
  EXPECT_THAT(first(impossible).why_invalid, HasSubstr("must have come from L1"));
  EXPECT_FALSE(first(impossible).limits);
  EXPECT_EQ(impossible.exit_status, 12);
  EXPECT_TRUE(first(judge(evidence_with(machine_of(1.19, 0.1)), Ending::complete)).valid);
}

TEST(Limits, TheRowIsThatOfTheSubjectsThreads) {
  const Result all = judge(evidence_with(machine_of(1.16, 0.1), -1), Ending::complete);
  EXPECT_TRUE(first(all).valid);
  EXPECT_EQ(first(all).limits->predicted.threads, 2);
  EXPECT_DOUBLE_EQ(first(all).limits->predicted.memory->rate, 2 * 1.16e9);
}

TEST(Limits, OperationsOfADtypeWithoutAPeakHaveNone) {
  record::Evidence evidence = evidence_with(machine_of(2, 0.1));
  evidence.plan.cells[0].work =
      experiment::WorkDescription{8192, 4096, 1024, 64, "tokens", {{"bf16", 1024}}};
  const Result result = judge(evidence, Ending::complete);
  const LimitsResult& limits = *first(result).limits;
  EXPECT_EQ(limits.predicted.compute.missing().reason, "not-measured");
  EXPECT_EQ(limits.bound.missing().reason, "not-measured");
  EXPECT_NEAR(*limits.items_per_s, 64 / 10e-6, 0.02 * 64 / 10e-6);
  EXPECT_EQ(limits.item_name, "tokens");
}

TEST(Limits, ThePlanSaysWhyThereAreNone) {
  record::Evidence evidence = evidence_with(machine_of(2, 0.1));
  evidence.plan.ceilings = Missing{"not-measured", "not measured; some command does it"};
  const Result without = judge(evidence, Ending::complete);
  EXPECT_EQ(first(without).ceiling_share_frac.missing().detail,
            "not measured; some command does it");
  EXPECT_EQ(first(without).limits->bound.missing().reason, "not-measured");
  EXPECT_TRUE(first(without).limits->predicted.flop_per_byte);
  // A plan from before there were any gives the result that it gave.
  evidence.plan.ceilings = experiment::Plan().ceilings;
  EXPECT_FALSE(first(judge(evidence, Ending::complete)).limits);
}

// A device: 1 KiB or more of cache whose rate is not known, and the memory at 0.9 GB/s.
MachineCeilings device_of(std::int64_t cache_bytes) {
  MachineCeilings device;
  device.levels = {{"L2", cache_bytes, 1}, {"memory", std::int64_t{1} << 37, 1}};
  for (const char* kernel : {"read", "copy"}) {
    const char* stores = kernel == std::string("read") ? "none" : "regular";
    device.bandwidths.push_back({"memory", kernel, stores, 1, 1 << 20, Passes{0.9e9, 0.9e9, 7}});
  }
  device.compute = {{"f32", 1, Passes{1e9, 1e9, 7}},
                    {"bf16", 1, Passes{2e8, 2e8, 7}, "matrix-product", "cuBLAS 13.1.0"}};
  device.calls = {{"empty-kernel", Passes{40, 50, 201}}};
  return device;
}

TEST(Limits, OfADeviceAreOfAllOfIt) {
  record::Evidence evidence = evidence_with(device_of(1024), 64);
  // Of 12288 bytes all but twice the cache, at 0.945 GB/s: 10.8 µs.
  const Result impossible = judge(evidence, Ending::complete);
  EXPECT_THAT(first(impossible).why_invalid, HasSubstr("the fastest simple kernel moved"));
  evidence.plan.ceilings = device_of(1 << 20);
  const Result in_cache = judge(evidence, Ending::complete);
  EXPECT_TRUE(first(in_cache).valid);
  EXPECT_EQ(first(in_cache).ceiling_share_frac.missing().reason, "in-cache");
}

TEST(Limits, OperationsOfADeviceHaveAPeakForEachDtype) {
  record::Evidence evidence = evidence_with(device_of(1 << 20));
  evidence.plan.cells[0].work = experiment::WorkDescription{0, 0, 1024, 0, "", {{"bf16", 1024}}};
  const Result result = judge(evidence, Ending::complete);
  const LimitsResult& limits = *first(result).limits;
  EXPECT_EQ(limits.predicted.compute->at, "bf16");
  EXPECT_EQ(limits.predicted.compute->kernel, "matrix product");
  EXPECT_DOUBLE_EQ(limits.predicted.compute->ns, 1024 / 0.2);
  EXPECT_EQ(*limits.bound, "compute-bound");
  // The timer's floor is that of an empty kernel, which each call has to itself.
  EXPECT_DOUBLE_EQ(*limits.predicted.launch_ns, 50.0);
}

TEST(Limits, ACallOfWhichTheCostIsNotKnownHasNoLaunchLimit) {
  MachineCeilings machine = machine_of(2, 0.1);
  machine.calls = {{"empty-iteration", Missing{"no-time", "spent"}}};
  const Result result = judge(evidence_with(machine), Ending::complete);
  EXPECT_EQ(first(result).limits->predicted.launch_ns.missing().reason, "no-time");
  EXPECT_EQ(*first(result).limits->bound, "memory-bound");
}

// As plans had them before they knew of a device's arithmetic.
TEST(Limits, OlderPlansHaveADevicesRatesInItsDescription) {
  record::Evidence evidence = evidence_with(machine_of(2, 0.1));
  evidence.plan.ceilings = Missing{"of-the-device", "its own"};
  Json description = experiment::to_json(evidence.plan.descriptions[0]);
  description["device"]["ceilings"] =
      Json::parse(R"([{"name": "read", "bytes_per_s": {"value": 0.9e9}},
                      {"name": "copy", "bytes_per_s": {"value": 0.9e9}},
                      {"name": "triad", "bytes_per_s": {"missing": "no-room", "detail": ""}}])");
  description["device"]["last_level_cache_bytes"] = Json{{"value", 1024}};
  evidence.plan.descriptions[0] = experiment::description_from_json(description, "here");
  EXPECT_THAT(first(judge(evidence, Ending::complete)).why_invalid, HasSubstr("impossible-time"));
  description["device"]["last_level_cache_bytes"] = Json{{"value", 1 << 20}};
  evidence.plan.descriptions[0] = experiment::description_from_json(description, "here");
  const Result in_cache = judge(evidence, Ending::complete);
  EXPECT_EQ(first(in_cache).ceiling_share_frac.missing().reason, "in-cache");
  description["device"]["ceilings"] = Json::array();
  EXPECT_FALSE(experiment::description_from_json(description, "here").device.ceilings);
}

}  // namespace
}  // namespace assay::judge
