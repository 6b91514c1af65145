// SPDX-License-Identifier: MIT
//
// environment.json and the files that must fit it, and the times of telemetry.csv.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/env/environment.hpp"
#include "assay/judge/judge.hpp"
#include "consistent_record.hpp"

namespace assay::judge {
namespace {

using judge_test::record_of_a_program;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// What environment.json of such a record says of its machine and its program.
record::Record record_with_environment() {
  record::Record record = record_of_a_program();
  experiment::Plan& plan = record.evidence.plan;
  plan.program_digests = {"aa"};
  Json& environment = *record.evidence.environment;
  environment["builds"] =
      Json::array({Json{{"build", "program"}, {"sha256", {{"value", "aa"}, {"source", "file"}}}}});
  environment["machine_fingerprint"] = env::machine_fingerprint(environment);
  return record;
}

TEST(EnvironmentOfRecord, OfAnHonestRecordAgrees) {
  EXPECT_THAT(consistency_differences(record_with_environment()), IsEmpty());
}

TEST(EnvironmentOfRecord, HasTheFingerprintThatItsFactsGive) {
  record::Record record = record_with_environment();
  (*record.evidence.environment)["system"]["kernel"] = Json{{"value", "7.0"}};
  EXPECT_THAT(consistency_differences(record),
              ElementsAre(HasSubstr("environment.json: machine_fingerprint is")));
  record = record_with_environment();
  (*record.evidence.environment)["machine_fingerprint"] = std::string(64, '0');
  EXPECT_THAT(consistency_differences(record), ElementsAre(HasSubstr("its facts give")));
}

TEST(EnvironmentOfRecord, IsOfTheProgramsOfThePlan) {
  record::Record record = record_with_environment();
  record.evidence.plan.program_digests = {"bb"};
  EXPECT_THAT(consistency_differences(record),
              ElementsAre("environment.json: the program of the build 'program' has the SHA-256 "
                          "\"aa\"; plan.json has \"bb\""));
  record = record_with_environment();
  (*record.evidence.environment)["builds"][0]["build"] = "another";
  EXPECT_THAT(consistency_differences(record),
              ElementsAre(HasSubstr("nothing of the build 'program', which the plan has")));
  // That a program could not be read is no difference.
  record = record_with_environment();
  (*record.evidence.environment)["builds"][0]["sha256"] = Json{{"missing", "unreadable"}};
  EXPECT_THAT(consistency_differences(record), IsEmpty());
}

TEST(EnvironmentOfRecord, HasTheFirstLayoutOfEachBuild) {
  record::Record record = record_with_environment();
  experiment::Plan& plan = record.evidence.plan;
  plan.layout_replicates = 2;
  for (record::Trial& row : record.evidence.trials) row.layout = 1;
  for (record::Sample& row : record.evidence.samples.rows) row.layout = 1;
  plan.builds.push_back(plan.builds.front());
  plan.builds.back().name = "candidate";
  plan.program_digests = {"aa", "ab", "ba", "bb"};
  Json& builds = (*record.evidence.environment)["builds"];
  builds.push_back(Json{{"build", "candidate"}, {"sha256", {{"value", "ba"}}}});
  EXPECT_THAT(consistency_differences(record), IsEmpty());
  builds[1]["sha256"]["value"] = "ab";
  EXPECT_THAT(consistency_differences(record), ElementsAre(HasSubstr("plan.json has \"ba\"")));
}

TEST(EnvironmentOfRecord, HasTheCoresOfTheCeilings) {
  record::Record record = record_with_environment();
  experiment::Plan& plan = record.evidence.plan;
  plan.device = "cpu";
  MachineCeilings ceilings;
  ceilings.cores = {0};
  ceilings.cores_allowed = 8;
  plan.ceilings = ceilings;
  EXPECT_THAT(consistency_differences(record), IsEmpty());
  ceilings.cores_allowed = 9;
  plan.ceilings = ceilings;
  EXPECT_THAT(consistency_differences(record),
              ElementsAre("plan.json: ceilings measured where Assay could use 9 cores; "
                          "environment.json has 8 online"));
}

TEST(EnvironmentOfRecord, HasTheMemoryThatSubjectsHad) {
  record::Record record = record_with_environment();
  MemoryUse use;
  use.peak_bytes = std::int64_t{4'000'000'000};
  use.capacity_of = "machine";
  auto& memory = record.evidence.calibration.cells[0].memory;
  memory = {{"before", use}};
  EXPECT_THAT(consistency_differences(record), IsEmpty());
  memory[0].second.peak_bytes = std::int64_t{4'000'000'001};
  EXPECT_THAT(consistency_differences(record),
              ElementsAre("calibration.json: before in sum/n=1024/warm/call has peak_bytes of "
                          "4000000001 bytes; environment.json has 4000000000 in all"));
  memory[0].second.capacity_of = "device";  // has a memory of its own
  EXPECT_THAT(consistency_differences(record), IsEmpty());
  memory[0].second.capacity_of = "cloud";
  EXPECT_THAT(consistency_differences(record),
              testing::Contains(HasSubstr("the memory of 'cloud', which there is none of")));
}

// Readings around every block of record_of_a_program().
record::Record record_with_telemetry() {
  record::Record record = record_of_a_program();
  const record::Dictionary& names = record.evidence.samples.names;
  for (const record::Sample& sample : record.evidence.samples.rows) {
    if (sample.position != 0) continue;
    record::TelemetryRow row;
    row.trial = sample.trial;
    row.process = sample.process;
    row.problem = names.name(sample.problem);
    row.case_id = names.name(sample.case_id);
    row.state = names.name(sample.state);
    row.boundary = names.name(sample.boundary);
    row.phase = sample.phase;
    row.block = sample.block;
    row.telemetry.time_ns = sample.start_ns;
    row.moment = "before";
    record.evidence.telemetry.push_back(row);
    row.telemetry.time_ns += 1'000;
    row.moment = "after";
    record.evidence.telemetry.push_back(row);
  }
  return record;
}

TEST(TelemetryOfRecord, LiesInTheTimeOfItsProcess) {
  record::Record record = record_with_telemetry();
  EXPECT_THAT(consistency_differences(record), IsEmpty());
  record.evidence.telemetry.back().telemetry.time_ns = 1'000'000'001;
  EXPECT_THAT(consistency_differences(record),
              ElementsAre(HasSubstr("telemetry.csv: block 2 (measure) of sum/n=1024/warm/call, in "
                                    "trial 2, process 4 has readings from ")));
  record.evidence.trials.back().outcome = record::outcome::parent_lost;
  EXPECT_THAT(consistency_differences(record), IsEmpty()) << "its end is not known";
  record.evidence.trials.back().outcome = record::outcome::completed;
  record.evidence.plan.device = "fake:x.json";
  EXPECT_THAT(consistency_differences(record), IsEmpty()) << "its clock is its own";
}

}  // namespace
}  // namespace assay::judge
