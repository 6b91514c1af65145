// SPDX-License-Identifier: MIT
#include "assay/env/ceilings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/env/environment.hpp"
#include "support.hpp"

namespace assay::env {
namespace {

using testing::HasSubstr;

StoredCeilings stored_of(const std::string& fingerprint, double best) {
  StoredCeilings entry;
  entry.machine_fingerprint = fingerprint;
  entry.hostname = "host-" + fingerprint;
  entry.device = "cpu";
  entry.measured_utc = "2026-11-29T21:44:05+00:00";
  entry.assay_version = "0.1.0";
  entry.environment = {{"governor", std::string("performance")},
                       {"turbo", Missing{"no-such-file", "hidden"}}};
  entry.ceilings.vector_bits = 256;
  entry.ceilings.cores = {0};
  entry.ceilings.cores_allowed = 1;
  entry.ceilings.levels = {{"memory", Missing{"not-known", ""}, 1}};
  entry.ceilings.bandwidths = {{"memory", "read", "none", 1, 1024, Passes{best, best, 10}}};
  return entry;
}

TEST(CeilingsFile, GivesBackWhatWasWrittenForEachMachine) {
  const TemporaryDirectory directory;
  write_ceilings(directory.path(), stored_of("one", 1e9));
  write_ceilings(directory.path(), stored_of("two", 2e9));
  const auto file = write_ceilings(directory.path(), stored_of("one", 3e9));
  EXPECT_EQ(file, directory.path() / "ceilings.json");
  EXPECT_EQ(read_ceilings(directory.path()).size(), 2U);
  const auto one = ceilings_of(directory.path(), "one", "cpu");
  ASSERT_TRUE(one);
  EXPECT_EQ(*one, stored_of("one", 3e9));
}

TEST(CeilingsFile, SaysWhyThereAreNone) {
  const TemporaryDirectory directory;
  const auto none = ceilings_of(directory.path(), "one", "cpu");
  EXPECT_EQ(none.missing().reason, "not-measured");
  EXPECT_THAT(none.missing().detail, HasSubstr("`assay doctor --ceilings`"));
  write_ceilings(directory.path(), stored_of("one", 1e9));
  const auto other = ceilings_of(directory.path(), "two", "cpu");
  EXPECT_EQ(other.missing().reason, "other-machine");
  EXPECT_THAT(other.missing().detail, HasSubstr("host-one"));
}

TEST(CeilingsFile, OfOtherCoresSayNothing) {
  const TemporaryDirectory directory;
  StoredCeilings entry = stored_of("one", 1e9);
  entry.ceilings.cores = {0, 2};
  entry.ceilings.cores_allowed = 4;
  write_ceilings(directory.path(), entry);
  const auto with = [&](const std::vector<int>& cores) {
    return ceilings_of(directory.path(), "one", "cpu", cores);
  };
  EXPECT_TRUE(with({0, 1, 2, 3}));
  for (const auto& others : {std::vector<int>{0, 1, 2}, {0, 1, 3, 4}, {0, 1, 2, 3, 4}}) {
    const auto none = with(others);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.missing().reason, "other-cores");
    EXPECT_THAT(none.missing().detail, HasSubstr("could use 4 cores"));
  }
  // A device has all of itself, whatever the machine's cores.
  entry.device = "fake";
  write_ceilings(directory.path(), entry);
  EXPECT_TRUE(ceilings_of(directory.path(), "one", "fake", {7}));
}

TEST(CeilingsFile, RefusesADamagedOneWithWhatToDo) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / ceilings_name)
      << R"({"format": "assay-ceilings/1", "machines": 3})";
  try {
    read_ceilings(directory.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("the ceilings of this machine"));
    EXPECT_THAT(error.what(), HasSubstr("ceilings.json"));
    EXPECT_THAT(error.what(), HasSubstr("`assay doctor --ceilings`"));
  }
}

TEST(CeilingsFile, SummaryIsOfThisEnvironment) {
  const EnvironmentSummary summary = summary_of(environment_of_this_machine());
  ASSERT_FALSE(summary.empty());
  EXPECT_EQ(summary.front().first, "processor");
  for (const auto& [name, reading] : summary) {
    if (!reading) {
      EXPECT_NE(reading.missing().reason, "absent") << name;
    }
  }
}

}  // namespace
}  // namespace assay::env
