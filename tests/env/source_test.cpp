// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <stdlib.h>

#include "assay/base/digest.hpp"
#include "assay/env/environment.hpp"
#include "assay/env/process.hpp"
#include "support.hpp"

namespace assay::env {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

constexpr std::chrono::seconds long_enough{60};

class Repository : public testing::Test {
 protected:
  void SetUp() override {
    if (run_process({"git", "--version"}, {}, 1000, long_enough).start_errno != 0) {
      GTEST_SKIP() << "there is no git";
    }
    git({"init", "-q"});
    folder_.put("kernel.cpp", "int a;\n");
    git({"add", "."});
    git({"-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false", "commit",
         "-q", "-m", "a"});
  }
  void git(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"git", "-C", folder_.path().string()});
    const auto output = run_process(arguments, {}, 10'000, long_enough);
    ASSERT_EQ(output.exit_status, 0) << output.err;
  }
  Json revision() const { return source_revision(folder_.path()); }

  const TemporaryDirectory folder_;
};

TEST_F(Repository, IsNamedByItsRevision) {
  const Json source = revision();
  EXPECT_THAT(source["revision"]["value"].get<std::string>(), MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(source["dirty"]["value"], false);
  EXPECT_EQ(source["diff"]["value"], "");
  EXPECT_EQ(source["untracked"]["value"], Json::array());
}

TEST_F(Repository, ShowsWhatDiffersFromItsRevision) {
  folder_.put("kernel.cpp", "int b;\n");
  folder_.put("new file.cpp", "");
  const Json source = revision();
  EXPECT_EQ(source["dirty"]["value"], true);
  EXPECT_THAT(source["diff"]["value"].get<std::string>(), HasSubstr("-int a;\n+int b;\n"));
  EXPECT_EQ(source["diff"]["is_complete"], true);
  EXPECT_EQ(source["untracked"]["value"], Json::array({"new file.cpp"}));
}

TEST_F(Repository, ShowsTheBeginningOfALongDifference) {
  folder_.put("kernel.cpp", std::string(100'000, 'x'));
  const Json source = source_revision(folder_.path(), 1000);
  EXPECT_EQ(source["diff"]["value"].get<std::string>().size(), 1000U);
  EXPECT_EQ(source["diff"]["is_complete"], false);
}

TEST_F(Repository, WritesAsJsonWhateverItHolds) {
  folder_.put("kernel.cpp", "caf\xe9\n");
  EXPECT_NO_THROW(json_text(revision()));
}

TEST_F(Repository, IsNotMistakenForAFolderWithoutOne) {
  const TemporaryDirectory elsewhere;
  const Json source = source_revision(elsewhere.path());
  for (const char* name : {"revision", "dirty", "diff", "untracked"}) {
    EXPECT_EQ(source[name]["missing"], "no-repository") << source;
  }
}

TEST(RunProcess, SaysThatThereIsNoSuchProgram) {
  EXPECT_EQ(run_process({"no-such-program-anywhere"}, {}, 10, long_enough).start_errno, ENOENT);
}

TEST(RunProcess, EndsAProgramThatTakesTooLong) {
  const auto output =
      run_process({"cat", "/dev/zero"}, {}, ~std::uint64_t{0}, std::chrono::milliseconds(0));
  EXPECT_TRUE(output.timed_out);
  EXPECT_EQ(output.exit_status, -1);
}

TEST(RunProcess, EndsAProgramThatPrintsTooMuch) {
  const auto output = run_process({"cat", "/dev/zero"}, {}, 1000, long_enough);
  EXPECT_TRUE(output.is_cut);
  EXPECT_EQ(output.out.size(), 1000U);
}

TEST(RunProcess, GivesArgumentsAndVariablesAsTheyAre) {
  const auto output =
      run_process({"sh", "-c", "printf '%s|%s' \"$1\" \"$ASSAY_X\"", "sh", "a; b $c"},
                  {"ASSAY_X=1 2"}, 1000, long_enough);
  EXPECT_EQ(output.exit_status, 0);
  EXPECT_EQ(output.out, "a; b $c|1 2");
}

TEST(BinaryFacts, NameTheFileByItsDigest) {
  const TemporaryDirectory folder;
  folder.put("program", "not ELF");
  const Json facts = binary_facts(folder.path() / "program");
  EXPECT_EQ(facts["sha256"]["value"], sha256_hex("not ELF"));
  EXPECT_EQ(facts["size_bytes"]["value"], 7);
  EXPECT_EQ(facts["build_id"]["missing"], "not-elf");
}

TEST(BinaryFacts, SayWhyThereAreNone) {
  const Json facts = binary_facts("/no/such/program");
  EXPECT_EQ(facts["sha256"]["missing"], "unreadable");
  EXPECT_THAT(facts["sha256"]["detail"].get<std::string>(), HasSubstr("/no/such/program"));
}

TEST(BinaryFacts, OfThisProgramHoldABuildIdOrSayThatThereIsNone) {
  const Json id = binary_facts("/proc/self/exe")["build_id"];
  if (id.contains("value")) {
    EXPECT_THAT(id["value"].get<std::string>(), MatchesRegex("([0-9a-f][0-9a-f])+"));
  } else {
    EXPECT_EQ(id["missing"], "not-there");
  }
}

}  // namespace
}  // namespace assay::env
