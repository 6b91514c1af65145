// SPDX-License-Identifier: MIT
//
// Cells of a device with a queue: memory that the host reaches by copies, ways to empty caches,
// records of kernels, and a device that is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "assay/measure/cell.hpp"
#include "assay/measure/checker.hpp"
#include "sample_program.hpp"
#include "script_device.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::ElementsAre;
using testing::HasSubstr;

// Notes how caches were emptied.
class Evicting final : public device::Fake {
 public:
  using Fake::Fake;
  void evict(device::Eviction how, std::span<const device::Range> ranges) override {
    seen += how == device::Eviction::clean ? 'c' : 'w';
    Fake::evict(how, ranges);
  }
  void synchronize() override {
    if (!seen.empty() && seen.back() != '|') seen += '|';
    Fake::synchronize();
  }
  std::string seen;
};

// Counts the cells that begin, and what of theirs was allocated before they said so.
class Beginning final : public device::Fake {
 public:
  using Fake::Fake;
  void begin_cell() override {
    ++cells;
    allocations = 0;
  }
  device::Allocation allocate(std::size_t bytes) override {
    ++allocations;
    return Fake::allocate(bytes);
  }
  int cells = 0;
  int allocations = 0;
};

// Has seen that its driver does not take the code of the subject that ran, or reads it in what a
// subject says.
class Refusing final : public device::Fake {
 public:
  using Fake::Fake;
  void begin(const device::Occasion& occasion) override {
    ran = occasion.subject;
    Fake::begin(occasion);
  }
  std::optional<std::string> refused_code(const std::string& message, long native_code) override {
    const bool is_said = message == "no such luck" || native_code == 222;
    if (!is_said && ran != "silent") return std::nullopt;
    return "the driver does not take the code";
  }
  std::string ran;
};

struct DeviceFixture {
  explicit DeviceFixture(const std::string& script)
      : device(device::parse_script(R"({"assay_fake": 1, )" + script + "}", "script")) {}
  std::unique_ptr<Cell> cell(const std::string& problem, std::vector<std::string> subjects,
                             const std::string& state = "warm",
                             const std::string& timer = "scripted",
                             const std::string& boundary = "call") {
    wire::Prepare request;
    request.cell = {problem, problem == "sum" ? Case::parse("n=16") : Case(), state, boundary};
    request.baseline = subjects.front();
    request.subjects = std::move(subjects);
    request.content_key = 5;
    request.timer = timer;
    request.trial = 2;
    auto made = std::make_unique<Cell>(*program.find(problem), device, mark, request,
                                       std::vector<std::string>{timer});
    device.seen.clear();
    return made;
  }
  static wire::Block block(std::vector<std::string> order, std::int64_t iterations = 1) {
    wire::Block block;
    block.order = std::move(order);
    block.iterations = iterations;
    block.phase = "measure";
    return block;
  }
  Program program = sample_program();
  Evicting device;
  wire::Mark mark = wire::Mark::create();
};

constexpr const char* own_memory = R"("has_own_memory": true)";

TEST(CellOfADevice, ChecksAndMeasuresByCopiesAlone) {
  DeviceFixture f(own_memory);
  const std::vector<std::string> names{"good",   "wrong",   "silent",  "nan",
                                       "throws", "outside", "changes", "also-good"};
  const auto cell = f.cell("sum", names);
  cell->prepare();
  Checker checker;
  const auto verdicts = [&](const char* kind, const std::vector<std::string>& subjects) {
    std::string passed;
    for (const auto& result : checker.check(*cell, {kind, subjects, 6}, {cell->which()}).results) {
      passed += result.passed ? '+' : '-';
    }
    return passed;
  };
  EXPECT_EQ(verdicts("before", names), "+------+");
  EXPECT_THAT(verdicts("adversarial", {"good"}), testing::Not(HasSubstr("-")));
  EXPECT_THAT(verdicts("gate-power", {"good"}), testing::Not(testing::IsEmpty()));
  wire::Block block = DeviceFixture::block({"good", "wrong", "control"}, 3);
  block.content_key = 9;
  block.keep_outputs = true;
  EXPECT_EQ(cell->block(block).samples.size(), 3U);
  const auto timed =
      checker.check(*cell, {"timed", {"good", "wrong", "control"}, 9}, {cell->which()});
  ASSERT_EQ(timed.results.size(), 3U);
  EXPECT_TRUE(timed.results[0].passed) << timed.results[0].reason;
  EXPECT_FALSE(timed.results[1].passed);
  EXPECT_TRUE(timed.results[2].passed) << timed.results[2].reason;
}

TEST(CellOfADevice, AnAnswerKeptFromBeforeIsFound) {
  DeviceFixture f(own_memory);
  const auto cell = f.cell("sum", {"good", "remembers"});
  Checker checker;
  EXPECT_TRUE(
      checker.check(*cell, {"before", {"remembers"}, 6}, {cell->which()}).results[0].passed);
  wire::Block block = DeviceFixture::block({"good", "remembers"});
  block.content_key = 9;
  block.keep_outputs = true;
  cell->block(block);
  const auto timed = checker.check(*cell, {"timed", {"good", "remembers"}, 9}, {cell->which()});
  EXPECT_TRUE(timed.results[0].passed) << timed.results[0].reason;
  EXPECT_FALSE(timed.results[1].passed);
}

TEST(CellOfADevice, InPlaceInputsAreRestoredOnTheDevice) {
  DeviceFixture f(own_memory);
  std::vector<float> seen;
  Problem& p = f.program.problem("p").unchecked();
  p.input("x", [](const Case&) { return Tensor::f32({4}); }).in_place();
  p.subject("a", [&](Context& c) {
    seen.push_back(c.inout<float>("x")[0]);
    c.inout<float>("x")[0] = 100;
  });
  f.cell("p", {"a"})->block(DeviceFixture::block({"a", "control"}));
  ASSERT_EQ(seen.size(), 4U);
  for (const float value : seen) EXPECT_EQ(value, seen.front());
  EXPECT_NE(seen.front(), 100);
}

TEST(CellOfADevice, EachStateEmptiesCachesInItsWay) {
  const auto seen_in = [](const std::string& state) {
    DeviceFixture f(R"("evicts_by_writing": true)");
    f.program.problem("p").unchecked().subject("a", [] {});
    f.cell("p", {"a"}, state)->block(DeviceFixture::block({"a", "control"}));
    return f.device.seen;
  };
  EXPECT_THAT(seen_in("warm"), testing::Not(testing::AnyOf(HasSubstr("c"), HasSubstr("w"))));
  EXPECT_EQ(seen_in("cold"), "c|c|");
  EXPECT_EQ(seen_in("write-flush"), "w|w|");
}

TEST(CellOfADevice, HasTheStateWriteFlushOnlyWhereTheDeviceCan) {
  DeviceFixture with(R"("evicts_by_writing": true)");
  EXPECT_THAT(states_of(*with.program.find("sum"), with.device),
              ElementsAre("warm", "cold", "write-flush"));
  DeviceFixture without(R"("seed": 1)");
  EXPECT_THAT(states_of(*without.program.find("sum"), without.device), ElementsAre("warm", "cold"));
  try {
    without.cell("sum", {"good"}, "write-flush");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("'write-flush': warm, cold"));
  }
}

TEST(CellOfADevice, ASubjectsOwnStateGoesBeforeTheCells) {
  DeviceFixture f(R"("evicts_by_writing": true)");
  std::string calls;
  Problem& p = f.program.problem("p").unchecked();
  p.state("named", [&](Context&) { calls += 'n'; });
  p.subject("usual", [&] { calls += 'u'; });
  p.subject("flushed", [&] { calls += 'f'; }).in_state("cold");
  p.subject("written", [&] { calls += 'w'; }).in_state("write-flush");
  p.subject("by-name", [&] { calls += 'b'; }).in_state("named");
  const auto cell = f.cell("p", {"usual", "flushed", "written", "by-name"});
  cell->block(DeviceFixture::block({"flushed", "usual", "written", "by-name", "control"}));
  // Warm ones run once before, without an eviction.
  EXPECT_EQ(calls, "fuuwnbuu");
  EXPECT_EQ(f.device.seen, "c|w|");
  const auto& subjects = p.subjects();
  EXPECT_EQ(subjects[0]->own_state(), "");
  EXPECT_EQ(subjects[1]->own_state(), "cold");
  EXPECT_THAT(subjects[1]->parameters(), testing::Contains(testing::Pair("state", "cold")));
}

TEST(CellOfADevice, OneSubjectInAStateThatCannotBeRepeatedBindsAllToOneCall) {
  DeviceFixture f(R"("evicts_by_writing": true)");
  Problem& p = f.program.problem("p").unchecked();
  p.subject("usual", [] {});
  p.subject("flushed", [] {}).in_state("cold");
  p.subject("also-warm", [] {}).in_state("warm");
  EXPECT_EQ(f.cell("p", {"usual", "flushed"})->prepare().max_iterations, 1);
  EXPECT_FALSE(f.cell("p", {"usual", "also-warm"})->prepare().max_iterations.has_value());
  EXPECT_EQ(f.cell("p", {"usual", "also-warm"}, "cold")->prepare().max_iterations, 1);
  EXPECT_FALSE(f.cell("p", {"also-warm"}, "cold")->prepare().max_iterations.has_value());
}

TEST(CellOfADevice, AnOwnStateThatIsNoneIsRefused) {
  DeviceFixture f(R"("seed": 1)");
  Problem& p = f.program.problem("p").unchecked();
  p.subject("usual", [] {});
  p.subject("strange", [] {}).in_state("write-flush");
  EXPECT_NO_THROW(f.cell("p", {"usual"}));
  EXPECT_THROW(f.cell("p", {"usual", "strange"}), Error);
}

TEST(CellOfADevice, WhatAStateLeavesInTheQueueIsWaitedFor) {
  DeviceFixture f(R"("seed": 1)");
  Problem& p = f.program.problem("p").unchecked();
  p.state("named", [&](Context&) { f.device.seen += 'n'; });
  p.subject("a", [&] { f.device.seen += 'a'; });
  f.cell("p", {"a"}, "named")->block(DeviceFixture::block({"a"}));
  EXPECT_EQ(f.device.seen, "n|a|");
}

TEST(CellOfADevice, KernelsAreToldPerKernelWithTimesSinceTheSampleBegan) {
  DeviceFixture f(R"("call_ns": 1000, "timers": [{"name": "cupti", "boundaries": ["device"],)"
                  R"( "is_per_call": true, "sees_kernels": true}])");
  const auto cell = f.cell("sum", {"good"}, "warm", "cupti", "device");
  const auto done = cell->block(DeviceFixture::block({"good", "control"}, 4));
  ASSERT_EQ(done.samples.size(), 2U);
  for (const auto& sample : done.samples) {
    ASSERT_EQ(sample.kernels.size(), 1U) << "the runs of one kernel are one row";
    const wire::KernelRuns& runs = sample.kernels[0];
    EXPECT_EQ(runs.kernel, "good") << "the control runs the same code";
    EXPECT_EQ(runs.threads, 256);
    ASSERT_EQ(runs.begins_ns.size(), 4U);
    EXPECT_EQ(runs.begins_ns[0], 0);
    EXPECT_GT(runs.begins_ns[1], 0);
    const auto sum = std::accumulate(runs.durations_ns.begin(), runs.durations_ns.end(), 0LL);
    EXPECT_EQ(static_cast<double>(sum), sample.interval_ns);
  }
}

std::string lost_at(const std::string& stage, const std::string& more = "") {
  return R"("faults": [{"kind": "lost", "stage": ")" + stage + "\"" + more + "}]";
}

TEST(CellOfADevice, ALostDeviceEndsTheBlockKeepsWhatWasMeasuredAndNamesWhoRan) {
  DeviceFixture f(lost_at("block", R"(, "subject": "also-good")"));
  const auto cell = f.cell("sum", {"good", "also-good", "wrong"});
  const auto done = cell->block(DeviceFixture::block({"wrong", "good", "also-good", "control"}));
  ASSERT_EQ(done.samples.size(), 2U);
  EXPECT_EQ(done.samples[0].subject, "wrong");
  EXPECT_EQ(done.samples[1].subject, "good");
  ASSERT_EQ(done.failures.size(), 1U) << "who came later is not to blame";
  EXPECT_EQ(done.failures[0].kind, experiment::failure::device_lost);
  EXPECT_EQ(done.failures[0].subject, "also-good");
  EXPECT_EQ(done.failures[0].stage, "block");
  EXPECT_EQ(done.failures[0].cell, "sum/n=16/warm/call");
  EXPECT_EQ(done.failures[0].message, "the script of the fake device loses it here");
}

TEST(CellOfADevice, WhatASubjectThrowsBecauseItsDeviceIsLostIsTheDevices) {
  DeviceFixture f(lost_at("block", R"(, "subject": "throws")"));
  const auto cell = f.cell("sum", {"good", "throws"});
  const auto done = cell->block(DeviceFixture::block({"throws", "good"}));
  EXPECT_TRUE(done.samples.empty());
  ASSERT_EQ(done.failures.size(), 1U);
  EXPECT_EQ(done.failures[0].kind, experiment::failure::device_lost);
  EXPECT_EQ(done.failures[0].subject, "throws");
  EXPECT_THAT(done.failures[0].message, HasSubstr("loses it here"));
}

TEST(CellOfADevice, ALostDeviceIsNoFailedCheckAndNoFailedPreparation) {
  for (const char* kind : {"before", "adversarial", "gate-power"}) {
    DeviceFixture f(lost_at("check", R"(, "subject": "good")"));
    const auto cell = f.cell("sum", {"good", "also-good"});
    Checker checker;
    try {
      checker.check(*cell, {kind, {"good", "also-good"}, 6}, {cell->which()});
      if (std::string(kind) != "gate-power") ADD_FAILURE() << kind;  // it may call no subject
    } catch (const device::DeviceLost& lost) {
      EXPECT_EQ(lost.subject, "good") << kind;
    }
  }
  DeviceFixture f(lost_at("prepare", R"(, "subject": "a")"));
  f.program.problem("p").unchecked().subject("a", [] {}).prepare([](Context&) {}, 1);
  const auto cell = f.cell("p", {"a"});
  try {
    cell->prepare();
    ADD_FAILURE();
  } catch (const device::DeviceLost& lost) {
    EXPECT_EQ(lost.subject, "a");
  }
}

TEST(DeviceCell, TellsTheDeviceBeforeMemoryIsTakenForIt) {
  Program program = sample_program();
  wire::Mark mark = wire::Mark::create();
  Beginning device(device::parse_script(R"({"assay_fake": 1})", "script"));
  wire::Prepare request;
  request.cell = {"sum", Case::parse("n=16"), "warm", "call"};
  request.subjects = {"good"};
  for (int cells = 1; cells <= 2; ++cells) {
    const Cell cell(*program.find("sum"), device, mark, request, {"scripted"});
    EXPECT_EQ(device.cells, cells);
    EXPECT_EQ(device.allocations, 2) << "of the input and the output";
  }
}

struct RefusingFixture {
  explicit RefusingFixture(std::vector<std::string> subjects) {
    program.problem("p").unchecked().subject(
        "numbered", [] { throw Error(ErrorKind::device, "launch failed", 222); });
    wire::Prepare request;
    const bool is_sum = subjects.front() != "numbered";
    request.cell = {is_sum ? "sum" : "p", is_sum ? Case::parse("n=16") : Case(), "warm", "call"};
    request.subjects = std::move(subjects);
    cell = std::make_unique<Cell>(*program.find(request.cell.problem), device, mark, request,
                                  std::vector<std::string>{"scripted"});
    cell->prepare();
  }
  Program program = sample_program();
  Refusing device{device::parse_script(R"({"assay_fake": 1})", "script")};
  wire::Mark mark = wire::Mark::create();
  std::unique_ptr<Cell> cell;
};

TEST(CodeThatIsRefused, IsAFailureOfItsOwnWithBothTexts) {
  RefusingFixture f({"throws", "good"});
  const auto done = f.cell->block(DeviceFixture::block({"throws", "good"}));
  EXPECT_EQ(done.samples.size(), 1U) << "the others go on";
  ASSERT_EQ(done.failures.size(), 1U);
  EXPECT_EQ(done.failures[0].kind, "code-refused");
  EXPECT_EQ(done.failures[0].message,
            "the subject 'throws' threw: no such luck; the driver does not take the code");
}

TEST(CodeThatIsRefused, IsKnownByTheNumberOfADevicesError) {
  RefusingFixture f({"numbered"});
  const auto done = f.cell->block(DeviceFixture::block({"numbered"}));
  ASSERT_EQ(done.failures.size(), 1U);
  EXPECT_EQ(done.failures[0].kind, "code-refused");
}

TEST(CodeThatIsRefused, IsNamedInACheckBeforeTheOutputThatItLeft) {
  RefusingFixture f({"throws", "silent", "wrong", "good"});
  Checker checker;
  const auto results =
      checker
          .check(*f.cell, {"before", {"throws", "silent", "wrong", "good"}, 6}, {f.cell->which()})
          .results;
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[0].detail["failure"], "code-refused");
  EXPECT_EQ(results[1].detail["failure"], "code-refused") << "it looked at no error";
  EXPECT_THAT(results[1].reason,
              testing::StartsWith("the driver does not take the code; the subject did not say so"));
  EXPECT_EQ(results[2].detail["failure"], "wrong-output") << "its code was not refused";
  EXPECT_TRUE(results[3].passed);
}

TEST(CodeThatIsRefused, IsAFailedPreparation) {
  RefusingFixture f({"good"});
  f.program.problem("q")
      .unchecked()
      .subject("packs", [] {})
      .prepare([](Context&) { throw std::runtime_error("no such luck"); }, 1);
  wire::Prepare request;
  request.cell = {"q", Case(), "warm", "call"};
  request.subjects = {"packs"};
  Cell cell(*f.program.find("q"), f.device, f.mark, request, {"scripted"});
  const auto prepared = cell.prepare();
  ASSERT_EQ(prepared.failures.size(), 1U);
  EXPECT_EQ(prepared.failures[0].kind, "code-refused");
}

}  // namespace
