// SPDX-License-Identifier: MIT
#include "assay/record/reader.hpp"

#include <gmock/gmock.h>

#include "assay/base/digest.hpp"
#include "assay/record/writer.hpp"
#include "rows.hpp"
#include "some_plan.hpp"
#include "support.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* utc = "2026-11-29T21:44:05+00:00";

class ReaderTest : public testing::Test {
 protected:
  Writer create() const {
    return Writer::create(directory_.path(), "sum", "20261129T214405Z",
                          json_text(to_json(some_plan())), utc, "");
  }
  // A whole run, up to its seal.
  fs::path sealed_record() const {
    Writer writer = create();
    writer.seal_calibration(to_json(some_calibration()), utc);
    writer.append_samples(ordinary_samples(4), 0);
    writer.append_trial(ordinary_trial());
    writer.write_checks(some_checks());
    writer.write_json("environment.json", Json{{"format", environment_format}});
    writer.write_json("result.json", Json{{"format", result_format}});
    writer.seal({});
    return writer.path();
  }
  static std::string refusal(const fs::path& path) {
    return refusal_of(ErrorKind::bad_input, [&] { open(path); });
  }

  const TemporaryDirectory directory_;
};

TEST_F(ReaderTest, ReadsBackWhatWasWritten) {
  const fs::path path = sealed_record();
  const Record record = open(path);
  EXPECT_TRUE(record.is_sealed);
  EXPECT_TRUE(record.has_calibration);
  EXPECT_EQ(record.sealed_utc, utc);
  EXPECT_EQ(record.plan_sha256, sha256_hex(json_text(to_json(some_plan()))));
  EXPECT_EQ(to_json(record.evidence.plan), to_json(some_plan()));
  EXPECT_EQ(to_json(record.evidence.calibration), to_json(some_calibration()));
  EXPECT_EQ(csv_of(record.evidence.samples), csv_of(ordinary_samples(4)));
  EXPECT_EQ(record.evidence.trials.size(), 1U);
  EXPECT_EQ(to_json(record.evidence.checks), to_json(some_checks()));
  EXPECT_TRUE(record.result.has_value());
  EXPECT_TRUE(record.evidence.environment.has_value());
  EXPECT_THAT(integrity_differences(path), IsEmpty());
}

TEST_F(ReaderTest, ReadsARecordThatWasInterruptedAtOnce) {
  const fs::path path = create().path();
  const Record record = open(path);
  EXPECT_FALSE(record.is_sealed);
  EXPECT_FALSE(record.has_calibration);
  EXPECT_FALSE(record.result.has_value());
  EXPECT_THAT(record.evidence.samples.rows, IsEmpty());
  EXPECT_THAT(integrity_differences(path), ElementsAre(HasSubstr("never sealed")));
}

TEST_F(ReaderTest, ReadsARecordThatWasInterruptedWithinARow) {
  Writer writer = create();
  writer.append_samples(ordinary_samples(4), 0);
  put(writer.data() / "samples.csv", csv_of(ordinary_samples(4)) + "1,3");
  EXPECT_EQ(open(writer.path()).evidence.samples.rows.size(), 4U);
}

TEST_F(ReaderTest, RefusesASealedRecordThatEndsWithinARow) {
  const fs::path path = sealed_record();
  put(path / "data/samples.csv", csv_of(ordinary_samples(4)) + "1,3");
  EXPECT_THAT(refusal(path), AllOf(HasSubstr("samples.csv:6"), HasSubstr("cut off")));
  fs::remove(path / "data/samples.csv");
  EXPECT_THAT(refusal(path), HasSubstr("samples.csv"));
}

TEST_F(ReaderTest, SaysThatThereIsNoRecord) {
  EXPECT_THAT(refusal(directory_ / "absent"), HasSubstr("no such directory"));
  EXPECT_THAT(refusal(directory_.path()), HasSubstr("not a record"));
  put(directory_ / "killed/data/environment.json", "{}");
  EXPECT_THAT(refusal(directory_ / "killed"), HasSubstr("killed before it wrote its plan"));
  refusal_of(ErrorKind::bad_input, [&] { integrity_differences(directory_ / "absent"); });
  refusal_of(ErrorKind::bad_input, [&] { integrity_differences(directory_.path()); });
}

TEST_F(ReaderTest, RefusesFormatsThatItDoesNotKnow) {
  const fs::path path = create().path();
  for (const char* name : {"checks.json", "calibration.json", "result.json", "environment.json"}) {
    const std::string format = "assay-" + std::string(name).substr(0, std::string(name).find('.'));
    put(path / "data" / name, "{\"format\": \"" + format + "/2\"}\n");
    EXPECT_THAT(refusal(path), AllOf(HasSubstr(name), HasSubstr("'" + format + "/2'"),
                                     HasSubstr("'" + format + "/1'"), HasSubstr("newer")));
    fs::remove(path / "data" / name);
  }
  put(path / "data/plan.json", "{\"format\": \"assay-plan/2\"}\n");
  EXPECT_THAT(refusal(path), AllOf(HasSubstr("plan.json"), HasSubstr("'assay-plan/2'")));
  put(path / "data/plan.json", "{\"format\": \"recipe/1\"}\n");
  EXPECT_THAT(refusal(path), HasSubstr("another kind of file"));
  put(path / "data/plan.json", "{}\n");
  EXPECT_THAT(refusal(path), HasSubstr("'format' is missing"));
}

TEST_F(ReaderTest, FindsAPlanThatIsNotTheSealedOne) {
  const fs::path path = create().path();
  put(path / "data/plan.json", json_text(to_json(some_plan())) + "\n");
  EXPECT_THAT(integrity_differences(path),
              ElementsAre(HasSubstr("never sealed"),
                          AllOf(HasSubstr("data/plan.json was changed"), HasSubstr(utc))));
}

TEST_F(ReaderTest, FindsACalibrationThatIsNotTheSealedOne) {
  const fs::path path = sealed_record();
  put(path / "data/calibration.json", "{}");
  EXPECT_THAT(integrity_differences(path), Contains(HasSubstr("after it was sealed")));
}

TEST_F(ReaderTest, FindsARecordWithoutItsPlan) {
  const fs::path path = sealed_record();
  fs::remove(path / "data/plan.json");
  EXPECT_THAT(integrity_differences(path), Contains(HasSubstr("data/plan.json is missing")));
}

TEST_F(ReaderTest, FindsARecordWithoutItsManifest) {
  const fs::path path = sealed_record();
  fs::remove(path / "manifest-sha256.txt");
  EXPECT_THAT(integrity_differences(path), ElementsAre("manifest-sha256.txt is missing"));
}

TEST(ChecksJson, ReadsBackAsItWasWritten) {
  const Json json = to_json(some_checks());
  EXPECT_EQ(to_json(checks_from_json(json, "checks.json")), json);
}

TEST(ChecksJson, NamesTheEntryThatIsWrong) {
  Json json = to_json(some_checks());
  json["failures"][0].erase("message");
  EXPECT_THAT(refusal_of(ErrorKind::bad_input, [&] { checks_from_json(json, "checks.json"); }),
              AllOf(HasSubstr("checks.json: failures[0]"), HasSubstr("message")));
  json["failures"] = 3;
  refusal_of(ErrorKind::bad_input, [&] { checks_from_json(json, "checks.json"); });
}

}  // namespace
}  // namespace assay::record
