// SPDX-License-Identifier: MIT
#include "assay/measure/quick_look.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "assay/measure/main.hpp"
#include "sample_program.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::HasSubstr;
using testing::Not;

TEST(QuickLook, ShowsTimesOnlyOfSubjectsThatAreRight) {
  Program program;
  add_scale(program);
  std::ostringstream out;
  quick_look(program, "./demo", "cpu", out);
  EXPECT_THAT(out.str(), testing::ContainsRegex("doubles +[0-9.]+ [num]*s +[0-9.]+ [num]*s"));
  EXPECT_THAT(out.str(), testing::ContainsRegex("idle +not timed: "));
  EXPECT_THAT(out.str(), HasSubstr("not a measurement"));
  EXPECT_THAT(out.str(), HasSubstr("assay run ./demo"));
}

// The device `fake` with that script, as long as it lives.
class QuickScriptFile {
 public:
  explicit QuickScriptFile(const std::string& members)
      : path_(testing::TempDir() + "assay-quick-look-" + std::to_string(getpid()) + ".json") {
    std::ofstream(path_) << R"({"assay_fake": 1, )" << members << "}";
  }
  ~QuickScriptFile() { std::filesystem::remove(path_); }
  QuickScriptFile(const QuickScriptFile&) = delete;
  QuickScriptFile& operator=(const QuickScriptFile&) = delete;
  std::string device() const { return "fake:" + path_; }

 private:
  std::string path_;
};

TEST(QuickLook, OfAnotherDeviceIsByItsOwnTimerAndSaysSo) {
  const QuickScriptFile script(
      R"("call_ns": 2500, "has_own_memory": true, "timers": [)"
      R"({"name": "cupti", "boundaries": ["device"], "is_per_call": true},)"
      R"({"name": "host", "boundaries": ["call"]}])");
  Program program;
  add_scale(program);
  std::ostringstream out;
  quick_look(program, "./demo", script.device(), out);
  EXPECT_THAT(out.str(), HasSubstr(", boundary device, timer cupti\n"));
  EXPECT_THAT(out.str(), testing::ContainsRegex("doubles +2.50 us +2.50 us"))
      << "as the device says, not as long as it took";
  EXPECT_THAT(out.str(), testing::ContainsRegex("idle +not timed: "));
  EXPECT_THAT(out.str(), HasSubstr("assay run ./demo --device " + script.device()));
}

TEST(QuickLook, EndsWhereTheDeviceIsLost) {
  const QuickScriptFile script(
      R"("faults": [{"kind": "lost", "stage": "block", "subject": "doubles"}])");
  Program program;
  add_scale(program);
  std::ostringstream out;
  try {
    quick_look(program, "./demo", script.device(), out);
    FAIL() << out.str();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_THAT(error.what(), HasSubstr("under the subject 'doubles'"));
  }
}

TEST(QuickLook, SaysWhatItLeftOut) {
  Program program;
  add_scale(program);
  std::ostringstream out;
  quick_look(program, "./demo", "cpu", out, -1);
  EXPECT_THAT(out.str(), HasSubstr("1 more case"));
  EXPECT_THAT(out.str(), Not(HasSubstr("doubles  ")));
}

TEST(List, ShowsProblemsCasesAndWhereSubjectsApply) {
  std::ostringstream out;
  list(sample_program(), out);
  EXPECT_THAT(out.str(), HasSubstr("sum\n  subjects: good"));
  EXPECT_THAT(out.str(), HasSubstr("    n=16\n    n=33   (only: good"));
  EXPECT_THAT(out.str(), HasSubstr("states: warm cold"));
}

int run(const Program& program, std::vector<std::string> arguments) {
  std::string name = "demo";
  std::vector<char*> argv{name.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  return assay::main(static_cast<int>(arguments.size()) + 1, argv.data(), program);
}

TEST(Main, ArgumentsThatMakeNoSenseExitWithTwo) {
  const Program program = sample_program();
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(program, {"--frobnicate"}), 2);
  EXPECT_EQ(run(program, {"--once", "good"}), 2);
  EXPECT_EQ(run(program, {"--list", "more"}), 2);
  EXPECT_EQ(run(program, {"--device"}), 2);
  EXPECT_EQ(run(program, {"--device", "cpu", "more"}), 2);
  EXPECT_EQ(run(program, {"--once", "nobody", "-"}), 2);
  EXPECT_EQ(run(program, {"--once", "good", "n=="}), 2);
  EXPECT_EQ(run(program, {"--once", "good", "n=16", "--calls", "0"}), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("--frobnicate"));
}

TEST(Main, ADeviceThatIsNotThereExitsWithFive) {
  const Program program = sample_program();
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(program, {"--device", "cuda:4096"}), 5);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("cuda:4096"));
}

TEST(Main, HelpAndListExitWithZero) {
  const Program program = sample_program();
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(program, {"--help"}), 0);
  EXPECT_EQ(run(program, {"--list"}), 0);
  EXPECT_EQ(run(program, {"--device", "cpu"}), 0);
  EXPECT_EQ(run(program, {"--once", "good", "n=16"}), 0);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("--once SUBJECT CASE"));
}

TEST(Main, AProgramThatCannotBeMeasuredExitsWithTwo) {
  const Program program;
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(program, {}), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("no problem"));
}

}  // namespace
