// SPDX-License-Identifier: MIT
//
// The worker of kind `command`, and the process that it times: how a run ended, what it put out,
// what the checks say. No test here knows how long anything takes.
#include "assay/run/command_worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

#include "assay/run/crew.hpp"

namespace assay::run {
namespace {

namespace failure = experiment::failure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CommandWorkerTest : public testing::Test {
 protected:
  CommandWorkerTest()
      : directory_(std::filesystem::temp_directory_path() /
                   ("assay-command-test-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(directory_);
  }
  ~CommandWorkerTest() override { std::filesystem::remove_all(directory_); }

  experiment::Command shell(const std::string& name, const std::string& script,
                            const std::string& output = "-") const {
    experiment::Command command;
    command.name = name;
    command.words = {"/bin/sh", "-c", script, "sh", "{n}"};
    command.output = output;
    command.program = "/bin/sh";
    return command;
  }

  // A worker of these commands with the case n=7 prepared; the first is the baseline.
  CommandWorker worker(std::vector<experiment::Command> commands, double timeout_s = 20) {
    CommandLaunch launch;
    launch.commands = std::move(commands);
    launch.axes = {{"n", {std::int64_t{7}}}};
    launch.build = "program";
    launch.directory = directory_;
    launch.log = directory_ / "log";
    launch.timeout_s = timeout_s;
    launch.interrupted = [this] { return interrupted_; };
    launch.keep = [this](const record::CommandRun& run) { runs_.push_back(run); };
    std::vector<std::string> names;
    for (const auto& command : launch.commands) names.push_back(command.name);
    auto started = CommandWorker::start(std::move(launch));
    auto worker = std::move(std::get<CommandWorker>(started));
    wire::Prepare prepare;
    prepare.cell = {"commands", Case({{"n", std::int64_t{7}}}), "warm", "command"};
    prepare.subjects = names;
    prepare.baseline = names.front();
    EXPECT_TRUE(std::holds_alternative<wire::Answer>(worker.ask(prepare, "prepare")));
    return worker;
  }

  static wire::BlockDone block(CommandWorker& worker, std::vector<std::string> order,
                               bool keep_outputs = false) {
    wire::Block request;
    request.order = std::move(order);
    request.phase = "measure";
    request.keep_outputs = keep_outputs;
    return std::get<wire::BlockDone>(std::get<wire::Answer>(worker.ask(request, "block")));
  }

  static experiment::CheckResult check(CommandWorker& worker, const std::string& kind,
                                       const std::string& subject) {
    wire::Check request;
    request.kind = kind;
    request.subjects = {subject};
    const auto checked =
        std::get<wire::Checked>(std::get<wire::Answer>(worker.ask(request, "check")));
    EXPECT_EQ(checked.results.size(), 1U);
    return checked.results.empty() ? experiment::CheckResult{} : checked.results.front();
  }

  std::string logged() const {
    std::ostringstream text;
    text << std::ifstream(directory_ / "log").rdbuf();
    return text.str();
  }

  std::filesystem::path directory_;
  std::vector<record::CommandRun> runs_;
  bool interrupted_ = false;
};

TEST_F(CommandWorkerTest, RunsEachSubjectOnceInTheOrderAskedForAndKeepsWhatTheKernelCharged) {
  auto both = worker({shell("a", "echo $1 >> ran"), shell("b", "echo b >> ran")});
  const auto done = block(both, {"b", "control", "a"});
  ASSERT_EQ(done.samples.size(), 3U);
  EXPECT_EQ(done.samples[0].subject, "b");
  EXPECT_EQ(done.samples[1].subject, "control");
  EXPECT_LE(done.samples[0].start_ns, done.samples[1].start_ns);
  EXPECT_GT(done.samples[0].interval_ns, 0);
  std::ostringstream ran;
  ran << std::ifstream(directory_ / "ran").rdbuf();
  EXPECT_EQ(ran.str(), "b\n7\n7\n");
  ASSERT_EQ(runs_.size(), 3U);
  EXPECT_EQ(runs_[2].subject, "a");
  EXPECT_EQ(runs_[2].position, 2);
  EXPECT_EQ(runs_[2].case_id, "n=7");
}

TEST_F(CommandWorkerTest, NamesTheExitStatusAndTheLastWordsOfAFailure) {
  auto three = worker(
      {shell("a", "true"), shell("b", "echo no memory >&2; exit 3"), shell("c", "kill -SEGV $$")});
  const auto done = block(three, {"b", "a", "c"});
  ASSERT_EQ(done.samples.size(), 1U);
  EXPECT_EQ(done.samples[0].subject, "a");
  ASSERT_EQ(done.failures.size(), 2U);
  EXPECT_EQ(done.failures[0].kind, failure::exited);
  EXPECT_EQ(done.failures[0].subject, "b");
  EXPECT_THAT(done.failures[0].message,
              HasSubstr("exited with status 3; its last words: 'no memory'"));
  EXPECT_EQ(done.failures[1].kind, failure::crashed);
  EXPECT_THAT(done.failures[1].message, HasSubstr("signal 11"));
  EXPECT_THAT(logged(), HasSubstr("no memory"));
}

TEST_F(CommandWorkerTest, EndsACommandThatHangs) {
  auto one = worker({shell("a", "exec tail -f /dev/null")}, 0.1);
  const auto done = block(one, {"a"});
  ASSERT_EQ(done.failures.size(), 1U);
  EXPECT_EQ(done.failures[0].kind, failure::timed_out);
  EXPECT_THAT(done.failures[0].message, HasSubstr("did not end within 0.100 s"));
}

TEST_F(CommandWorkerTest, SaysThatAProgramCannotBeExecuted) {
  std::ofstream(directory_ / "bad") << "no program\n";
  experiment::Command bad = shell("a", "");
  bad.program = directory_ / "bad";
  auto one = worker({bad});
  const auto done = block(one, {"a"});
  ASSERT_EQ(done.failures.size(), 1U);
  EXPECT_EQ(done.failures[0].kind, failure::missing_program);
  EXPECT_THAT(done.failures[0].message, HasSubstr("cannot be executed"));
}

TEST_F(CommandWorkerTest, IsNotStartedWithoutItsPrograms) {
  CommandLaunch launch;
  launch.commands = {shell("a", "true")};
  launch.commands[0].words[0] = "./nowhere";
  launch.directory = directory_;
  launch.log = directory_ / "log";
  const auto started = CommandWorker::start(std::move(launch));
  const auto* found = std::get_if<experiment::Failure>(&started);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kind, failure::missing_program);
  EXPECT_THAT(found->message, HasSubstr("./nowhere is no executable file in"));
}

TEST_F(CommandWorkerTest, ComparesWhatIsPrintedWithTheBaselines) {
  auto all = worker({shell("a", "echo same"), shell("b", "printf 'same\\n'"),
                     shell("c", "echo other"), shell("d", "echo same; exit 1")});
  EXPECT_TRUE(check(all, "before", "a").passed);
  EXPECT_TRUE(check(all, "before", "b").passed);
  const auto wrong = check(all, "before", "c");
  EXPECT_FALSE(wrong.passed);
  EXPECT_THAT(wrong.reason, HasSubstr("differs from the baseline's: 6 bytes"));
  const auto failed = check(all, "before", "d");
  EXPECT_FALSE(failed.passed);
  EXPECT_EQ(failed.detail.at("failure"), failure::exited);
}

TEST_F(CommandWorkerTest, TakesNoStaleFileForAResult) {
  std::ofstream(directory_ / "out-7") << "made\n";
  auto both = worker({shell("a", "echo made > out-$1", "out-{n}"), shell("b", "true", "out-{n}")});
  EXPECT_TRUE(check(both, "before", "a").passed);
  const auto lazy = check(both, "before", "b");
  EXPECT_FALSE(lazy.passed);
  EXPECT_THAT(lazy.reason, HasSubstr("wrote no file"));
}

TEST_F(CommandWorkerTest, RefusesABaselineThatDiffersFromItself) {
  auto one = worker({shell("a", "echo x >> count; wc -l < count")});
  const auto result = check(one, "before", "a");
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.reason, HasSubstr("not the same in every run"));
}

TEST_F(CommandWorkerTest, RemovesNothingButAFileThatIsNotTheProgram) {
  std::filesystem::create_directory(directory_ / "folder");
  auto one = worker({shell("a", "true", "folder")});
  const auto of_folder = check(one, "before", "a");
  EXPECT_FALSE(of_folder.passed);
  EXPECT_THAT(of_folder.reason, HasSubstr("not Assay's to remove"));
  EXPECT_TRUE(std::filesystem::is_directory(directory_ / "folder"));

  std::ofstream(directory_ / "tool") << "#!/bin/sh\ntrue\n";
  std::filesystem::permissions(directory_ / "tool", std::filesystem::perms::owner_all);
  experiment::Command tool = shell("a", "");
  tool.words = {(directory_ / "tool").string()};
  tool.program = directory_ / "tool";
  tool.output = "tool";
  auto two = worker({tool});
  EXPECT_FALSE(check(two, "before", "a").passed);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "tool"));
}

TEST_F(CommandWorkerTest, ChecksTheOutputsOfATimedBlockAfterwards) {
  // The second prints the same until its check before timing is over.
  auto both = worker({shell("a", "echo same"),
                      shell("b", "if [ -e ran ]; then echo late; else touch ran; echo same; fi")});
  EXPECT_TRUE(check(both, "before", "a").passed);
  EXPECT_TRUE(check(both, "before", "b").passed);
  EXPECT_THAT(block(both, {"b", "a", "control"}, true).failures, IsEmpty());
  EXPECT_TRUE(check(both, "timed", "a").passed);
  EXPECT_FALSE(check(both, "timed", "b").passed);
}

TEST_F(CommandWorkerTest, RemovesNoOutputThatALinkLeadsOutOfTheFolderTo) {
  const auto outside = directory_.parent_path() / (directory_.filename().string() + "-outside");
  std::filesystem::create_directories(outside);
  std::ofstream(outside / "precious") << "kept";
  std::filesystem::create_directory_symlink(outside, directory_ / "sub");
  auto one = worker({shell("a", "true", "sub/precious")});
  const auto result = check(one, "before", "a");
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.reason, HasSubstr("leads out of the working directory by a symbolic link"));
  EXPECT_TRUE(std::filesystem::exists(outside / "precious"));
  std::filesystem::remove_all(outside);
}

TEST_F(CommandWorkerTest, RefusesAnOutputElsewhere) {
  EXPECT_THROW(worker({shell("a", "true", (directory_ / "x").string())}), Error);
  EXPECT_THROW(worker({shell("a", "true", "../x")}), Error);
}

TEST_F(CommandWorkerTest, HandsNoFileOfTheRecordToACommand) {
  auto one = worker({shell("a", "ls -l /proc/$$/fd > open")});
  EXPECT_EQ(block(one, {"a"}).samples.size(), 1U);
  std::ifstream file(directory_ / "open");
  const std::string open{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(open, HasSubstr("/dev/null"));
  EXPECT_THAT(open, Not(HasSubstr((directory_ / "log").string())));
}

TEST_F(CommandWorkerTest, LeavesNoProcessOfACommandBehind) {
  auto one = worker({shell("a", "tail -f /dev/null & echo $! > pid")});
  EXPECT_EQ(block(one, {"a"}).samples.size(), 1U);
  pid_t pid = 0;
  std::ifstream(directory_ / "pid") >> pid;
  ASSERT_GT(pid, 0);
  EXPECT_EQ(kill(pid, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(CommandWorkerTest, PinsASingleThreadedCommandAndGivesOthersAllCores) {
  experiment::Command one = shell("a", "grep Cpus_allowed_list /proc/self/status");
  one.threads = 1;
  auto two = worker({one, shell("b", "grep Cpus_allowed_list /proc/self/status")});
  wire::Prepare prepare;
  prepare.cell = {"commands", Case({{"n", std::int64_t{7}}}), "warm", "command"};
  prepare.subjects = {"a", "b"};
  prepare.baseline = "a";
  cpu_set_t set;
  CPU_ZERO(&set);
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) prepare.all_cores.push_back(core);
  }
  prepare.single_core = {prepare.all_cores.back()};
  two.ask(prepare, "prepare");
  const auto sha_of = [&](const std::string& subject) {
    return check(two, "before", subject).detail.at("sha256").get<std::string>();
  };
  // Of one core allowed at all, the two are the same.
  EXPECT_EQ(sha_of("a") == sha_of("b"), prepare.all_cores.size() == 1);
}

TEST_F(CommandWorkerTest, StopsWhenTheUserAsks) {
  auto one = worker({shell("a", "true")});
  interrupted_ = true;
  wire::Block request;
  request.order = {"a"};
  request.phase = "measure";
  EXPECT_TRUE(std::holds_alternative<Interrupted>(one.ask(request, "block")));
  EXPECT_THAT(runs_, IsEmpty());
}

TEST_F(CommandWorkerTest, ACommandThatIsGoneIsNotWaitedFor) {
  record::Evidence evidence;
  experiment::Plan& plan = evidence.plan;
  plan.commands = {shell("gone", "true")};
  plan.commands[0].words[0] = "./gone";
  plan.commands[0].program = directory_ / "gone";
  experiment::Build build;
  build.name = "program";
  build.directory = directory_;
  plan.builds = {build};
  plan.descriptions.resize(1);
  int pauses = 0;
  Hooks hooks;
  hooks.pause = [&pauses](std::chrono::milliseconds) { ++pauses; };
  Session session(record::Writer::create(directory_ / "records", "t", "20261130T000000Z", "{}",
                                         "2026-11-30T00:00:00+00:00", ""),
                  std::move(evidence), std::move(hooks));
  const auto started = Crew::start(session, 3, {"command"});
  ASSERT_TRUE(std::holds_alternative<Step>(started));
  EXPECT_EQ(std::get<Step>(started), Step::hopeless);
  EXPECT_EQ(pauses, 0);
  ASSERT_EQ(session.evidence.checks.failures.size(), 1U);
  EXPECT_EQ(session.evidence.checks.failures[0].kind, failure::missing_program);
}

TEST_F(CommandWorkerTest, DescribesItsCommandsAsAProblem) {
  auto two = worker({shell("a", "true"), shell("b", "true")});
  const auto asked = two.ask(wire::Describe{}, "describe");
  const auto& described = std::get<experiment::ProgramDescription>(std::get<wire::Answer>(asked));
  EXPECT_THAT(described.boundaries, ElementsAre("command"));
  ASSERT_EQ(described.problems.size(), 1U);
  EXPECT_EQ(described.problems[0].tolerance, "byte-for-byte");
  ASSERT_EQ(described.problems[0].cases.size(), 1U);
  EXPECT_THAT(described.problems[0].cases[0].supported, ElementsAre("a", "b"));
  EXPECT_THAT(described.problems[0].states, ElementsAre("warm"));
}

}  // namespace
}  // namespace assay::run
