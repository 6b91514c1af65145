// SPDX-License-Identifier: MIT
#include "assay/profile/programs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/digest.hpp"
#include "plans.hpp"
#include "support.hpp"

namespace assay::profile {
namespace {

using record::put;
using testing::HasSubstr;

struct Programs {
  Programs() {
    plan.builds.front().program = folder.path() / "demo";
    put(folder.path() / "demo", "timed");
    plan.program_digests = {sha256_hex("timed")};
  }
  std::string refusal(const std::vector<std::string>& named, ErrorKind kind) {
    try {
      programs_of(plan, named, false);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "";
  }
  record::TemporaryDirectory folder;
  experiment::Plan plan = some_plan();
};

TEST(Programs, AreFoundWhereTheyWereTimed) {
  Programs fixture;
  const auto programs = programs_of(fixture.plan, {}, false);
  ASSERT_EQ(programs.size(), 1U);
  EXPECT_TRUE(programs[0].is_timed_one());
  EXPECT_EQ(programs[0].path, (fixture.folder.path() / "demo").string());
}

TEST(Programs, AreRefusedWhereTheyAreOthersUnlessThatIsAllowed) {
  Programs fixture;
  put(fixture.folder.path() / "demo", "built anew");
  EXPECT_THAT(fixture.refusal({}, ErrorKind::bad_input), HasSubstr("--other-program"));
  EXPECT_FALSE(programs_of(fixture.plan, {}, true)[0].is_timed_one());
}

TEST(Programs, AreTakenFromWhereTheCommandLineSays) {
  Programs fixture;
  put(fixture.folder.path() / "moved=here/demo", "timed");
  std::filesystem::remove(fixture.folder.path() / "demo");
  EXPECT_THAT(fixture.refusal({}, ErrorKind::bad_input), HasSubstr("is not there"));
  const std::string place = (fixture.folder.path() / "moved=here/demo").string();
  EXPECT_EQ(programs_of(fixture.plan, {place}, false)[0].path, place);
  EXPECT_EQ(programs_of(fixture.plan, {"program=" + place}, false)[0].path, place);
}

TEST(Programs, OfTwoBuildsHaveToBeNamedWithTheBuild) {
  Programs fixture;
  fixture.plan.builds.push_back(fixture.plan.builds.front());
  fixture.plan.builds.front().name = "baseline";
  fixture.plan.builds.back().name = "candidate";
  fixture.plan.program_digests.push_back(sha256_hex("changed"));
  put(fixture.folder.path() / "new", "changed");
  const std::string place = (fixture.folder.path() / "new").string();
  EXPECT_THAT(fixture.refusal({place}, ErrorKind::usage), HasSubstr("candidate=PATH"));
  const auto programs = programs_of(fixture.plan, {"candidate=" + place}, false);
  EXPECT_EQ(programs[1].path, place);
  EXPECT_TRUE(programs[0].is_timed_one() && programs[1].is_timed_one());
}

TEST(Programs, OfSeveralLayoutsAreTheFirst) {
  Programs fixture;
  fixture.plan.layout_replicates = 2;
  fixture.plan.program_digests = {sha256_hex("first"), sha256_hex("second")};
  put(fixture.folder.path() / "demo.layout-1", "first");
  const auto programs = programs_of(fixture.plan, {}, false);
  EXPECT_EQ(programs[0].layout, 1);
  EXPECT_TRUE(programs[0].is_timed_one());
}

}  // namespace
}  // namespace assay::profile
