// SPDX-License-Identifier: MIT
//
// Tables that were cut anywhere, as a kill or a loss of power leaves them.
#include "assay/record/mend.hpp"

#include <gmock/gmock.h>

#include "assay/record/kernels.hpp"
#include "assay/record/telemetry_table.hpp"
#include "rows.hpp"
#include "support.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Two processes, 3 and 4, of a device that tells: two blocks of two samples each, with a kernel run
// a sample and readings around each block; a canary at the start and the end.
class MendTest : public testing::Test {
 protected:
  MendTest() {
    for (const std::uint32_t process : {3U, 4U}) {
      Sample canary = sample_named(samples_, "canary-compute");
      canary.trial = process - 2;
      canary.process = process;
      canary.phase = Phase::canary;
      canary.block = 0;
      canary.position = 0;
      canary.timer = samples_.names.index_of("cupti");
      canary.problem = canary.case_id = canary.state = samples_.names.index_of("");
      samples_.rows.push_back(canary);
      for (std::uint32_t i = 0; i < 4; ++i) add_sample(process, i);
      canary.block = 1;
      samples_.rows.push_back(canary);
      Trial trial = ordinary_trial();
      trial.trial = canary.trial;
      trial.process = process;
      trials_.push_back(trial);
    }
  }

  void add_sample(std::uint32_t process, std::uint32_t i) {
    Sample sample = sample_named(samples_, i % 2 == 0 ? "naive" : "fast");
    sample.trial = process - 2;
    sample.process = process;
    sample.timer = samples_.names.index_of("cupti");
    sample.block = i / 2;
    sample.position = i % 2;
    sample.iterations = 1;
    sample.interval_ns = 30;
    sample.start_ns = 1000 * process + i;
    if (sample.position == 0) add_reading(sample, "before");
    samples_.rows.push_back(sample);
    kernels_.push_back({samples_.rows.size() - 1, "first", 1, 256, {0}, {10}});
    kernels_.push_back({samples_.rows.size() - 1, "second", 1, 256, {20}, {10}});
    if (sample.position == 0) add_reading(sample, "after");
  }

  void add_reading(const Sample& sample, const char* moment) {
    TelemetryRow row;
    row.trial = sample.trial;
    row.process = sample.process;
    row.problem = samples_.names.name(sample.problem);
    row.case_id = samples_.names.name(sample.case_id);
    row.state = samples_.names.name(sample.state);
    row.boundary = samples_.names.name(sample.boundary);
    row.block = sample.block;
    row.position = sample.position;
    row.moment = moment;
    row.telemetry = Telemetry(gpu_fields(), {"not-supported", ""});
    telemetry_.push_back(row);
  }

  template <typename Rows>
  void write(const char* name, const std::string& header, const Rows& rows) const {
    std::string text = header + "\n";
    for (const auto& row : rows) append_csv(text, row);
    put(directory_ / name, text);
  }

  void write_all() const {
    put(directory_ / samples_name, csv_of(samples_));
    write(trials_name, std::string(trials_header), trials_);
    write(kernels_name, std::string(kernels_header), kernels_);
    write(telemetry_name, telemetry_header(gpu_fields()), telemetry_);
  }

  std::vector<std::size_t> rows_left() const {
    return {read_samples(directory_ / samples_name, true).rows.size(),
            read_trials(directory_ / trials_name, true).size(),
            read_kernels(directory_ / kernels_name, true).size(),
            read_telemetry(directory_ / telemetry_name, true).size()};
  }

  Mended mend() const {
    write_all();
    return mend_tables(directory_.path());
  }

  const TemporaryDirectory directory_;
  SampleTable samples_;
  std::vector<Trial> trials_;
  std::vector<KernelRuns> kernels_;
  std::vector<TelemetryRow> telemetry_;
};

TEST_F(MendTest, LeavesWhatAgreesAsItIs) {
  const Mended mended = mend();
  EXPECT_THAT(mended.rows, IsEmpty());
  EXPECT_THAT(mended.notes, IsEmpty());
  EXPECT_THAT(rows_left(), ElementsAre(12, 2, 16, 8));
}

TEST_F(MendTest, NeedsNoTableThatIsNotThere) {
  const TemporaryDirectory empty;
  EXPECT_THAT(mend_tables(empty.path()).notes, IsEmpty());
}

TEST_F(MendTest, AddsTheRowOfAProcessThatDiedBeforeIt) {
  trials_.pop_back();
  samples_.rows.pop_back();  // nor was the last canary reached
  const Mended mended = mend();
  ASSERT_EQ(mended.rows.size(), 1U);
  const Trial& row = mended.rows.front();
  EXPECT_EQ(row.trial, 2);
  EXPECT_EQ(row.process, 4);
  EXPECT_EQ(row.build, "program");
  EXPECT_EQ(row.boundary, "call");
  EXPECT_EQ(row.outcome, "parent-lost");
  EXPECT_EQ(row.canary_missing, "not-reached");
  EXPECT_EQ(row.started_utc, "");
  EXPECT_FALSE(row.core);
  EXPECT_FALSE(row.cores_allowed);
  EXPECT_EQ(row.end_ns, 4003);
  EXPECT_THAT(mended.notes, ElementsAre(HasSubstr("the row of process 4 in trial 2")));
  EXPECT_THAT(rows_left(), ElementsAre(11, 1, 16, 8));
}

TEST_F(MendTest, AHalfRowIsNone) {
  write_all();
  std::string text = text_of(directory_ / trials_name);
  text.resize(text.size() - 9);
  put(directory_ / trials_name, text);
  const Mended mended = mend_tables(directory_.path());
  ASSERT_EQ(mended.rows.size(), 1U);
  EXPECT_EQ(mended.rows.front().process, 4);
  EXPECT_EQ(mended.rows.front().canary_missing, "") << "both runs of the canaries are there";
}

TEST_F(MendTest, CutsWhatIsAboutSamplesThatAreNotThere) {
  trials_.pop_back();
  samples_.rows.resize(6 + 1 + 3);  // the second sample of process 4's second block is lost
  const Mended mended = mend();
  EXPECT_THAT(rows_left(), ElementsAre(10, 1, 14, 8));
  samples_.rows.resize(6 + 1 + 2);  // and the whole block
  mend();
  EXPECT_THAT(rows_left(), ElementsAre(9, 1, 12, 6));
}

TEST_F(MendTest, CutsSamplesThatTheOtherTablesDoNotHaveWhole) {
  trials_.pop_back();
  kernels_.pop_back();  // half of the last sample's
  const Mended mended = mend();
  EXPECT_THAT(rows_left(), ElementsAre(10, 1, 14, 8));
  EXPECT_THAT(mended.notes,
              ElementsAre(StartsWith("samples.csv: cut 2 rows at the end, from the first on that"),
                          StartsWith("kernels.csv: cut 1 row at the end"), HasSubstr("process 4")));
}

TEST_F(MendTest, CutsSamplesWithoutTheReadingAfterTheirBlock) {
  trials_.pop_back();
  telemetry_.pop_back();
  mend();
  EXPECT_THAT(rows_left(), ElementsAre(9, 1, 12, 6));
}

TEST_F(MendTest, LeavesWhatTrialsCsvTellsOf) {
  kernels_.resize(4);  // that is no tail of an interrupted process: verify has to tell of it
  EXPECT_THAT(mend().notes, IsEmpty());
  EXPECT_THAT(rows_left(), ElementsAre(12, 2, 4, 8));
}

TEST_F(MendTest, CutsTheRowOfAProcessWhoseSamplesAreLost) {
  samples_.rows.resize(6 + 2);  // process 4 has one, and its row says that its canaries are there
  const Mended mended = mend();
  EXPECT_THAT(mended.notes,
              ElementsAre(StartsWith("kernels.csv"),
                          StartsWith("trials.csv: cut 1 row at the end, of processes whose"),
                          StartsWith("telemetry.csv: cut 2 rows"),
                          StartsWith("trials.csv: added the row of process 4")));
  ASSERT_EQ(mended.rows.size(), 1U);
  samples_.rows.resize(6);
  EXPECT_THAT(mend().rows, IsEmpty()) << "of a process without a sample nothing is known";
}

TEST_F(MendTest, CutsRunsOfCommandsWithTheirSamples) {
  samples_ = {};
  trials_.clear();
  kernels_.clear();
  telemetry_.clear();
  std::vector<CommandRun> runs;
  for (std::uint32_t i = 0; i < 3; ++i) {
    Sample sample = sample_named(samples_, "naive");
    sample.boundary = samples_.names.index_of("command");
    sample.position = i;
    samples_.rows.push_back(sample);
    CommandRun run;
    run.trial = sample.trial;
    run.process = sample.process;
    run.problem = "sum";
    run.case_id = "n=1024 dtype=f32";
    run.state = "warm";
    run.boundary = "command";
    run.block = sample.block;
    run.position = i;
    run.subject = "naive";
    runs.push_back(run);
  }
  write(command_runs_name, std::string(command_runs_header), runs);
  samples_.rows.pop_back();
  const Mended mended = mend();
  ASSERT_EQ(mended.rows.size(), 1U);
  EXPECT_EQ(mended.rows.front().canary_missing, "commands");
  EXPECT_EQ(read_command_runs(directory_ / command_runs_name, false).size(), 2U);
  runs.resize(1);
  write(command_runs_name, std::string(command_runs_header), runs);
  mend();
  EXPECT_EQ(read_samples(directory_ / samples_name, false).rows.size(), 1U);
}

}  // namespace
}  // namespace assay::record
