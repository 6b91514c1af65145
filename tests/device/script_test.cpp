// SPDX-License-Identifier: MIT
#include "assay/device/fake/script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "assay/base/error.hpp"

namespace {

using namespace assay;
using namespace assay::device;
using testing::HasSubstr;

std::string message_of(const std::string& text) {
  try {
    parse_script(text, "script.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

std::string with_fault(const std::string& members) {
  return R"({"assay_fake": 1, "faults": [{)" + members + "}]}";
}

TEST(Script, TheShortestOneHasDefaults) {
  const Script script = parse_script(R"({"assay_fake": 1})", "s");
  EXPECT_EQ(script.call_ns, 1000);
  EXPECT_EQ(script.timers.front().resolution_ns, 1);
  EXPECT_EQ(script.control_bias, 1);
  EXPECT_TRUE(script.faults.empty());
}

TEST(Script, RefusesTelemetryThatNoTableHolds) {
  const auto with = [](const std::string& members) {
    return message_of(R"({"assay_fake": 1, "telemetry": {)" + members + "}}");
  };
  EXPECT_EQ(with(R"("values": {"temperature_c": -5}, "missing": {"energy_mj": "not-supported"})"),
            "no error");
  EXPECT_THAT(with(R"("values": {"fan": 1})"), HasSubstr("unknown field 'fan'; expected one of"));
  EXPECT_THAT(with(R"("values": {"energy_mj": -1})"), HasSubstr("at least 0"));
  EXPECT_THAT(with(R"("missing": {"energy_mj": "Not Supported"})"), HasSubstr("energy_mj"));
  EXPECT_EQ(with(R"("values": {"energy_mj": 1000000000000000})"), "no error");
  EXPECT_THAT(with(R"("values": {"energy_mj": 1000000000000001})"), HasSubstr("at most 10^15"));
  EXPECT_THAT(with(R"("advance": {"energy_mj": 9223372036854775807})"), HasSubstr("at most 10^15"));
  for (const char* both : {R"("values": {"energy_mj": 1})", R"("advance": {"energy_mj": 1})",
                           R"("changes": [{"values": {"energy_mj": 1}}])",
                           R"("changes": [{}, {"advance": {"energy_mj": 1}}])"}) {
    EXPECT_THAT(with(std::string(both) + R"(, "missing": {"energy_mj": "none"})"),
                HasSubstr("'energy_mj' stands in 'missing' too"));
  }
  EXPECT_THAT(with(R"("changes": [{"stage": "end"}])"), HasSubstr("unknown stage 'end'"));
  EXPECT_THAT(with(R"("changes": [{"advance": {"fan": 1}}])"), HasSubstr("changes[0]"));
}

TEST(Script, ReadsEveryKey) {
  const Script script = parse_script(R"({
    "assay_fake": 1, "seed": 9,
    "timer": {"resolution_ns": 32, "floor_ns": 600},
    "call_ns": 500, "subjects": {"a": 700},
    "effects": [{"subject": "a", "problem": "p*", "case": "n=1 *", "state": "cold", "factor": 2}],
    "between_trials_sd": 0.01, "between_trials_subject_sd": 0.02, "within_trial_sd": 0.03,
    "drift_per_block": 0.001, "control_bias": 1.05,
    "faults": [
      {"kind": "crash", "stage": "block", "signal": "SIGABRT", "trial": 2, "subject": "a",
       "problem": "p", "case": "n=1", "state": "warm", "block": 3},
      {"kind": "exit", "stage": "check", "code": 7},
      {"kind": "slow-answer", "stage": "idle", "seconds": 0.5}]})",
                                     "s");
  EXPECT_EQ(script.seed, 9U);
  EXPECT_EQ(script.timers.front().resolution_ns, 32);
  EXPECT_EQ(script.timers.front().floor_ns, 600);
  EXPECT_EQ(script.subjects.at("a"), 700);
  ASSERT_EQ(script.effects.size(), 1U);
  EXPECT_EQ(script.effects[0].case_id, "n=1 *");
  EXPECT_EQ(script.effects[0].factor, 2);
  EXPECT_EQ(script.between_trials_sd, 0.01);
  EXPECT_EQ(script.between_trials_subject_sd, 0.02);
  EXPECT_EQ(script.within_trial_sd, 0.03);
  EXPECT_EQ(script.drift_per_block, 0.001);
  EXPECT_EQ(script.control_bias, 1.05);
  ASSERT_EQ(script.faults.size(), 3U);
  EXPECT_EQ(script.faults[0].signal, SIGABRT);
  EXPECT_EQ(script.faults[0].trial, 2);
  EXPECT_EQ(script.faults[0].block, 3);
  EXPECT_EQ(script.faults[1].code, 7);
  EXPECT_EQ(script.faults[2].seconds, 0.5);
}

TEST(Script, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "call": 3})"), HasSubstr("unknown key 'call'"));
  EXPECT_THAT(message_of(R"({"assay_fake": 2})"), HasSubstr("'assay_fake' must be 1"));
  EXPECT_THAT(message_of(R"({})"), HasSubstr("'assay_fake' is missing"));
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "call_ns": "1"})"), HasSubstr("must be a number"));
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "call_ns": -1})"), HasSubstr("at least"));
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "last_level_cache_bytes": 0})"),
              HasSubstr("at least"));
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "timer": {"resolution_ns": 0}})"),
              HasSubstr("at least"));
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "effects": [{"subject": "a"}]})"),
              HasSubstr("'factor' is missing"));
}

TEST(Script, ReadsTimersOfSeveralBoundaries) {
  const Script script = parse_script(R"({"assay_fake": 1, "has_own_memory": true,
    "evicts_by_writing": true, "last_level_cache_bytes": 4096, "timers": [
      {"name": "cupti", "boundaries": ["device"], "resolution_ns": 32, "is_per_call": true,
       "sees_kernels": true},
      {"name": "host", "boundaries": ["call", "device"], "floor_ns": 3, "is_slope": true}],
    "faults": [{"kind": "lost", "stage": "check", "subject": "a"}]})",
                                     "s");
  ASSERT_EQ(script.timers.size(), 2U);
  EXPECT_EQ(script.timers[0].name, "cupti");
  EXPECT_EQ(script.timers[0].resolution_ns, 32);
  EXPECT_TRUE(script.timers[0].is_per_call);
  EXPECT_TRUE(script.timers[0].sees_kernels);
  EXPECT_EQ(script.timers[1].boundaries, (std::vector<std::string>{"call", "device"}));
  EXPECT_EQ(script.timers[1].resolution_ns, 1);
  EXPECT_EQ(script.timers[1].floor_ns, 3);
  EXPECT_FALSE(script.timers[1].is_per_call);
  EXPECT_FALSE(script.timers[0].is_slope);
  EXPECT_TRUE(script.timers[1].is_slope);
  EXPECT_TRUE(script.has_own_memory);
  EXPECT_TRUE(script.evicts_by_writing);
  EXPECT_EQ(script.last_level_cache_bytes, 4096);
  EXPECT_EQ(script.faults.at(0).kind, Fault::Kind::lost);
  const Script shortest = parse_script(R"({"assay_fake": 1})", "s");
  EXPECT_EQ(shortest.timers.at(0).name, "scripted");
  EXPECT_FALSE(shortest.has_own_memory);
  EXPECT_FALSE(shortest.evicts_by_writing);
}

TEST(Script, RefusesTimersThatCannotTime) {
  const auto timer = [](const std::string& members) {
    return message_of(R"({"assay_fake": 1, "timers": [{)" + members + "}]}");
  };
  EXPECT_THAT(timer(R"("boundaries": ["call"])"), HasSubstr("'name' is missing"));
  EXPECT_THAT(timer(R"("name": "t")"), HasSubstr("'boundaries'"));
  EXPECT_THAT(timer(R"("name": "t", "boundaries": [])"), HasSubstr("at least one"));
  EXPECT_THAT(timer(R"("name": "t", "boundaries": [1])"), HasSubstr("must be a text"));
  EXPECT_THAT(timer(R"("name": "t", "boundaries": ["call"], "step": 1)"), HasSubstr("'step'"));
  EXPECT_THAT(timer(R"("name": "t", "boundaries": ["c"], "resolution_ns": 0)"),
              HasSubstr("at least"));
  EXPECT_THAT(
      timer(R"("name": "t", "boundaries": ["c"], "resolution_ns": 0.5, "sees_kernels": true)"),
      HasSubstr("whole"));
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "timers": []})"), HasSubstr("needs a timer"));
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "timers": [{"name": "t", "boundaries": ["call"]},)"
                         R"( {"name": "t", "boundaries": ["device"]}]})"),
              HasSubstr("two timers are called 't'"));
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "timer": {},)"
                         R"( "timers": [{"name": "t", "boundaries": ["c"]}]})"),
              HasSubstr("exclude each other"));
}

TEST(Script, RefusesChangesOfCanariesThatItDoesNotKnow) {
  const auto change = [](const std::string& members) {
    return message_of(R"({"assay_fake": 1, "canary": {"changes": [{)" + members + "}]}}");
  };
  EXPECT_THAT(change(R"("kernel": "gpu", "factor": 2)"), HasSubstr("'gpu'"));
  EXPECT_THAT(change(R"("moment": "noon", "factor": 2)"), HasSubstr("'noon'"));
  EXPECT_THAT(change(R"("from": 3)"), HasSubstr("'factor' is missing"));
  EXPECT_THAT(message_of(R"({"assay_fake": 1, "canary": {"sd": 1}})"), HasSubstr("'sd'"));
}

TEST(Script, RefusesFaultsThatCouldHaveNoEffect) {
  EXPECT_THAT(message_of(with_fault(R"("kind": "melt", "stage": "block")")), HasSubstr("'melt'"));
  EXPECT_THAT(message_of(with_fault(R"("kind": "hang", "stage": "lunch")")), HasSubstr("'lunch'"));
  EXPECT_THAT(message_of(with_fault(R"("kind": "hang", "stage": "block", "code": 1)")),
              HasSubstr("unknown key 'code'"));
  EXPECT_THAT(message_of(with_fault(R"("kind": "exit", "stage": "block")")),
              HasSubstr("'code' is missing"));
  EXPECT_THAT(message_of(with_fault(R"("kind": "exit", "stage": "block", "code": 300)")),
              HasSubstr("0 to 255"));
  EXPECT_THAT(message_of(with_fault(R"("kind": "crash", "stage": "block", "signal": "SIGHUP")")),
              HasSubstr("SIGHUP"));
  EXPECT_THAT(message_of(with_fault(R"("kind": "garbage-line", "stage": "block", "subject": "a")")),
              HasSubstr("no subject"));
}

}  // namespace
