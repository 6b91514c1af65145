// SPDX-License-Identifier: MIT
#include "assay/measure/cell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "assay/device/cpu/cpu.hpp"
#include "sample_program.hpp"
#include "script_device.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::ElementsAre;
using testing::HasSubstr;

wire::Prepare request_of(const std::string& problem, const std::string& case_id,
                         std::vector<std::string> subjects, const std::string& state = "warm") {
  wire::Prepare request;
  request.cell = {problem, Case::parse(case_id), state, "call"};
  request.baseline = subjects.empty() ? "" : subjects.front();
  request.subjects = std::move(subjects);
  request.content_key = 5;
  request.timer = "scripted";
  request.trial = 2;
  return request;
}

wire::Block block_of(std::vector<std::string> order, std::int64_t iterations = 1) {
  wire::Block block;
  block.order = std::move(order);
  block.iterations = iterations;
  block.phase = "measure";
  return block;
}

std::vector<std::string> subjects_of(const std::vector<wire::SampleTaken>& samples) {
  std::vector<std::string> names;
  for (const auto& sample : samples) names.push_back(sample.subject);
  return names;
}

struct CellFixture {
  explicit CellFixture(const std::string& script = R"("call_ns": 1000)")
      : device(fake_of(script)) {}
  std::unique_ptr<Cell> cell(wire::Prepare request) {
    const Problem& problem = *program.find(request.cell.problem);
    return std::make_unique<Cell>(problem, device, mark, std::move(request),
                                  std::vector<std::string>{"scripted"});
  }
  std::string refusal(const wire::Prepare& request) {
    try {
      cell(request);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "no error";
  }
  Program program = sample_program();
  device::Fake device;
  wire::Mark mark = wire::Mark::create();
};

TEST(Cell, TakesOneSampleOfEachInTheOrderOfTheBlock) {
  CellFixture f;
  const auto cell = f.cell(request_of("sum", "n=16", {"good", "also-good"}));
  const auto done = cell->block(block_of({"control", "also-good", "good"}, 10));
  EXPECT_THAT(subjects_of(done.samples), ElementsAre("control", "also-good", "good"));
  EXPECT_NEAR(done.samples[0].interval_ns, 10000, 1);
  EXPECT_TRUE(done.failures.empty());
}

TEST(Cell, ASubjectThatThrowsLosesItsSampleAndTheOthersDoNot) {
  CellFixture f;
  const auto cell = f.cell(request_of("sum", "n=16", {"good", "throws"}));
  const auto done = cell->block(block_of({"throws", "good", "control"}));
  EXPECT_THAT(subjects_of(done.samples), ElementsAre("good", "control"));
  ASSERT_EQ(done.failures.size(), 1U);
  EXPECT_EQ(done.failures[0].kind, "subject-error");
  EXPECT_EQ(done.failures[0].subject, "throws");
  EXPECT_EQ(done.failures[0].stage, "block");
  EXPECT_EQ(done.failures[0].trial, 2);
  EXPECT_EQ(done.failures[0].cell, "sum/n=16/warm/call");
  EXPECT_THAT(done.failures[0].message, HasSubstr("no such luck"));
}

// Notes which cores it was bound to last when memory was taken.
class Noting final : public device::Fake {
 public:
  using Fake::Fake;
  void bind_to_cores(const std::vector<int>& cores) override { bound_ = cores; }
  device::Allocation allocate(std::size_t bytes) override {
    cores_of_allocations.insert(bound_);
    return Fake::allocate(bytes);
  }
  std::set<std::vector<int>> cores_of_allocations;

 private:
  std::vector<int> bound_;
};

TEST(Cell, TakesAndFillsItsMemoryOnTheCoresOfItsSubjects) {
  Program program;
  Problem& p = program.problem("p").unchecked();
  p.input("x", [](const Case&) { return Tensor::f32({4}); }).in_place();
  p.subject("single", [] {});
  p.subject("threaded", [] {}).threads(all_cores);
  const auto cores_for = [&](const std::vector<std::string>& subjects) {
    Noting device(device::parse_script(R"({"assay_fake": 1})", "script"));
    wire::Mark mark = wire::Mark::create();
    wire::Prepare request = request_of("p", "-", subjects);
    request.single_core = {1};
    request.all_cores = {0, 1};
    const Cell cell(p, device, mark, request, {"scripted"});
    return device.cores_of_allocations;
  };
  EXPECT_THAT(cores_for({"single", "threaded"}), ElementsAre(std::vector<int>{1}));
  EXPECT_THAT(cores_for({"single"}), ElementsAre(std::vector<int>{1}));
  EXPECT_THAT(cores_for({"threaded"}), ElementsAre(std::vector<int>{0, 1}));
}

TEST(Cell, TheMarkNamesTheSubjectWhileItRunsAndNobodyAfterwards) {
  CellFixture f;
  std::vector<std::string> seen;
  Problem& p = f.program.problem("p").unchecked();
  p.subject("a", [&] { seen.push_back(f.mark.subject()); });
  p.subject("b", [&] {
     seen.push_back(f.mark.subject());
     throw 1;
   }).prepare([&](Context&) { seen.push_back("prepare " + f.mark.subject()); }, 1);
  const auto cell = f.cell(request_of("p", "-", {"a", "b"}));
  cell->prepare();
  cell->block(block_of({"a", "control", "b"}));
  EXPECT_THAT(seen, ElementsAre("prepare b", "a", "a", "control", "control", "b"));
  EXPECT_EQ(f.mark.subject(), "");
}

TEST(Cell, WarmCallsOnceUntimedBeforeEachSampleAndColdDoesNot) {
  CellFixture f;
  int calls = 0;
  f.program.problem("p").unchecked().subject("a", [&] { ++calls; });
  f.cell(request_of("p", "-", {"a"}, "warm"))->block(block_of({"a"}));
  EXPECT_EQ(calls, 2);
  f.cell(request_of("p", "-", {"a"}, "cold"))->block(block_of({"a"}));
  EXPECT_EQ(calls, 3);
}

TEST(Cell, ANamedStateIsPreparedBeforeEachSample) {
  CellFixture f;
  std::string seen;
  Problem& p = f.program.problem("p").unchecked();
  p.subject("a", [&] { seen += 'a'; });
  p.state("dirty", [&](Context&) { seen += 'd'; });
  const auto cell = f.cell(request_of("p", "-", {"a"}, "dirty"));
  cell->block(block_of({"a", "control"}));
  EXPECT_EQ(seen, "dada");
}

TEST(Cell, InPlaceInputsAreRestoredBeforeEveryCall) {
  CellFixture f;
  std::vector<float> seen;
  Problem& p = f.program.problem("p").unchecked();
  p.input("x", [](const Case&) { return Tensor::f32({4}); }).in_place();
  p.subject("a", [&](Context& c) {
    seen.push_back(c.inout<float>("x")[0]);
    c.inout<float>("x")[0] = 100;
  });
  const auto cell = f.cell(request_of("p", "-", {"a"}));
  EXPECT_EQ(cell->prepare().max_iterations, 1);
  cell->block(block_of({"a", "control"}));
  ASSERT_EQ(seen.size(), 4U);
  for (const float value : seen) EXPECT_EQ(value, seen.front());
  EXPECT_NE(seen.front(), 100);
}

TEST(Cell, RefusesMoreIterationsThanTheStateAllows) {
  CellFixture f;
  for (const char* state : {"cold", "warm"}) {
    const auto cell = f.cell(request_of("scale", "-", {"doubles"}, state));
    EXPECT_THROW(cell->block(block_of({"doubles"}, 2)), Error);
  }
  EXPECT_FALSE(f.cell(request_of("sum", "n=16", {"good"}))->prepare().max_iterations.has_value());
}

TEST(Cell, RenewsTheContentOnceABlockForAllSubjects) {
  CellFixture f;
  std::vector<float> seen;
  Problem& p = f.program.problem("p").unchecked();
  p.input("x", [](const Case&) { return Tensor::f32({4}); });
  const auto look = [&](Context& c) { seen.push_back(c.input<float>("x")[0]); };
  p.subject("a", look);
  p.subject("b", look);
  const auto cell = f.cell(request_of("p", "-", {"a", "b"}, "cold"));
  wire::Block block = block_of({"a", "b", "control"});
  cell->block(block);
  block.content_key = 77;
  cell->block(block);
  ASSERT_EQ(seen.size(), 6U);
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
  EXPECT_EQ(seen[3], seen[4]);
  EXPECT_EQ(seen[3], seen[5]);
  EXPECT_NE(seen[0], seen[3]);
}

TEST(Cell, PreparationsAreTimedOncePerSubjectAndSharedByTheControl) {
  CellFixture f;
  int prepared = 0;
  Problem& p = f.program.problem("p").unchecked();
  p.subject("a", [](Context& c) { ++*c.scratch<int>("packed", 1); })
      .prepare(
          [&](Context& c) {
            ++prepared;
            *c.scratch<int>("packed", 1) = 40;
          },
          1000);
  p.subject("b", [] {});
  const auto cell = f.cell(request_of("p", "-", {"a", "b"}));
  const wire::Prepared answer = cell->prepare();
  ASSERT_EQ(answer.preparations.size(), 1U);
  EXPECT_EQ(answer.preparations[0].subject, "a");
  EXPECT_EQ(answer.preparations[0].reuse_count, 1000);
  EXPECT_EQ(prepared, 1);
  cell->block(block_of({"a", "control"}));
  EXPECT_EQ(*cell->member("a").context->scratch<int>("packed", 1), 44);
  EXPECT_EQ(cell->member("a").context, cell->member("control").context);
}

TEST(Cell, ASubjectWhosePreparationThrowsIsOutWithItsControl) {
  CellFixture f;
  Problem& p = f.program.problem("p").unchecked();
  p.subject("a", [] {}).prepare([](Context&) { throw std::runtime_error("no plan"); }, 1);
  p.subject("b", [] {});
  const auto cell = f.cell(request_of("p", "-", {"a", "b"}));
  const wire::Prepared answer = cell->prepare();
  ASSERT_EQ(answer.failures.size(), 1U);
  EXPECT_EQ(answer.failures[0].subject, "a");
  EXPECT_EQ(answer.failures[0].stage, "prepare");
  EXPECT_THROW(cell->member("a"), Error);
  EXPECT_THROW(cell->member("control"), Error);
  EXPECT_EQ(cell->block(block_of({"b"})).samples.size(), 1U);
}

TEST(Cell, DigestsItsInputsWhereNothingIsMeasured) {
  CellFixture f;
  const auto digest = [&](std::uint64_t key) {
    wire::Prepare request = request_of("sum", "n=16", {"good"});
    request.content_key = key;
    request.trial = 1;
    EXPECT_THAT(f.cell(request)->prepare().inputs, testing::IsEmpty());
    request.trial = 0;
    return f.cell(request)->prepare().inputs.at(0);
  };
  EXPECT_EQ(digest(1).name, "x");
  EXPECT_EQ(digest(1).dtype, "f32");
  EXPECT_THAT(digest(1).shape, ElementsAre(16));
  EXPECT_EQ(digest(1).sha256, digest(1).sha256);
  EXPECT_NE(digest(1).sha256, digest(2).sha256);
}

TEST(Cell, RefusesWhatIsNotThere) {
  CellFixture f;
  EXPECT_THAT(f.refusal(request_of("sum", "n=16", {"nobody"})), HasSubstr("'nobody'"));
  EXPECT_THAT(f.refusal(request_of("sum", "n=33", {"even-only"})), HasSubstr("does not support"));
  EXPECT_THAT(f.refusal(request_of("sum", "n=16", {"good"}, "lukewarm")), HasSubstr("warm, cold"));
  wire::Prepare request = request_of("sum", "n=16", {"good"});
  request.timer = "sundial";
  EXPECT_THAT(f.refusal(request), HasSubstr("scripted"));
  request = request_of("sum", "n=16", {"good"});
  request.cell.boundary = "device";
  EXPECT_THAT(f.refusal(request), HasSubstr("call"));
  const auto cell = f.cell(request_of("sum", "n=16", {"good"}));
  EXPECT_THROW(cell->block(block_of({"good", "nobody"})), Error);
  wire::Block block = block_of({"good"});
  block.phase = "lunch";
  EXPECT_THROW(cell->block(block), Error);
}

TEST(Cell, IsMeasuredOnTheProcessorWarmAndCold) {
  const Program program = sample_program();
  device::Cpu cpu;
  wire::Mark mark = wire::Mark::create();
  for (const char* state : {"warm", "cold"}) {
    for (const device::Timer& timer : cpu.timers()) {
      wire::Prepare request = request_of("sum", "n=33", {"good"}, state);
      request.timer = timer.name;
      Cell cell(*program.find("sum"), cpu, mark, request, {timer.name});
      const auto done = cell.block(block_of({"good", "control"}));
      ASSERT_EQ(done.samples.size(), 2U);
      EXPECT_GT(done.samples[0].interval_ns, 0);
    }
  }
}

constexpr const char* cold_timer =
    R"("call_ns": 1000, "timers": [{"name": "scripted", "boundaries": ["call", "cold-start"]}])";

TEST(Cell, BeforeAFirstCallNothingIsCalledAndNothingRestored) {
  CellFixture f(cold_timer);
  Problem& counting = f.program.problem("counting").unchecked();
  counting.input("x", [](const Case&) { return Tensor::f32({4}); }).in_place();
  int calls = 0;
  int preparations = 0;
  counting.subject("one", [&calls](Context&) { ++calls; })
      .prepare([&](Context&) { ++preparations; }, 1);
  wire::Prepare request = request_of("counting", "-", {"one"}, "fresh");
  request.cell.boundary = "cold-start";
  const auto cell = f.cell(request);
  EXPECT_EQ(*cell->prepare().max_iterations, 1);
  EXPECT_EQ(preparations, 1);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(cell->block(block_of({"control"})).samples.size(), 1U);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(cell->startup()[StartupPhase::prepare].has_value());
  EXPECT_THROW(cell->block(block_of({"one"}, 2)), Error) << "one call is the first one";
}

TEST(Cell, AFirstCallOfNoTensorsAllocatesNone) {
  CellFixture f(cold_timer);
  f.program.problem("bare").unchecked().subject("one", [](Context&) {});
  wire::Prepare request = request_of("bare", "-", {"one"}, "fresh");
  request.cell.boundary = "cold-start";
  EXPECT_EQ(f.cell(request)->startup()[StartupPhase::allocate].missing().reason,
            no_phase::no_tensors);
}

TEST(Cell, ASubjectWithAStateOfItsOwnMakesNoFirstCall) {
  CellFixture f(cold_timer);
  Problem& two = f.program.problem("two").unchecked();
  two.subject("plain", [](Context&) {});
  two.subject("cooled", [](Context&) {}).in_state("warm");
  wire::Prepare request = request_of("two", "-", {"plain", "cooled"}, "fresh");
  request.cell.boundary = "cold-start";
  const auto prepared = f.cell(request)->prepare();
  ASSERT_EQ(prepared.failures.size(), 1U);
  EXPECT_EQ(prepared.failures[0].subject, "cooled");
  EXPECT_THAT(prepared.failures[0].message, HasSubstr("has the state 'warm' of its own"));
}

TEST(Cell, AnEmptyTimerIsTheDefaultOne) {
  CellFixture f;
  wire::Prepare request = request_of("sum", "n=16", {"good"});
  request.timer = "";
  EXPECT_EQ(f.cell(request)->block(block_of({"good"})).samples.size(), 1U);
}

TEST(Cell, KeepsOutputsOnlyWhenAskedTo) {
  CellFixture f;
  const auto cell = f.cell(request_of("sum", "n=16", {"good"}));
  wire::Block block = block_of({"good", "control"});
  cell->block(block);
  EXPECT_EQ(cell->kept("good"), nullptr);
  block.keep_outputs = true;
  cell->block(block);
  ASSERT_NE(cell->kept("good"), nullptr);
  ASSERT_NE(cell->kept("control"), nullptr);
  EXPECT_EQ(cell->kept("good")->payloads, cell->kept("control")->payloads);
}

}  // namespace
