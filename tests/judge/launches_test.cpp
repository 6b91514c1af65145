// SPDX-License-Identifier: MIT
#include "assay/judge/launches.hpp"

#include <gtest/gtest.h>

#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::evidence_of;

record::Evidence evidence_with_launches() {
  record::Evidence evidence = evidence_of({}, 8);
  evidence.plan.descriptions[0].device.facts = {{"multiprocessors", std::string("132")},
                                                {"threads-per-multiprocessor", std::string("2048")},
                                                {"blocks-per-multiprocessor", std::string("32")}};
  evidence.calibration.cells[0].launches = {
      {"before", {{"_Z3sumPf", 1108, 256, 0.5, std::string("registers")}}},
      {"after", {{"_Z5firstPf", 64, 1024}, {"_Z6secondPf", 5000, 256}}}};
  experiment::Launch& spilling = evidence.calibration.cells[0].launches[0].second[0];
  spilling.stack_bytes = 288;
  spilling.spill_store_bytes = 24;
  spilling.spill_load_bytes = 28;
  return evidence;
}

const SubjectResult& subject(const Result& result, const std::string& name) {
  for (const SubjectResult& each : result.cells[0].subjects) {
    if (each.subject == name) return each;
  }
  throw Error(ErrorKind::bug, "no subject " + name);
}

TEST(Launches, SayHowTheyFillTheDevice) {
  const Result result = judge(evidence_with_launches(), Ending::complete);
  ASSERT_EQ(subject(result, "before").launches.size(), 1U);
  const LaunchResult& known = subject(result, "before").launches[0];
  EXPECT_EQ(known.launch.kernel, "_Z3sumPf");
  EXPECT_EQ(*known.launch.spill_store_bytes, 24);
  EXPECT_TRUE(known.waves.is_exact);
  EXPECT_EQ(*known.waves.resident_blocks, 4);
  EXPECT_NEAR(*known.waves.waves, 1108.0 / 528, 1e-12);
  EXPECT_EQ(*known.waves.word, "short-last-wave");
  ASSERT_EQ(subject(result, "after").launches.size(), 2U);
  EXPECT_EQ(*subject(result, "after").launches[0].waves.word, "too-few-blocks");
  const model::Waves& unknown = subject(result, "after").launches[1].waves;
  EXPECT_FALSE(unknown.is_exact);
  EXPECT_EQ(unknown.word.missing().reason, "occupancy-unknown");
  EXPECT_TRUE(subject(result, "control").launches.empty());
  EXPECT_EQ(to_json(result), to_json(result_from_json(to_json(result), "here")));
}

TEST(Memory, ThatADriverManagesIsAFindingOfWhoseCodeHoldsIt) {
  record::Evidence evidence = evidence_of({}, 8);
  MemoryUse use;
  use.peak_bytes = 1'000'000;
  use.capacity_bytes = 4'000'000;
  use.capacity_of = "device";
  use.managed_bytes = 0;
  MemoryUse managed = use;
  managed.managed_bytes = 2'500'000;
  evidence.calibration.cells[0].memory = {{"before", use}, {"after", managed}};
  const Result result = judge(evidence, Ending::complete);
  std::vector<std::string> texts;
  for (const Finding& finding : result.findings) {
    if (finding.slug == "memory.managed") texts.push_back(finding.text);
  }
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0].find("The code of after held 2.5 MB of managed memory."), 0U) << texts[0];
  EXPECT_EQ(to_json(result), to_json(result_from_json(to_json(result), "here")));
}

TEST(Launches, AreNotSaidOfADeviceThatHasNoMultiprocessors) {
  record::Evidence evidence = evidence_with_launches();
  auto& facts = evidence.plan.descriptions[0].device.facts;
  facts[0].value = std::string("many");
  EXPECT_TRUE(subject(judge(evidence, Ending::complete), "before").launches.empty());
  facts.clear();
  const Result none = judge(evidence, Ending::complete);
  EXPECT_TRUE(subject(none, "before").launches.empty());
  EXPECT_FALSE(to_json(none).at("cells").at(0).at("subjects").at(0).contains("launches"));
}

TEST(Launches, OfAnOlderPlanAreKnownAsFarAsItGoes) {
  record::Evidence evidence = evidence_with_launches();
  evidence.plan.descriptions[0].device.facts.resize(1);
  const Result result = judge(evidence, Ending::complete);
  EXPECT_EQ(subject(result, "before").launches[0].waves.waves.missing().reason, "not-recorded");
  EXPECT_EQ(*subject(result, "after").launches[0].waves.word, "too-few-blocks");
}

}  // namespace
}  // namespace assay::judge
