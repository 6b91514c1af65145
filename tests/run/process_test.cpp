// SPDX-License-Identifier: MIT
#include "assay/run/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "assay/base/error.hpp"

namespace assay::run {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds patience{20000};

class ProcessTest : public testing::Test {
 protected:
  Launch shell(const std::string& command) const {
    Launch launch;
    launch.program = "/bin/sh";
    launch.arguments = {"-c", command};
    launch.log = log_;
    return launch;
  }
  std::string logged() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }
  void TearDown() override { std::filesystem::remove(log_); }

  std::filesystem::path log_ = std::filesystem::temp_directory_path() /
                               ("assay-process-test-" + std::to_string(getpid()) + ".log");
};

TEST_F(ProcessTest, TellsTheExitStatus) {
  Process process = Process::start(shell("exit 7"));
  const auto ended = process.wait(patience);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->text(), "exited with status 7");
}

TEST_F(ProcessTest, TellsTheSignal) {
  Process process = Process::start(shell("kill -SEGV $$"));
  const auto ended = process.wait(patience);
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->by_signal);
  EXPECT_THAT(ended->text(), testing::HasSubstr("signal 11"));
}

TEST_F(ProcessTest, LogsBothStreamsAndAddsToTheEnvironment) {
  Launch launch = shell("echo out $ADDED; echo err >&2");
  launch.environment = {{"ADDED", "value"}};
  Process process = Process::start(launch);
  ASSERT_TRUE(process.wait(patience));
  EXPECT_EQ(logged(), "out value\nerr\n");
}

TEST_F(ProcessTest, ReplacesAVariableThatIsThereAlready) {
  ASSERT_EQ(setenv("ASSAY_PROCESS_TEST", "old", 1), 0);
  Launch launch = shell("env | grep -c '^ASSAY_PROCESS_TEST='; echo $ASSAY_PROCESS_TEST");
  launch.environment = {{"ASSAY_PROCESS_TEST", "new"}};
  Process process = Process::start(launch);
  ASSERT_TRUE(process.wait(patience));
  EXPECT_EQ(logged(), "1\nnew\n");
}

TEST_F(ProcessTest, SaysWhyAProgramCannotBeExecuted) {
  Launch launch = shell("");
  launch.program = "/nowhere/at/all";
  try {
    Process::start(launch);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::worker);
    EXPECT_EQ(error.native_code(), ENOENT);
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/at/all"));
  }
}

TEST_F(ProcessTest, SaysWhichLogCannotBeWritten) {
  Launch launch = shell("");
  launch.log = "/nowhere/log";
  try {
    Process::start(launch);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::write);
    EXPECT_THAT(error.what(), testing::HasSubstr("/nowhere/log"));
  }
}

TEST_F(ProcessTest, KillsWhatTheChildStartedAsWell) {
  // The grandchild would hold the log open and write to it; killing the group ends it too.
  Process process = Process::start(shell("sleep 1000 & echo $!; wait"));
  std::string number;
  for (int i = 0; i < 10000 && number.find('\n') == std::string::npos; ++i) {
    number = logged();
    EXPECT_FALSE(process.wait(milliseconds(1)));
  }
  const pid_t grandchild = static_cast<pid_t>(std::stol(number));
  process.kill();
  // Gone, or a zombie that whoever adopted it has yet to reap: it runs no more.
  bool runs = true;
  for (int i = 0; i < 10000 && runs; ++i) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string pid, name, state;
    runs = static_cast<bool>(stat >> pid >> name >> state) && state != "Z" && state != "X";
  }
  EXPECT_FALSE(runs);
}

TEST_F(ProcessTest, PinsTheChild) {
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  int last = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) last = core;
  }
  Launch launch = shell("grep Cpus_allowed_list /proc/self/status");
  launch.cores = {last};
  Process process = Process::start(launch);
  ASSERT_TRUE(process.wait(patience));
  EXPECT_EQ(logged(), "Cpus_allowed_list:\t" + std::to_string(last) + "\n");
}

}  // namespace
}  // namespace assay::run
