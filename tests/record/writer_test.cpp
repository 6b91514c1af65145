// SPDX-License-Identifier: MIT
#include "assay/record/writer.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

#include "assay/base/digest.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/startup_table.hpp"
#include "rows.hpp"
#include "support.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

const std::string plan_text = "{\"format\": \"assay-plan/1\"}\n";
constexpr const char* sealed_at = "2026-11-29T21:44:05+00:00";

// Of the process of ordinary_samples().
Trial trial_of_samples() {
  Trial trial = ordinary_trial();
  trial.process = 3;
  trial.canary_missing = canary::not_reached;
  return trial;
}

class WriterTest : public testing::Test {
 protected:
  Writer create(const std::string& name = "sum") const {
    return Writer::create(directory_ / "records", name, "20261129T214405Z", plan_text, sealed_at,
                          "");
  }

  const TemporaryDirectory directory_;
};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

TEST_F(WriterTest, NamesTheRecordAfterExperimentTimeAndPlan) {
  EXPECT_EQ(create().path().filename(),
            "sum-20261129T214405Z-" + sha256_hex(plan_text).substr(0, 8));
}

TEST_F(WriterTest, MakesNamesOfFilesFromAnyName) {
  EXPECT_THAT(create("../a b/c").path().filename().string(), testing::StartsWith("a-b-c-2026"));
  EXPECT_THAT(create("..").path().filename().string(), testing::StartsWith("record-2026"));
  EXPECT_LT(create(std::string(300, 'x')).path().filename().string().size(), 120U);
}

TEST_F(WriterTest, NeverReusesADirectory) {
  const Writer first = create();
  const Writer second = create();
  const Writer third = create();
  EXPECT_EQ(second.path().string(), first.path().string() + "-2");
  EXPECT_EQ(third.path().string(), first.path().string() + "-3");
}

TEST_F(WriterTest, WritesThePlanAfterAllThatARecordBeginsWith) {
  const Writer writer = Writer::create(directory_.path(), "sum", "20261129T214405Z", plan_text,
                                       sealed_at, "name = \"sum\"\n", "{}\n");
  const fs::file_time_type plan = fs::last_write_time(writer.data() / "plan.json");
  for (const char* name : {"environment.json", "experiment.toml", "plan.sha256", "samples.csv"}) {
    EXPECT_LE(fs::last_write_time(writer.data() / name), plan) << name;
  }
  EXPECT_EQ(text_of(writer.data() / "environment.json"), "{}\n");
}

TEST_F(WriterTest, SealsThePlanBeforeAnythingElse) {
  const Writer writer = create();
  EXPECT_EQ(text_of(writer.data() / "plan.json"), plan_text);
  EXPECT_EQ(text_of(writer.data() / "plan.sha256"),
            sha256_hex(plan_text) + "  plan.json\n# sealed " + sealed_at + "\n");
}

TEST_F(WriterTest, MakesOnlyTheFilesThatItNeeds) {
  const Writer writer = create();
  EXPECT_THAT(names_in(writer.path()), UnorderedElementsAre("data"));
  EXPECT_THAT(names_in(writer.data()),
              UnorderedElementsAre("plan.json", "plan.sha256", "samples.csv", "trials.csv"));
  EXPECT_EQ(writer.log_file("trial-1.stderr"), writer.data() / "logs/trial-1.stderr");
  EXPECT_TRUE(fs::is_empty(writer.data() / "logs"));
}

TEST_F(WriterTest, KeepsTheExperimentAsItWasWritten) {
  const std::string words = "name = \"sum\" # as written\r\n";
  const Writer writer =
      Writer::create(directory_.path(), "sum", "20261129T214405Z", plan_text, sealed_at, words);
  EXPECT_EQ(text_of(writer.data() / "experiment.toml"), words);
}

TEST_F(WriterTest, AppendsTheRowsThatAreNew) {
  Writer writer = create();
  SampleTable table = ordinary_samples(3);
  writer.append_samples(table, 0);
  table.rows.push_back(table.rows.front());
  writer.append_samples(table, 3);
  writer.append_samples(table, 4);
  writer.append_trial(ordinary_trial());
  EXPECT_EQ(text_of(writer.data() / "samples.csv"), csv_of(table));
  EXPECT_EQ(read_trials(writer.data() / "trials.csv", false).size(), 1U);
}

TEST_F(WriterTest, KeepsTheRowsBeforeOneThatCannotBeWritten) {
  Writer writer = create();
  SampleTable table = ordinary_samples(2);
  table.rows.push_back(sample_named(table, "two\nlines"));
  refusal_of(ErrorKind::bad_input, [&] { writer.append_samples(table, 0); });
  table.rows.pop_back();
  EXPECT_EQ(text_of(writer.data() / "samples.csv"), csv_of(table));
}

TEST_F(WriterTest, KeepsWholeRowsWhenTheDiskIsFull) {
  Writer writer = create();
  const SampleTable table = ordinary_samples(1000);
  const int status = exit_status_in_child([&] {
    const rlimit limit{20'000, 20'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      writer.append_samples(table, 0);
    } catch (const Error& error) {
      const std::string message = error.what();
      return error.kind() == ErrorKind::write && error.native_code() == EFBIG &&
                     message.find("samples.csv") != std::string::npos
                 ? 0
                 : 1;
    }
    return 2;
  });
  EXPECT_EQ(status, 0);
  const SampleTable kept = read_samples(writer.data() / "samples.csv", false);
  EXPECT_GT(kept.rows.size(), 100U);
  EXPECT_LT(kept.rows.size(), 1000U);
  EXPECT_TRUE(csv_of(table).starts_with(csv_of(kept)));
}

TEST_F(WriterTest, LeavesNothingWhenThePlanCannotBeWritten) {
  EXPECT_EQ(exit_status_in_child([&] {
              const rlimit limit{8, 8};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              try {
                create();
              } catch (const Error& error) {
                return error.kind() == ErrorKind::write ? 0 : 1;
              }
              return 2;
            }),
            0);
  EXPECT_TRUE(fs::is_empty(directory_ / "records"));
}

TEST_F(WriterTest, SaysWhereItMayNotWrite) {
  const fs::path closed = directory_ / "closed";
  fs::create_directory(closed);
  fs::permissions(directory_.path(), fs::perms::all);
  fs::permissions(closed, fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                              fs::perms::others_exec);
  EXPECT_EQ(exit_status_in_child([&] {
              // Nothing is closed to root.
              if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 3;
              try {
                Writer::create(closed / "records", "sum", "1", plan_text, sealed_at, "");
              } catch (const Error& error) {
                const std::string message = error.what();
                const bool names_it = message.find(closed.string()) != std::string::npos &&
                                      message.find("Permission denied") != std::string::npos &&
                                      message.find("writable") != std::string::npos;
                return error.kind() == ErrorKind::write && names_it ? 0 : 1;
              }
              return 2;
            }),
            0);
}

TEST_F(WriterTest, WritesAFileOnce) {
  Writer writer = create();
  writer.write_json("result.json", Json{{"a", 1}});
  EXPECT_THAT(refusal_of(ErrorKind::write, [&] { writer.write_json("result.json", Json{}); }),
              HasSubstr("result.json"));
  EXPECT_EQ(text_of(writer.data() / "result.json"), "{\n  \"a\": 1\n}\n");
  writer.write_text("build/flags.txt", "-O2\n");
  writer.write_text("build/flags.txt", "-O3\n", true);
  EXPECT_EQ(text_of(writer.data() / "build/flags.txt"), "-O3\n");
}

TEST_F(WriterTest, WritesNothingOutsideItsRecord) {
  Writer writer = create();
  for (const char* name : {"../x", "/tmp/x", "a/../../x", "", "."}) {
    refusal_of(ErrorKind::bug, [&] { writer.write_text(name, ""); });
  }
}

TEST_F(WriterTest, ReplacesTheChecksAsAWhole) {
  Writer writer = create();
  writer.write_checks(Checks{});
  Checks checks;
  checks.failures.emplace_back().kind = experiment::failure::crashed;
  writer.write_checks(checks);
  EXPECT_EQ(text_of(writer.data() / "checks.json"), json_text(to_json(checks)));
}

TEST_F(WriterTest, SealsTheCalibrationBesideThePlan) {
  Writer writer = create();
  writer.seal_calibration(Json{{"cells", Json::array()}}, "2026-11-29T21:45:00+00:00");
  const std::string text = text_of(writer.data() / "calibration.json");
  EXPECT_THAT(text_of(writer.data() / "plan.sha256"),
              EndsWith("\n" + sha256_hex(text) +
                       "  calibration.json\n# sealed 2026-11-29T21:45:00+00:00\n"));
  refusal_of(ErrorKind::write, [&] { writer.seal_calibration(Json{}, sealed_at); });
}

TEST_F(WriterTest, TakesNothingOnceSealed) {
  Writer writer = create();
  writer.seal({{"Bag-Software-Agent", "assay 0.1.0"}});
  EXPECT_TRUE(is_bag(writer.path()));
  EXPECT_THAT(text_of(writer.path() / "bag-info.txt"),
              AllOf(HasSubstr("Bag-Software-Agent: assay 0.1.0\n"), HasSubstr("Bagging-Date: 20"),
                    HasSubstr("External-Identifier: " + writer.path().filename().string() + "\n")));
  refusal_of(ErrorKind::bug, [&] { writer.append_samples(ordinary_samples(1), 0); });
  refusal_of(ErrorKind::bug, [&] { writer.append_trial(ordinary_trial()); });
  refusal_of(ErrorKind::bug, [&] { writer.write_text("late.txt", ""); });
  refusal_of(ErrorKind::bug, [&] { writer.seal({}); });
}

TEST_F(WriterTest, StaysUnsealedWhenTheManifestCannotBeWritten) {
  Writer writer = create();
  // So many that the manifest is the one file which is larger than the limit.
  for (int i = 0; i < 200; ++i) writer.write_text("build/" + std::to_string(i), "");
  EXPECT_EQ(exit_status_in_child([&] {
              const rlimit limit{12000, 12000};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              try {
                writer.seal({});
              } catch (const Error& error) {
                return error.kind() == ErrorKind::write ? 0 : 1;
              }
              return 2;
            }),
            0);
  EXPECT_THAT(names_in(writer.path()), UnorderedElementsAre("data"));
  EXPECT_FALSE(fs::exists(writer.data() / "datapackage.json"));
  writer.seal({});
  EXPECT_THAT(bag_differences(writer.path()), testing::IsEmpty());
}

TEST_F(WriterTest, GoesOnWithAnInterruptedRecord) {
  const SampleTable table = ordinary_samples(4);
  fs::path path;
  {
    Writer writer = create();
    path = writer.path();
    writer.append_samples(table, 0);
    writer.append_trial(trial_of_samples());
  }
  const std::string whole = csv_of(table);
  put(path / "data/samples.csv", whole + "1,3,pro");
  put(path / "data/.checks.json.part", "{");
  put(path / "bagit.txt", "the sealing got no further");
  {
    Writer writer = Writer::reopen(path);
    EXPECT_EQ(text_of(path / "data/samples.csv"), whole);
    EXPECT_FALSE(fs::exists(path / "data/logs/resumed.log")) << "half lines are nothing to tell of";
    writer.append_samples(table, 3);
    writer.append_trial(trial_of_samples());
    writer.seal({});
  }
  EXPECT_EQ(read_samples(path / "data/samples.csv", false).rows.size(), 5U);
  EXPECT_EQ(read_trials(path / "data/trials.csv", false).size(), 2U);
  EXPECT_THAT(bag_differences(path), testing::IsEmpty());
}

TEST_F(WriterTest, HasAFileOfKernelsOnlyWhereThereAreSome) {
  Writer writer = create();
  writer.append_kernels({});
  EXPECT_FALSE(fs::exists(writer.data() / "kernels.csv"));
  writer.append_kernels({{0, "k", 1, 256, {0, 5}, {3, 4}}});
  writer.append_kernels({{1, "k", 1, 256, {0}, {3}}, {1, "[memset]", 0, 0, {4}, {1}}});
  EXPECT_EQ(
      text_of(writer.data() / "kernels.csv"),
      std::string(kernels_header) + "\n0,k,1,256,0 5,3 4\n1,k,1,256,0,3\n1,[memset],0,0,4,1\n");
  writer.seal({});
  EXPECT_THAT(bag_differences(writer.path()), testing::IsEmpty());
  EXPECT_THAT(text_of(writer.path() / "manifest-sha256.txt"), HasSubstr("  data/kernels.csv\n"));
}

TEST_F(WriterTest, GoesOnWithTheKernelsOfAnInterruptedRecord) {
  fs::path path;
  {
    Writer writer = create();
    path = writer.path();
    writer.append_kernels({{0, "k", 1, 256, {0}, {3}}});
    writer.append_samples(ordinary_samples(1), 0);
  }
  const std::string whole = text_of(path / "data/kernels.csv");
  put(path / "data/kernels.csv", whole + "1,k,1,25");
  {
    Writer writer = Writer::reopen(path);
    EXPECT_EQ(text_of(path / "data/kernels.csv"), whole);
    writer.append_kernels({{1, "k", 1, 256, {0}, {4}}});
    writer.seal({});
  }
  const auto all = read_kernels(path / "data/kernels.csv", false);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].sample, 1U);
  EXPECT_THAT(bag_differences(path), testing::IsEmpty());
}

TEST_F(WriterTest, GoesOnWhereEvenTheColumnsWereCutOff) {
  const fs::path path = create().path();
  put(path / "data/samples.csv", "trial,pro");
  fs::remove(path / "data/trials.csv");
  Writer writer = Writer::reopen(path);
  EXPECT_EQ(text_of(path / "data/samples.csv"), std::string(samples_header) + "\n");
  EXPECT_EQ(text_of(path / "data/trials.csv"), std::string(trials_header) + "\n");
}

TEST_F(WriterTest, DoesNotGoOnWithWhatItShouldNot) {
  const auto refusal = [](const fs::path& path) {
    return refusal_of(ErrorKind::bad_input, [&] { Writer::reopen(path); });
  };
  EXPECT_THAT(refusal(directory_ / "absent"), HasSubstr("no such directory"));
  EXPECT_THAT(refusal(directory_.path()), HasSubstr("not a record"));
  const fs::path changed = create().path();
  put(changed / "data/plan.json", plan_text + " ");
  EXPECT_THAT(refusal(changed), HasSubstr("plan.json was changed"));
  const fs::path sealed = [this] {
    Writer writer = create();
    writer.seal({});
    return writer.path();
  }();
  EXPECT_THAT(refusal(sealed), HasSubstr("sealed"));
}

// What trials.csv tells of is whole, whenever a run was ended.
TEST_F(WriterTest, DoesNotGoOnWithoutWhatItsSamplesMustHave) {
  const auto refusal = [](const fs::path& path) {
    return refusal_of(ErrorKind::bad_input, [&] { Writer::reopen(path); });
  };
  fs::path path;
  {
    Writer writer = create();
    path = writer.path();
    std::vector<StartupRow> phases;
    for (std::size_t phase = 0; phase < startup_phases; ++phase) {
      phases.push_back({1, 3, static_cast<StartupPhase>(phase), Missing{no_phase::not_told, ""}});
    }
    writer.append_startup(phases, 0);
    SampleTable first_call = ordinary_samples(1);
    first_call.rows[0].boundary = first_call.names.index_of(cold_start_boundary);
    writer.append_samples(first_call, 0);
    writer.append_trial(trial_of_samples());
  }
  const std::string startup = text_of(path / "data/startup.csv");
  fs::remove(path / "data/startup.csv");
  EXPECT_THAT(refusal(path), AllOf(HasSubstr("data/startup.csv is missing"),
                                   HasSubstr("process 3 in trial 1"), HasSubstr("from a copy")));
  put(path / "data/startup.csv", std::string(startup_header) + "\n");
  EXPECT_THAT(refusal(path), HasSubstr("data/startup.csv lacks rows"));
  put(path / "data/startup.csv", startup);
  EXPECT_NO_THROW(Writer::reopen(path));

  const std::string samples = text_of(path / "data/samples.csv");
  fs::remove(path / "data/samples.csv");
  EXPECT_THAT(refusal(path), HasSubstr("data/samples.csv is missing"));
  put(path / "data/samples.csv", samples);
  const std::string trials = text_of(path / "data/trials.csv");
  fs::remove(path / "data/trials.csv");
  EXPECT_THAT(refusal(path), HasSubstr("data/trials.csv is missing"));
  put(path / "data/trials.csv", trials);
  put(path / "data/calibration.json", "{}");
  EXPECT_THAT(refusal(path), HasSubstr("data/checks.json is missing"));
}

// Of a process without a row it can be so.
TEST_F(WriterTest, GoesOnWhereTheLastProcessHasNotWrittenAll) {
  fs::path path;
  {
    Writer writer = create();
    path = writer.path();
    SampleTable first_call = ordinary_samples(1);
    first_call.rows[0].boundary = first_call.names.index_of(cold_start_boundary);
    writer.append_samples(first_call, 0);
  }
  const Writer writer = Writer::reopen(path);
  EXPECT_EQ(text_of(path / "data/samples.csv"), std::string(samples_header) + "\n");
}

TEST_F(WriterTest, IsTheOnlyOneOfItsRecord) {
  const Writer writer = create();
  EXPECT_THAT(refusal_of(ErrorKind::bad_input, [&] { Writer::reopen(writer.path()); }),
              HasSubstr("another process"));
}

}  // namespace
}  // namespace assay::record
