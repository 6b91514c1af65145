// SPDX-License-Identifier: MIT
#include "assay/model/limits.hpp"

#include <gtest/gtest.h>

namespace assay::model {
namespace {

Level level(const char* name, std::int64_t capacity, double read, double write, double copy) {
  Level made;
  made.name = name;
  made.capacity_bytes = capacity;
  made.read_bytes_per_s = read;
  made.write_bytes_per_s = write;
  made.copy_bytes_per_s = copy;
  return made;
}

Ceilings levels_and_peaks() {
  Ceilings ceilings;
  ceilings.levels = {level("L1", 1000, 100e9, 50e9, 80e9),
                     level("memory", 1'000'000'000, 10e9, 5e9, 8e9)};
  ceilings.peaks = {{"f32", {20e9, "multiply-add"}}, {"f64", {10e9, "multiply-add"}}};
  return ceilings;
}

MemoryCall call_of(double read, double written, std::int64_t footprint,
                   std::map<std::string, double> flop, bool is_cold = false) {
  MemoryCall call{read, written, footprint, is_cold};
  call.flop = std::move(flop);
  return call;
}

TEST(Limits, MemoryIsTheNearestLevelThatCouldHoldTheFootprint) {
  const Ceilings ceilings = levels_and_peaks();
  const auto near = limits_of(call_of(1000, 0, 1000, {}), ceilings, 0.0);
  EXPECT_EQ(*near.memory, (Limit{10, "L1", "read", 100e9}));
  const auto far = limits_of(call_of(1001, 0, 1001, {}), ceilings, 0.0);
  EXPECT_EQ(far.memory->at, "memory");
  const auto cold = limits_of(call_of(500, 500, 1000, {}, true), ceilings, 0.0);
  EXPECT_EQ(*cold.memory, (Limit{125, "memory", "copy", 8e9}));
  EXPECT_EQ(limits_of(call_of(0, 500, 500, {}), ceilings, 0.0).memory->kernel, "write");
}

TEST(Limits, OperationsAreHeldAgainstThePeakOfTheirDtype) {
  const Ceilings ceilings = levels_and_peaks();
  EXPECT_DOUBLE_EQ(limits_of(call_of(0, 0, 0, {{"f64", 100}}), ceilings, 0.0).compute->ns, 10);
  // Of no dtype that was said: the highest, or it would be no lower bound.
  const auto unsaid = limits_of(call_of(0, 0, 0, {{"", 100}}), ceilings, 0.0);
  EXPECT_EQ(*unsaid.compute, (Limit{5, "f32", "multiply-add", 20e9}));
  const auto both = limits_of(call_of(0, 0, 0, {{"f32", 100}, {"f64", 100}}), ceilings, 0.0);
  EXPECT_DOUBLE_EQ(both.compute->ns, 15);
  EXPECT_EQ(both.compute->at, "f32+f64");
  const auto bf16 = limits_of(call_of(1000, 0, 1000, {{"bf16", 100}}), ceilings, 0.0);
  EXPECT_EQ(bf16.compute.missing().reason, "not-measured");
  // Half of the work has no limit, so the other half's is none of the whole.
  EXPECT_EQ(bf16.bound_ns.missing().reason, "not-measured");
  EXPECT_EQ(bf16.nearest.missing().reason, "not-measured");
}

TEST(Limits, TheHighestPeakIsNotKnownWhileOneOfThemIsNot) {
  Ceilings ceilings = levels_and_peaks();
  ceilings.peaks["bf16"] = {Missing{"no-library", "libsome.so is not here"}, "matrix product"};
  const auto unsaid = limits_of(call_of(0, 0, 0, {{"", 100}}), ceilings, 0.0);
  EXPECT_EQ(unsaid.compute.missing().reason, "no-library");
  EXPECT_NE(unsaid.compute.missing().detail.find("libsome.so"), std::string::npos);
  const auto bf16 = limits_of(call_of(0, 0, 0, {{"bf16", 100}}), ceilings, 0.0);
  EXPECT_EQ(bf16.bound_ns.missing().reason, "no-library");
  EXPECT_DOUBLE_EQ(limits_of(call_of(0, 0, 0, {{"f32", 100}}), ceilings, 0.0).compute->ns, 5);
  ceilings.peaks["bf16"].flop_per_s = 200e9;
  const auto known = limits_of(call_of(0, 0, 0, {{"", 100}, {"f32", 100}}), ceilings, 0.0);
  EXPECT_DOUBLE_EQ(known.compute->ns, 5.5);
  EXPECT_EQ(known.compute->at, "bf16+f32");
  EXPECT_EQ(known.compute->kernel, "matrix product+multiply-add");
}

TEST(Limits, TheLargestIsTheBoundAndNamesIt) {
  const Ceilings ceilings = levels_and_peaks();
  const auto memory = limits_of(call_of(1000, 0, 1000, {{"f32", 100}}), ceilings, 9.0);
  EXPECT_EQ(*memory.nearest, "memory");
  EXPECT_DOUBLE_EQ(*memory.bound_ns, 10);
  EXPECT_DOUBLE_EQ(*memory.flop_per_byte, 0.1);
  const auto compute = limits_of(call_of(1000, 0, 1000, {{"f32", 1000}}), ceilings, 9.0);
  EXPECT_EQ(*compute.nearest, "compute");
  EXPECT_DOUBLE_EQ(*compute.bound_ns, 50);
  const auto launch = limits_of(call_of(1000, 0, 1000, {{"f32", 100}}), ceilings, 11.0);
  EXPECT_EQ(*launch.nearest, "launch");
  EXPECT_DOUBLE_EQ(*launch.bound_ns, 11);
  // What a call costs at least need not be known.
  const auto unknown = limits_of(call_of(1000, 0, 1000, {}), ceilings, Missing{"not-measured", ""});
  EXPECT_EQ(*unknown.nearest, "memory");
  EXPECT_EQ(unknown.flop_per_byte.missing().reason, "no-flop");
}

TEST(Limits, NothingDeclaredOrMeasuredGivesNoBound) {
  EXPECT_EQ(limits_of({}, levels_and_peaks(), 1.0).bound_ns.missing().reason, "not-declared");
  EXPECT_EQ(limits_of(call_of(1000, 0, 1000, {}), {}, 1.0).bound_ns.missing().reason,
            "not-measured");
  Ceilings unknown = levels_and_peaks();
  unknown.levels[0].capacity_bytes = Missing{"not-known", ""};
  EXPECT_EQ(limits_of(call_of(10, 0, 10, {}), unknown, 1.0).memory.missing().reason,
            "cache-unknown");
}

TEST(Limits, TheWordNeedsHalfOfTheTimeExplained) {
  const auto limits = limits_of(call_of(1000, 0, 1000, {}), levels_and_peaks(), 0.0);
  EXPECT_DOUBLE_EQ(*share_of_bound(limits, 20), 0.5);
  EXPECT_EQ(*bound_word(limits, 20), "memory-bound");
  EXPECT_EQ(bound_word(limits, 20.1).missing().reason, "far-from-limits");
  EXPECT_EQ(bound_word(limits_of(call_of(1, 0, 1, {}), {}, 1.0), 20).missing().reason,
            "not-measured");
}

}  // namespace
}  // namespace assay::model
