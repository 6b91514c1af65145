// SPDX-License-Identifier: MIT
//
// The serve loop against a parent in the same process, over a real channel, with the fake device.
#include "assay/measure/worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "sample_program.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::HasSubstr;

// A script in a file that is gone with the object.
class ScriptFile {
 public:
  explicit ScriptFile(const std::string& members) {
    static int count = 0;
    path_ = testing::TempDir() + "assay-script-" + std::to_string(getpid()) + "-" +
            std::to_string(count++) + ".json";
    std::ofstream(path_) << R"({"assay_fake": 1, )" << members << "}";
  }
  ~ScriptFile() { std::remove(path_.c_str()); }
  ScriptFile(const ScriptFile&) = delete;
  ScriptFile& operator=(const ScriptFile&) = delete;
  std::string device() const { return "fake:" + path_; }

 private:
  std::string path_;
};

class Parent {
 public:
  explicit Parent(const std::string& script = R"("call_ns": 1000)")
      : script_(script), channels_(wire::Channel::pair()) {
    worker_ = std::thread([this] {
      status_ =
          Worker(program_, std::move(channels_.second), "n0nce", wire::Mark::create()).serve();
    });
  }
  ~Parent() { leave(); }

  // Closes the channel and gives the worker's exit status.
  int leave() {
    if (worker_.joinable()) {
      { const wire::Channel gone = std::move(channels_.first); }
      worker_.join();
    }
    return status_;
  }
  // Waits for a worker that leaves by itself.
  int wait() {
    worker_.join();
    return status_;
  }

  wire::Received raw(const std::string& line) {
    channels_.first.send(line + "\n");
    return receive();
  }
  wire::Received receive() {
    return channels_.first.receive(wire::Channel::Clock::now() + std::chrono::seconds(60));
  }
  wire::Answer ask(const wire::Request& request) {
    const wire::Envelope envelope{"n0nce", ++id_};
    channels_.first.send(wire::to_line(envelope, request));
    const wire::Received received = receive();
    EXPECT_EQ(received.kind, wire::Received::Kind::line);
    const auto [back, answer] = wire::answer_from_line(received.line);
    EXPECT_EQ(back.nonce, "n0nce");
    EXPECT_EQ(back.id, id_);
    return answer;
  }
  template <typename T>
  T ask(const wire::Request& request) {
    wire::Answer answer = ask(request);
    if (const auto* refused = std::get_if<wire::Refused>(&answer)) {
      if constexpr (!std::is_same_v<T, wire::Refused>) ADD_FAILURE() << refused->message;
    }
    if (auto* wanted = std::get_if<T>(&answer)) return std::move(*wanted);
    ADD_FAILURE() << "another kind of answer";
    return T{};
  }

  wire::Describe describe() const {
    wire::Describe request;
    request.device = script_.device();
    return request;
  }
  static wire::Prepare prepare(std::vector<std::string> subjects = {"good", "also-good"}) {
    wire::Prepare request;
    request.cell = {"sum", Case::parse("n=16"), "warm", "call"};
    request.baseline = subjects.front();
    request.subjects = std::move(subjects);
    request.content_key = 3;
    request.trial = 1;
    return request;
  }
  static wire::Block block(std::vector<std::string> order) {
    wire::Block request;
    request.order = std::move(order);
    request.phase = "measure";
    return request;
  }
  wire::Channel& channel() { return channels_.first; }

 private:
  Program program_ = sample_program();
  ScriptFile script_;
  std::pair<wire::Channel, wire::Channel> channels_;
  std::thread worker_;
  std::int64_t id_ = 0;
  int status_ = -1;
};

TEST(Worker, ServesAWholeTrial) {
  Parent parent;
  const auto description = parent.ask<experiment::ProgramDescription>(parent.describe());
  EXPECT_EQ(description.problems.size(), 2U);
  EXPECT_EQ(description.timers.at(0).name, "scripted");
  const auto prepared = parent.ask<wire::Prepared>(Parent::prepare());
  EXPECT_EQ(prepared.inputs.size(), 0U);  // those of trial 0 have digests
  EXPECT_EQ(prepared.footprint_bytes, 68);
  const auto checked = parent.ask<wire::Checked>(wire::Check{"before", {"good", "also-good"}, 4});
  ASSERT_EQ(checked.results.size(), 2U);
  EXPECT_TRUE(checked.results[0].passed);
  wire::Block block = Parent::block({"also-good", "control", "good"});
  block.keep_outputs = true;
  block.content_key = 11;
  block.iterations = 5;
  const auto done = parent.ask<wire::BlockDone>(block);
  ASSERT_EQ(done.samples.size(), 3U);
  EXPECT_EQ(done.samples[1].subject, "control");
  EXPECT_NEAR(done.samples[1].interval_ns, 5000, 1);
  const auto timed = parent.ask<wire::Checked>(wire::Check{"timed", {"good", "control"}, 11});
  ASSERT_EQ(timed.results.size(), 2U);
  EXPECT_TRUE(timed.results[1].passed) << timed.results[1].reason;
  parent.ask<wire::Idled>(wire::Idle{});
  parent.ask<wire::Ended>(wire::End{});
  EXPECT_EQ(parent.wait(), 0);
}

TEST(Worker, TellsWhatTheDeviceSaidBeforeAndAfterABlockAndFlagsItsSamples) {
  Parent parent(R"("telemetry": {"values": {"sm_clock_hz": 1980000000, "other_processes": 0},
                                 "missing": {"energy_mj": "not-supported"},
                                 "changes": [{"stage": "block", "block": 1,
                                              "advance": {"sw_power_cap_ns": 3200000}},
                                             {"stage": "block", "block": 2,
                                              "values": {"other_processes": 1}}]})");
  parent.ask<experiment::ProgramDescription>(parent.describe());
  parent.ask<wire::Prepared>(Parent::prepare());
  const std::vector<std::string> flags = {"", "throttled", "shared", ""};
  for (std::size_t i = 0; i < flags.size(); ++i) {
    wire::Block block = Parent::block({"good", "control"});
    block.block = static_cast<std::int64_t>(i);
    const auto done = parent.ask<wire::BlockDone>(block);
    ASSERT_TRUE(done.device);
    EXPECT_EQ(*done.device->before.of(Field::sm_clock_hz), 1'980'000'000);
    EXPECT_EQ(done.device->before.of(Field::energy_mj).missing().reason, "not-supported");
    ASSERT_EQ(done.samples.size(), 2U);
    for (const auto& sample : done.samples) EXPECT_EQ(sample.flags, flags[i]) << i;
    // Before the first sample, and after the last one.
    EXPECT_LE(done.device->before.time_ns, done.samples.front().start_ns);
    EXPECT_GT(done.device->after.time_ns, done.samples.back().start_ns);
  }
}

TEST(Worker, TellsNothingOfADeviceThatDoesNot) {
  Parent parent;
  parent.ask<experiment::ProgramDescription>(parent.describe());
  parent.ask<wire::Prepared>(Parent::prepare());
  EXPECT_FALSE(parent.ask<wire::BlockDone>(Parent::block({"good"})).device);
}

TEST(Worker, RunsItsCanariesWithoutACell) {
  Parent parent(R"("canary": {"compute_ns": 1000, "memory_ns": 2000})");
  const wire::Canary canary{"start", "", {}, 1};
  EXPECT_EQ(parent.ask<wire::Refused>(canary).kind, "usage") << "it has no device yet";
  parent.ask<experiment::ProgramDescription>(parent.describe());
  const auto done = parent.ask<wire::CanaryDone>(canary);
  ASSERT_EQ(done.samples.size(), 10U);
  EXPECT_EQ(done.samples[0].subject, "canary-compute");
  EXPECT_NEAR(done.samples[4].interval_ns, 1000, 1);
  EXPECT_EQ(done.samples[5].subject, "canary-memory");
  EXPECT_NEAR(done.samples[9].interval_ns, 2000, 1);
  EXPECT_LT(done.samples[0].start_ns, done.samples[9].start_ns);
}

TEST(Worker, GivesTheCeilingsThatItsDeviceKnows) {
  Parent parent(R"("ceilings": {"instructions": "scripted", "vector_bits": 256, "cores": [0],
    "cores_allowed": 1, "took_s": 1, "bandwidths": [], "compute": [], "calls": [],
    "levels": [{"name": "memory", "bytes": {"value": 1024}, "count": 1}]})");
  EXPECT_EQ(parent.ask<wire::Refused>(wire::Ceilings{}).kind, "usage") << "it has no device yet";
  parent.ask<experiment::ProgramDescription>(parent.describe());
  const auto done = parent.ask<wire::CeilingsDone>(wire::Ceilings{});
  EXPECT_EQ(done.ceilings.instructions, "scripted");
}

// The steps of timers are asked for in a process of each boundary, what a device reaches at most
// once a run.
TEST(Worker, DescribesTheCeilingsOfItsDeviceWhereTheyAreAskedFor) {
  Parent parent(R"("own_ceilings": {"instructions": "scripted", "vector_bits": 0, "cores": [],
    "cores_allowed": 0, "took_s": 1, "bandwidths": [], "compute": [], "calls": [],
    "levels": [{"name": "memory", "bytes": {"value": 1024}, "count": 1}]})");
  wire::Describe request = parent.describe();
  request.measures = true;
  auto described = parent.ask<experiment::ProgramDescription>(request);
  EXPECT_FALSE(described.device.ceilings);
  request.measures = false;
  request.ceilings = true;
  described = parent.ask<experiment::ProgramDescription>(request);
  ASSERT_TRUE(described.device.ceilings);
  EXPECT_EQ(described.device.ceilings->instructions, "scripted");
}

TEST(Worker, RefusesCeilingsThatItHasNoKernelsFor) {
  Parent parent;
  parent.ask<experiment::ProgramDescription>(parent.describe());
  EXPECT_THAT(parent.ask<wire::Refused>(wire::Ceilings{}).message,
              HasSubstr("no way to measure those of the device 'fake'"));
  wire::Describe on_cpu;
  on_cpu.device = "cpu";
  parent.ask<experiment::ProgramDescription>(on_cpu);
  EXPECT_THAT(parent.ask<wire::Refused>(wire::Ceilings{}).message, HasSubstr("assay-probe"));
}

TEST(Worker, RefusesCanariesThatThrowAndLivesOn) {
  Parent parent(R"("faults": [{"kind": "throw", "stage": "canary"}])");
  parent.ask<experiment::ProgramDescription>(parent.describe());
  EXPECT_EQ(parent.ask<wire::Refused>(wire::Canary{"start", "", {}, 1}).kind, "subject");
  parent.ask<wire::Idled>(wire::Idle{});
}

TEST(Worker, DescribesTheCasesThatAreAskedFor) {
  Parent parent;
  wire::Describe request = parent.describe();
  request.cases["sum"] = {Case::parse("n=100")};
  const auto description = parent.ask<experiment::ProgramDescription>(request);
  ASSERT_EQ(description.problems.at(0).cases.size(), 1U);
  EXPECT_EQ(description.problems[0].cases[0].the_case.id(), "n=100");
}

TEST(Worker, EndsCleanlyWhenTheParentIsGone) {
  Parent parent;
  parent.ask(parent.describe());
  EXPECT_EQ(parent.leave(), 0);
}

TEST(Worker, RefusesGarbageAndLivesOn) {
  Parent parent;
  for (const char* line :
       {"garbage", "{}", "", R"({"assay":1,"nonce":"n0nce","id":1,"ask":"x"})"}) {
    const auto [envelope, answer] = wire::answer_from_line(parent.raw(line).line);
    EXPECT_EQ(std::get<wire::Refused>(answer).kind, "usage");
    EXPECT_EQ(envelope.nonce, "n0nce");
  }
  parent.ask<experiment::ProgramDescription>(parent.describe());
}

constexpr const char* timer_of_cold =
    R"("timers": [{"name": "scripted", "boundaries": ["call", "cold-start"]}], "call_ns": 1000)";

wire::Prepare prepare_cold(std::vector<std::string> subjects) {
  wire::Prepare request = Parent::prepare(std::move(subjects));
  request.cell.state = "fresh";
  request.cell.boundary = "cold-start";
  return request;
}

TEST(Worker, MakesTheFirstCallOfOneSubjectAndTellsItsPhases) {
  Parent parent(timer_of_cold);
  parent.ask(parent.describe());
  parent.ask<wire::Prepared>(prepare_cold({"good"}));
  wire::Block block = Parent::block({"control"});
  block.keep_outputs = true;
  const auto done = parent.ask<wire::BlockDone>(block);
  ASSERT_EQ(done.samples.size(), 1U);
  EXPECT_EQ(done.samples[0].subject, "control");
  ASSERT_TRUE(done.startup.has_value());
  const Startup& phases = done.startup->phases;
  EXPECT_GT(done.startup->began_ns, 0);
  EXPECT_GE(phases[StartupPhase::allocate]->start_ns, done.startup->began_ns);
  EXPECT_EQ(phases[StartupPhase::call]->interval_ns, done.samples[0].interval_ns);
  EXPECT_EQ(phases[StartupPhase::driver].missing().reason, no_phase::no_driver);
  EXPECT_EQ(phases[StartupPhase::load].missing().reason, no_phase::no_source);
  EXPECT_EQ(phases[StartupPhase::prepare].missing().reason, no_phase::no_preparation);
  const auto checked = parent.ask<wire::Checked>(wire::Check{"timed", {"control"}, 0});
  ASSERT_EQ(checked.results.size(), 1U);
  EXPECT_TRUE(checked.results[0].passed) << "a first call's outputs are checked after it";
  EXPECT_THAT(parent.ask<wire::Refused>(block).message, HasSubstr("a check came before"));
}

TEST(Worker, RefusesAFirstCallAfterAnythingElse) {
  const std::vector<std::pair<wire::Request, std::string>> before = {
      {wire::Check{"before", {"good"}, 0}, "a check came before"},
      {wire::Canary{"start", "", {}, 1}, "the canaries came before"},
      {prepare_cold({"good"}), "the preparation of another cell came before"}};
  for (const auto& [request, what] : before) {
    Parent parent(timer_of_cold);
    parent.ask(parent.describe());
    parent.ask<wire::Prepared>(prepare_cold({"good"}));
    parent.ask(request);
    EXPECT_THAT(parent.ask<wire::Refused>(Parent::block({"good"})).message, HasSubstr(what));
  }
  Parent parent(timer_of_cold);
  wire::Describe measuring = parent.describe();
  measuring.measures = true;
  parent.ask(measuring);
  parent.ask<wire::Prepared>(prepare_cold({"good"}));
  EXPECT_THAT(parent.ask<wire::Refused>(Parent::block({"good"})).message,
              HasSubstr("the measuring of the timers came before"));
  measuring.measures = false;
  measuring.ceilings = true;
  parent.ask(measuring);
  parent.ask<wire::Prepared>(prepare_cold({"good"}));
  EXPECT_THAT(parent.ask<wire::Refused>(Parent::block({"good"})).message,
              HasSubstr("the measuring of ceilings came before"));
}

TEST(Worker, RefusesSeveralFirstCallsInOneProcess) {
  Parent parent(timer_of_cold);
  parent.ask(parent.describe());
  parent.ask<wire::Prepared>(prepare_cold({"good", "also-good"}));
  EXPECT_THAT(parent.ask<wire::Refused>(Parent::block({"good"})).message,
              HasSubstr("expected a block of one subject and one iteration"));
  wire::Prepare warm = prepare_cold({"good"});
  warm.cell.state = "warm";
  EXPECT_THAT(parent.ask<wire::Refused>(warm).message,
              HasSubstr("there is no state 'warm' at the boundary cold-start: fresh"));
}

TEST(Worker, TellsNoPhasesOfOtherBoundaries) {
  Parent parent(timer_of_cold);
  parent.ask(parent.describe());
  parent.ask<wire::Prepared>(Parent::prepare());
  EXPECT_FALSE(parent.ask<wire::BlockDone>(Parent::block({"good"})).startup.has_value());
}

TEST(Worker, RefusesTheNonceOfAnotherTrial) {
  Parent parent;
  const auto line = parent.raw(R"({"assay":1,"nonce":"old","id":4,"ask":"idle"})").line;
  const auto [envelope, answer] = wire::answer_from_line(line);
  EXPECT_EQ(envelope.id, 4);
  EXPECT_THAT(std::get<wire::Refused>(answer).message, HasSubstr("nonce"));
}

TEST(Worker, RefusesRequestsOutOfOrder) {
  Parent parent;
  EXPECT_THAT(parent.ask<wire::Refused>(Parent::prepare()).message, HasSubstr("describe first"));
  EXPECT_THAT(parent.ask<wire::Refused>(Parent::block({"good"})).message, HasSubstr("prepare"));
  parent.ask<experiment::ProgramDescription>(parent.describe());
  EXPECT_THAT(parent.ask<wire::Refused>(wire::Check{"before", {}, 1}).message,
              HasSubstr("prepare"));
}

TEST(Worker, RefusesWhatTheProgramDoesNotHave) {
  Parent parent;
  wire::Describe describe = parent.describe();
  describe.cases["nobody"] = {};
  EXPECT_THAT(parent.ask<wire::Refused>(describe).message, HasSubstr("'nobody'"));
  describe = parent.describe();
  describe.device = "abacus";
  EXPECT_EQ(parent.ask<wire::Refused>(describe).kind, "device");
  parent.ask<experiment::ProgramDescription>(parent.describe());
  wire::Prepare prepare = Parent::prepare();
  prepare.cell.problem = "product";
  EXPECT_THAT(parent.ask<wire::Refused>(prepare).message, HasSubstr("'product'"));
  prepare = Parent::prepare();
  prepare.cell.the_case = Case::parse("m=3");
  EXPECT_THAT(parent.ask<wire::Refused>(prepare).message, HasSubstr("axes are: n"));
  parent.ask<wire::Prepared>(Parent::prepare());
  EXPECT_THAT(parent.ask<wire::Refused>(Parent::block({"nobody"})).message, HasSubstr("'nobody'"));
}

TEST(Worker, AnswersForSubjectsThatMisbehave) {
  Parent parent;
  parent.ask<experiment::ProgramDescription>(parent.describe());
  const std::vector<std::string> subjects{"good", "wrong", "nan", "throws", "outside", "changes"};
  parent.ask<wire::Prepared>(Parent::prepare(subjects));
  const auto checked = parent.ask<wire::Checked>(wire::Check{"before", subjects, 4});
  ASSERT_EQ(checked.results.size(), subjects.size());
  for (const auto& result : checked.results) {
    EXPECT_EQ(result.passed, result.subject == "good") << result.subject << result.reason;
  }
  const auto done = parent.ask<wire::BlockDone>(Parent::block({"throws", "good"}));
  ASSERT_EQ(done.samples.size(), 1U);
  ASSERT_EQ(done.failures.size(), 1U);
  EXPECT_EQ(done.failures[0].subject, "throws");
}

TEST(Worker, SendsTheGarbageThatTheScriptAsksFor) {
  Parent parent(R"("faults": [{"kind": "garbage-line", "stage": "idle"}])");
  parent.ask<experiment::ProgramDescription>(parent.describe());
  EXPECT_THROW(
      wire::answer_from_line(parent.raw(R"({"assay":1,"nonce":"n0nce","id":1,"ask":"idle"})").line),
      Error);
  parent.ask<wire::Prepared>(Parent::prepare());
}

TEST(Worker, LeavesInTheMiddleOfALineWhereTheScriptSaysSo) {
  Parent parent(R"("faults": [{"kind": "truncated-line", "stage": "block", "block": 2}])");
  parent.ask<experiment::ProgramDescription>(parent.describe());
  parent.ask<wire::Prepared>(Parent::prepare());
  parent.ask<wire::BlockDone>(Parent::block({"good"}));
  wire::Block block = Parent::block({"good"});
  block.block = 2;
  parent.channel().send(wire::to_line({"n0nce", 9}, wire::Request(block)));
  const wire::Received received = parent.receive();
  EXPECT_EQ(received.kind, wire::Received::Kind::closed);
  EXPECT_THAT(received.line, testing::StartsWith(R"({"assay":1)"));
}

TEST(Worker, TellsWhoLostTheDeviceAndEnds) {
  const auto lost = [](const std::string& stage, const std::string& subject) {
    return R"("faults": [{"kind": "lost", "stage": ")" + stage + R"(", "subject": ")" + subject +
           "\"}]";
  };
  {
    Parent parent(lost("check", "also-good"));
    parent.ask<experiment::ProgramDescription>(parent.describe());
    parent.ask<wire::Prepared>(Parent::prepare());
    const auto refused = parent.ask<wire::Refused>(wire::Check{"before", {"good", "also-good"}, 4});
    EXPECT_EQ(refused.kind, "device-lost");
    EXPECT_EQ(refused.subject, "also-good");
    EXPECT_THAT(refused.message, HasSubstr("loses it here"));
    EXPECT_EQ(parent.wait(), 0) << "it leaves by itself";
  }
  {
    Parent parent(lost("block", "control"));
    parent.ask<experiment::ProgramDescription>(parent.describe());
    parent.ask<wire::Prepared>(Parent::prepare());
    const auto done = parent.ask<wire::BlockDone>(Parent::block({"good", "control", "also-good"}));
    EXPECT_EQ(done.samples.size(), 1U);
    ASSERT_EQ(done.failures.size(), 1U);
    EXPECT_EQ(done.failures[0].subject, "control");
    EXPECT_EQ(parent.wait(), 0);
  }
  {
    Parent parent(lost("canary", "canary-memory"));
    parent.ask<experiment::ProgramDescription>(parent.describe());
    EXPECT_EQ(parent.ask<wire::Refused>(wire::Canary{"start", "", {}, 1}).kind, "device-lost");
    EXPECT_EQ(parent.wait(), 0);
  }
}

TEST(Worker, ADeviceThatIsLostBeforeASubjectRunsIsNobodysFault) {
  for (const char* stage : {"prepare", "describe"}) {
    Parent parent(R"("faults": [{"kind": "lost", "stage": ")" + std::string(stage) + "\"}]");
    if (std::string(stage) == "prepare") {
      parent.ask<experiment::ProgramDescription>(parent.describe());
    }
    const auto refused = std::string(stage) == "prepare"
                             ? parent.ask<wire::Refused>(Parent::prepare())
                             : parent.ask<wire::Refused>(parent.describe());
    EXPECT_EQ(refused.kind, "device-lost");
    EXPECT_EQ(refused.subject, "");
    EXPECT_EQ(parent.wait(), 0);
  }
}

TEST(Worker, TimesABoundaryByATimerThatServesIt) {
  Parent parent(R"("timers": [{"name": "cupti", "boundaries": ["device"], "is_per_call": true},)"
                R"({"name": "host", "boundaries": ["call"]}])");
  const auto description = parent.ask<experiment::ProgramDescription>(parent.describe());
  EXPECT_EQ(description.boundaries, (std::vector<std::string>{"device", "call"}));
  ASSERT_EQ(description.timers.size(), 2U);
  EXPECT_TRUE(description.timers[0].is_per_call);
  EXPECT_TRUE(description.timers[0].serves("device"));
  EXPECT_FALSE(description.timers[0].serves("call"));
  wire::Prepare request = Parent::prepare();
  request.timer = "cupti";
  EXPECT_THAT(parent.ask<wire::Refused>(request).message, HasSubstr("'cupti' here: host"));
  request.cell.boundary = "device";
  parent.ask<wire::Prepared>(request);
  request.cell.boundary = "call";
  request.timer = "host";
  parent.ask<wire::Prepared>(request);
}

TEST(Worker, RefusesASlopeOverSamplesOfOneCall) {
  Parent parent(R"("timers": [{"name": "graph", "boundaries": ["call"], "is_slope": true},)"
                R"({"name": "host", "boundaries": ["call"]}])");
  const auto description = parent.ask<experiment::ProgramDescription>(parent.describe());
  EXPECT_TRUE(description.timers[0].is_slope);
  EXPECT_FALSE(description.timers[1].is_slope);
  EXPECT_FALSE(description.problems[0].has_in_place);
  EXPECT_TRUE(description.problems[1].has_in_place);
  wire::Prepare request = Parent::prepare();
  parent.ask<wire::Prepared>(request);  // by the default, which is the slope
  request.cell.state = "cold";
  const auto refused = parent.ask<wire::Refused>(request);
  EXPECT_EQ(refused.kind, "usage");
  EXPECT_THAT(refused.message, HasSubstr("'graph' takes the slope"));
  request.timer = "host";
  parent.ask<wire::Prepared>(request);
  request = Parent::prepare({"doubles"});
  request.cell = {"scale", Case(), "warm", "call"};
  EXPECT_EQ(parent.ask<wire::Refused>(request).kind, "usage");
}

TEST(Worker, AThrowWithoutASubjectRefusesTheRequest) {
  Parent parent(R"("faults": [{"kind": "throw", "stage": "prepare", "trial": 1}])");
  parent.ask<experiment::ProgramDescription>(parent.describe());
  EXPECT_EQ(parent.ask<wire::Refused>(Parent::prepare()).kind, "subject");
  wire::Prepare later = Parent::prepare();
  later.trial = 2;
  parent.ask<wire::Prepared>(later);
}

}  // namespace
