// SPDX-License-Identifier: MIT
#include "assay/record/companion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/digest.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/companion_writer.hpp"
#include "assay/record/reader.hpp"
#include "assay/record/writer.hpp"
#include "companions.hpp"
#include "rows.hpp"
#include "some_plan.hpp"
#include "support.hpp"

namespace assay::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string csv_of(const std::vector<Counter>& counters) {
  std::string text = std::string(counters_header) + "\n";
  for (const Counter& counter : counters) append_csv(text, counter);
  return text;
}

TEST(Counters, ReadBackAsTheyWereWritten) {
  Companion companion = some_companion();
  auto counters = some_counters(companion);
  counters[0].value = 0.1;
  counters[0].counted_frac = 0.25;
  counters[1].value = -3.0;
  counters[2].launch = 2;
  counters[2].kernel = "void sum<float, 4>(float const*)";
  const auto read = parse_counters(csv_of(counters), "counters.csv");
  ASSERT_EQ(read.size(), counters.size());
  EXPECT_EQ(csv_of(read), csv_of(counters));
  EXPECT_EQ(*read[0].value, 0.1);
  EXPECT_EQ(read[0].counted_frac, 0.25);
  EXPECT_EQ(read[2].kernel, counters[2].kernel);
}

TEST(Counters, RefuseRowsThatCannotBe) {
  const std::string begin = std::string(counters_header) + "\n1,p,-,warm,program,a,";
  for (const char* rest : {"0,,Ir,instructions,1,5,1,also-missing", "0,,Ir,instructions,1,,,",
                           "0,,Ir,instructions,1,5,,", "0,,Ir,instructions,1,5,0,",
                           "0,,Ir,instructions,1,5,1.5,", "0,,Ir,instructions,1,inf,1,",
                           "0,,Ir,instructions,0,5,1,", "0,kernel,Ir,instructions,1,5,1,",
                           "1,,Ir,instructions,1,5,1,", "0,,,instructions,1,5,1,"}) {
    EXPECT_THROW(parse_counters(begin + rest + "\n", "counters.csv"), Error) << rest;
  }
  EXPECT_NO_THROW(parse_counters(begin + "0,,Ir,instructions,1,5,1,\n", "counters.csv"));
  EXPECT_THROW(parse_counters(begin + "0,,Ir,instructions,1,5,1,", "counters.csv"), Error);
}

TEST(Companion, ReadsBackAsItWasWritten) {
  const Json json = to_json(some_companion());
  EXPECT_EQ(to_json(companion_from_json(json, "companion.json")), json);
}

TEST(Companion, RefusesAnotherKindAndAnotherVersion) {
  Json json = to_json(some_companion());
  json["kind"] = "remark";
  EXPECT_THROW(companion_from_json(json, "companion.json"), Error);
  json = to_json(some_companion());
  json["format"] = "assay-companion/2";
  EXPECT_THROW(companion_from_json(json, "companion.json"), Error);
}

TEST(Companion, RefusesARunOfNoCalls) {
  Json json = to_json(some_companion());
  json["runs"][1]["calls"] = 0;
  EXPECT_THROW(companion_from_json(json, "companion.json"), Error);
}

struct Sealed {
  Sealed() {
    CompanionWriter writer(folder.path(), "timed", "profile-callgrind", "20261130T120000Z");
    put(folder / "files/out", "7");
    for (const auto& run : companion.runs) writer.take_raw(run.number, folder / "files");
    std::filesystem::remove_all(folder / "files");
    path = writer.path();
    writer.seal(companion, some_counters(companion), {{"format", "assay-environment/1"}});
  }
  TemporaryDirectory folder;
  Companion companion = some_companion();
  std::filesystem::path path;
};

TEST(CompanionWriter, SealsABagThatNamesTheTimedRecord) {
  const Sealed sealed;
  EXPECT_EQ(sealed.path.filename(), "timed-profile-callgrind-20261130T120000Z");
  EXPECT_TRUE(is_companion(sealed.path));
  EXPECT_THAT(companion_integrity_differences(sealed.path), IsEmpty());
  EXPECT_EQ(bag_info(sealed.path, companion_of_label), "sha256:" + sealed.companion.of.digest);
  const CompanionRecord read = open_companion(sealed.path);
  EXPECT_TRUE(read.is_sealed);
  EXPECT_EQ(to_json(read.companion), to_json(sealed.companion));
  EXPECT_EQ(read.counters.size(), 4U);
  EXPECT_THAT(companion_disagreements(read), IsEmpty());
  EXPECT_EQ(record_digest(sealed.path), sha256_hex_of_file(sealed.path / tag_manifest_name));
}

TEST(CompanionWriter, TakesCopiesOfRegularFilesAndOfNothingElse) {
  const TemporaryDirectory folder;
  const TemporaryDirectory of_tool;
  CompanionWriter writer(folder.path(), "timed", "profile-callgrind", "20261130T120000Z");
  put(of_tool / "out", "7");
  put(of_tool / "deeper/log", "");
  put(of_tool / "not\xffutf8", "7");
  std::filesystem::create_symlink("/etc/passwd", of_tool / "link");
  EXPECT_THAT(writer.take_raw(12, of_tool.path()),
              ElementsAre("raw/0012/deeper/log", "raw/0012/out"));
  // Whoever still has the file open writes into that one.
  put(of_tool / "out", "8");
  EXPECT_EQ(text_of(writer.path() / "data/raw/0012/out"), "7");
}

// A tool may remove what is not its own.
TEST(CompanionWriter, FindsNothingWhereTheFolderOfARunIsGone) {
  const TemporaryDirectory folder;
  const CompanionWriter writer(folder.path(), "timed", "profile-callgrind", "20261130T120000Z");
  EXPECT_THAT(writer.take_raw(1, folder / "gone"), IsEmpty());
}

// As a process leaves it that is killed after its first run.
TEST(CompanionWriter, KeepsWhatWasCountedBeforeTheEnd) {
  const TemporaryDirectory folder;
  const CompanionWriter writer(folder.path(), "timed", "profile-callgrind", "20261130T120000Z");
  Companion companion = some_companion();
  const Json environment{{"format", "assay-environment/1"}};
  auto counters = some_counters(companion);
  companion.runs.pop_back();
  writer.save(companion, {}, environment);
  writer.save(companion, {counters[0], counters[1]}, environment);
  ASSERT_TRUE(is_companion(writer.path()));
  const CompanionRecord read = open_companion(writer.path());
  EXPECT_FALSE(read.is_sealed);
  EXPECT_EQ(read.counters.size(), 2U);
  EXPECT_THAT(companion_integrity_differences(writer.path()),
              ElementsAre(testing::AllOf(HasSubstr("never sealed"), HasSubstr("profile"))));
}

TEST(CompanionWriter, TakesNoDirectoryTwice) {
  const Sealed sealed;
  const CompanionWriter second(sealed.folder.path(), "timed", "profile-callgrind",
                               "20261130T120000Z");
  EXPECT_EQ(second.path().filename(), "timed-profile-callgrind-20261130T120000Z-2");
}

TEST(Companion, ShowsAChangedFile) {
  const Sealed sealed;
  put(sealed.path / "data/raw/0001/out", "8");
  EXPECT_THAT(companion_integrity_differences(sealed.path),
              ElementsAre(HasSubstr("data/raw/0001/out was changed")));
}

TEST(Companion, IsNoRecordOfTimes) {
  const Sealed sealed;
  try {
    open(sealed.path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("companion"));
  }
}

// A companion that names a record which lies beside it.
struct Beside : Sealed {
  Beside() {
    Writer writer =
        Writer::create(folder.path(), "timed", "20261130T110000Z", json_text(to_json(some_plan())),
                       "2026-11-30T11:00:00+00:00", "");
    writer.append_samples(ordinary_samples(4), 0);
    writer.seal({});
    timed = writer.path();
    record = open_companion(path);
    record.companion.of.name = timed.filename().string();
    record.companion.of.digest = record_digest(timed);
  }
  std::filesystem::path timed;
  CompanionRecord record;
};

TEST(Companion, FindsTheTimedRecordBesideItByNameAndDigest) {
  Beside beside;
  EXPECT_EQ(*timed_record_beside(beside.record), beside.timed);
  beside.record.companion.of.digest = std::string(64, 'a');
  EXPECT_EQ(timed_record_beside(beside.record).missing().reason, "other-digest");
  beside.record.companion.of.name = "another";
  EXPECT_EQ(timed_record_beside(beside.record).missing().reason, "not-beside");
  beside.record.companion.of.name =
      "../" + beside.folder.path().filename().string() + "/" + beside.timed.filename().string();
  EXPECT_EQ(timed_record_beside(beside.record).missing().reason, "not-beside");
}

TEST(Companion, DoesNotTakeATimedRecordOfWhichAFileWasChanged) {
  const Beside beside;
  put(beside.timed / "data/samples.csv", "");
  const Missing one = timed_record_beside(beside.record).missing();
  EXPECT_EQ(one.reason, "changed");
  EXPECT_THAT(one.detail, HasSubstr("data/samples.csv was changed"));
  put(beside.timed / "data/plan.json", "{}");
  EXPECT_THAT(timed_record_beside(beside.record).missing().detail, HasSubstr("more (assay verify"));
}

TEST(Companion, DoesNotTakeATimedRecordThatHasLostItsManifest) {
  const Beside beside;
  std::filesystem::remove(beside.timed / manifest_name);
  const Missing lost = timed_record_beside(beside.record).missing();
  EXPECT_EQ(lost.reason, "changed");
  EXPECT_THAT(lost.detail, HasSubstr(std::string(manifest_name) + " is missing"));
}

TEST(Companion, SaysWhichRowsDoNotBelongToItsRuns) {
  const Sealed sealed;
  const CompanionRecord good = open_companion(sealed.path);
  CompanionRecord bad = good;
  bad.counters[0].run = 9;
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr("there is no run 9")));
  bad = good;
  bad.counters[1].subject = "other";
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr("another subject")));
  bad = good;
  bad.counters[1].unit = "bytes";
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr("no such metric")));
  bad = good;
  bad.counters[3].value = Missing{"untold", ""};
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr("why it is missing")));
  bad = good;
  bad.counters.resize(2);
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr("run 2 has no row")));
  bad = good;
  bad.companion.runs[0].raw = {"raw/0001/../../../bagit.txt", "raw/0001/out"};
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr("is not there")));
}

TEST(Companion, SaysWhatItsRunsHaveWrongAmongThemselves) {
  const Sealed sealed;
  const CompanionRecord good = open_companion(sealed.path);
  CompanionRecord bad = good;
  bad.companion.runs[0].raw.swap(bad.companion.runs[1].raw);
  EXPECT_THAT(companion_disagreements(bad),
              ElementsAre(HasSubstr("raw/0002/out of run 1"), HasSubstr("raw/0001/out of run 2")));
  bad = good;
  bad.companion.runs[1].raw.clear();
  EXPECT_THAT(companion_disagreements(bad), ElementsAre("the file raw/0002/out is of no run"));
  bad = good;
  bad.companion.runs[1].subject = bad.companion.runs[0].subject;
  for (Counter& counter : bad.counters) counter.subject = bad.companion.runs[0].subject;
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr("as another")));
  bad = good;
  std::swap(bad.companion.runs[0], bad.companion.runs[1]);
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr("runs[0] has the number 2"),
                                                        HasSubstr("runs[1] has the number 1")));
}

TEST(Companion, SaysThatItsBagNamesAnotherRecord) {
  const Sealed sealed;
  CompanionRecord bad = open_companion(sealed.path);
  bad.companion.of.digest = std::string(64, 'e');
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr(companion_of_label)));
  put(sealed.path / "bag-info.txt", "Bag-Software-Agent: Assay\n");
  EXPECT_THAT(companion_disagreements(bad), ElementsAre(HasSubstr("is missing")));
}

}  // namespace
}  // namespace assay::record
