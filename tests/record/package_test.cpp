// SPDX-License-Identifier: MIT
#include "assay/record/package.hpp"

#include <gmock/gmock.h>

#include "assay/base/digest.hpp"
#include "assay/base/json.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/writer.hpp"
#include "rows.hpp"
#include "some_plan.hpp"
#include "support.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* version = "0.1.0";

class PackageTest : public testing::Test {
 protected:
  Writer create() const {
    return Writer::create(directory_.path(), "Sum", "20261129T214405Z",
                          json_text(to_json(some_plan())), "2026-11-29T21:44:05+00:00", "");
  }
  fs::path sealed_record() const {
    Writer writer = create();
    writer.append_samples(ordinary_samples(4), 0);
    writer.append_trial(ordinary_trial());
    writer.append_kernels({{0, "k", 1, 256, {0, 5}, {3, 4}}});
    writer.append_command_runs({CommandRun{}});
    writer.append_startup({StartupRow{}}, 0);
    TelemetryRow reading;
    reading.moment = "before";
    reading.telemetry = Telemetry(gpu_fields());
    writer.append_telemetry({reading}, 0);
    writer.seal({});
    return writer.path();
  }
  static Json package_in(const fs::path& record) {
    return parse_json(text_of(record / "data/datapackage.json"), "datapackage.json");
  }
  static void put_package(const fs::path& record, const Json& package) {
    put(record / "data/datapackage.json", json_text(package));
  }
  // What is said of it where this version wrote it, and where another one did.
  static std::string difference(const fs::path& record) {
    return check_package(record, version, version).difference;
  }
  static std::string difference_of_another(const fs::path& record) {
    return check_package(record, "0.0.9", version).difference;
  }

  const TemporaryDirectory directory_;
};

TEST_F(PackageTest, HasAResourceForEachTableOfTheRecord) {
  const fs::path record = sealed_record();
  const Json package = package_in(record);
  EXPECT_EQ(package.at("profile"), "tabular-data-package");
  EXPECT_THAT(package.at("name").get<std::string>(), testing::StartsWith("sum-20261129t214405z-"));
  const Json& resources = package.at("resources");
  ASSERT_EQ(resources.size(), tables_of_records().size());
  for (const Json& resource : resources) {
    const std::string file = resource.at("path");
    const std::string text = text_of(record / "data" / file);
    EXPECT_EQ(resource.at("bytes"), text.size()) << file;
    EXPECT_EQ(resource.at("hash"), "sha256:" + sha256_hex(text)) << file;
    std::string header;
    for (const Json& field : resource.at("schema").at("fields")) {
      header += (header.empty() ? "" : ",") + field.at("name").get<std::string>();
    }
    EXPECT_EQ(header, text.substr(0, text.find('\n'))) << file;
  }
  EXPECT_THAT(bag_differences(record), IsEmpty());
  EXPECT_EQ(difference(record), "");
}

TEST_F(PackageTest, SaysWhatAColumnIs) {
  const Json resources = package_in(sealed_record()).at("resources");
  const Json& samples = resources[0].at("schema");
  EXPECT_EQ(samples.at("missingValues"), Json::array()) << "an empty name is a name";
  const Json& interval = samples.at("fields")[13];
  EXPECT_EQ(interval.at("name"), "interval_ns");
  EXPECT_EQ(interval.at("type"), "number");
  EXPECT_EQ(interval.at("unit"), "ns");
  EXPECT_EQ(interval.at("constraints"), (Json{{"required", true}, {"minimum", 0}}));
  EXPECT_THAT(interval.at("description").get<std::string>(), HasSubstr("the whole interval"));
  EXPECT_EQ(samples.at("foreignKeys")[0].at("reference").at("resource"), "trials");
  const Json& trials = resources[1].at("schema");
  EXPECT_EQ(trials.at("missingValues"), Json::array({""}));
  EXPECT_EQ(trials.at("primaryKey"), Json::array({"trial", "process"}));
  EXPECT_FALSE(trials.at("fields")[5].at("constraints").contains("required")) << "the core";
}

TEST_F(PackageTest, NamesNoTableThatTheRecordLacks) {
  Writer writer = create();
  writer.seal({});
  EXPECT_EQ(package_in(writer.path()).at("resources").size(), 2U);
  EXPECT_EQ(difference(writer.path()), "");
}

TEST_F(PackageTest, OfAnotherTableIsFoundWhicheverVersionWroteIt) {
  const fs::path record = sealed_record();
  const std::string samples = text_of(record / "data/samples.csv");
  put(record / "data/samples.csv", samples + samples.substr(samples.find('\n') + 1));
  EXPECT_THAT(difference(record), HasSubstr("says other bytes of samples.csv"));
  std::string renamed = samples;
  renamed.replace(renamed.find("naive"), 5, "evian");
  put(record / "data/samples.csv", renamed);
  EXPECT_THAT(difference(record), HasSubstr("says other hash of samples.csv"));
  EXPECT_EQ(difference_of_another(record), difference(record));
  put(record / "data/samples.csv", samples);
  EXPECT_EQ(difference(record), "");
}

TEST_F(PackageTest, ThatWasChangedIsFound) {
  const fs::path record = sealed_record();
  const Json package = package_in(record);
  Json changed = package;
  changed["resources"].erase(1);
  put_package(record, changed);
  EXPECT_THAT(difference_of_another(record), HasSubstr("does not name trials.csv"));
  changed = package;
  changed["resources"].push_back(package["resources"][0]);
  changed["resources"].back()["path"] = "more.csv";
  put_package(record, changed);
  EXPECT_THAT(difference_of_another(record), HasSubstr("names more.csv"));
  changed = package;
  changed["resources"][0]["schema"]["fields"][0]["name"] = "attempt";
  put_package(record, changed);
  EXPECT_THAT(difference_of_another(record), HasSubstr("says other columns of samples.csv"));
  for (const char* text :
       {"", "[]", "{}", "{\"resources\": 3}", "{\"resources\": [{\"path\": 1}]}"}) {
    put(record / "data/datapackage.json", text);
    EXPECT_THAT(difference_of_another(record), HasSubstr("not a description of the record's"))
        << text;
  }
}

TEST_F(PackageTest, IsComparedByEveryByteOnlyWhereThisVersionWroteIt) {
  const fs::path record = sealed_record();
  Json changed = package_in(record);
  changed["resources"][0]["schema"]["fields"][0]["description"] = "the attempt";
  put_package(record, changed);
  EXPECT_THAT(difference(record), HasSubstr("datapackage.json: not what this version makes"));
  const PackageCheck check = check_package(record, "0.0.9", version);
  EXPECT_EQ(check.difference, "");
  EXPECT_THAT(check.note, AllOf(HasSubstr("made by Assay 0.0.9"), HasSubstr(version)));
}

TEST_F(PackageTest, IsNotMissedInRecordsOfEarlierVersions) {
  const fs::path record = sealed_record();
  fs::remove(record / "data/datapackage.json");
  EXPECT_EQ(difference(record), "");
  EXPECT_EQ(check_package(record, version, version).note, "");
}

TEST_F(PackageTest, OfASealThatWasInterruptedGoes) {
  fs::path record;
  {
    const Writer writer = create();
    record = writer.path();
  }
  put(record / "data/datapackage.json", "{}");
  Writer writer = Writer::reopen(record);
  EXPECT_FALSE(fs::exists(record / "data/datapackage.json"));
  writer.append_samples(ordinary_samples(1), 0);
  writer.append_trial(ordinary_trial());
  writer.seal({});
  EXPECT_EQ(difference(record), "");
}

}  // namespace
}  // namespace assay::record
