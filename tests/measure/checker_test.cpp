// SPDX-License-Identifier: MIT
#include "assay/measure/checker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sample_program.hpp"
#include "script_device.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::HasSubstr;

struct CheckerFixture {
  explicit CheckerFixture(const std::string& problem = "sum", const std::string& case_id = "n=16",
                          std::vector<std::string> names = {"good"},
                          const std::string& script = R"("call_ns": 1000)")
      : device(fake_of(script)), subjects(std::move(names)) {
    wire::Prepare request;
    request.cell = {problem, Case::parse(case_id), "warm", "call"};
    request.subjects = subjects;
    request.baseline = subjects.front();
    request.content_key = 5;
    cell = std::make_unique<Cell>(*program.find(problem), device, mark, request,
                                  std::vector<std::string>{"scripted"});
    cell->prepare();
  }
  wire::Checked check(const std::string& kind, std::uint64_t key = 6) {
    return checker.check(*cell, {kind, subjects, key}, {cell->which()});
  }
  // One block that keeps outputs, then the check of them.
  wire::Checked timed(std::uint64_t key = 9) {
    wire::Block block;
    block.order = subjects;
    block.phase = "measure";
    block.content_key = key;
    block.keep_outputs = true;
    cell->block(block);
    return check("timed", key);
  }

  Program program = sample_program();
  device::Fake device;
  wire::Mark mark = wire::Mark::create();
  std::vector<std::string> subjects;
  std::unique_ptr<Cell> cell;
  Checker checker;
};

std::string failure_of(const experiment::CheckResult& result) {
  return result.detail.contains("failure") ? result.detail["failure"].get<std::string>() : "";
}

TEST(CheckBefore, PassesARightSubject) {
  CheckerFixture f;
  const auto checked = f.check("before");
  ASSERT_EQ(checked.results.size(), 1U);
  const auto& result = checked.results[0];
  EXPECT_TRUE(result.passed) << result.reason;
  EXPECT_TRUE(result.applicable);
  EXPECT_EQ(result.kind, "before");
  EXPECT_EQ(result.problem, "sum");
  EXPECT_EQ(result.case_id, "n=16");
  EXPECT_EQ(result.content, "ordinary");
  EXPECT_EQ(result.detail["outputs"].size(), 1U);
}

TEST(CheckBefore, NamesTheKindOfEachFault) {
  const std::vector<std::pair<std::string, std::string>> expected{{"wrong", "wrong-output"},
                                                                  {"silent", "wrong-output"},
                                                                  {"nan", "wrong-output"},
                                                                  {"throws", "subject-error"},
                                                                  {"outside", "out-of-bounds"},
                                                                  {"changes", "input-changed"},
                                                                  {"good", ""}};
  std::vector<std::string> names;
  for (const auto& [name, kind] : expected) names.push_back(name);
  CheckerFixture f("sum", "n=16", names);
  const auto results = f.check("before").results;
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(results[i].subject, expected[i].first);
    EXPECT_EQ(results[i].passed, expected[i].second.empty()) << results[i].reason;
    EXPECT_EQ(failure_of(results[i]), expected[i].second) << results[i].subject;
    EXPECT_EQ(results[i].reason.empty(), results[i].passed);
  }
  EXPECT_THAT(results[3].reason, HasSubstr("no such luck"));
}

TEST(CheckBefore, ASubjectThatWritesNothingIsNotSavedByTheOneBefore) {
  CheckerFixture f("sum", "n=16", {"good", "silent"});
  const auto results = f.check("before").results;
  EXPECT_TRUE(results[0].passed);
  EXPECT_FALSE(results[1].passed);
  EXPECT_EQ(results[1].detail["outputs"][0]["unwritten"], 1);
}

TEST(CheckBefore, AnInPlaceInputIsComparedToo) {
  CheckerFixture f("scale", "-", {"doubles", "idle"});
  const auto results = f.check("before").results;
  EXPECT_TRUE(results[0].passed) << results[0].reason;
  EXPECT_FALSE(results[1].passed);
}

TEST(CheckBefore, RunsTheReferenceOnceForOneContent) {
  int runs = 0;
  Program program;
  Problem& p = program.problem("p");
  p.output("y", [](const Case&) { return Tensor::f32({1}); });
  p.reference([&](ReferenceCall& call) {
    ++runs;
    call.output("y")[0] = 1;
  });
  p.tolerance(Tolerance::exact());
  p.subject("a", [](Context& c) { c.output<float>("y")[0] = 1; });
  device::Fake device = fake_of();
  wire::Mark mark = wire::Mark::create();
  wire::Prepare request;
  request.cell = {"p", Case(), "warm", "call"};
  request.subjects = {"a"};
  Cell cell(p, device, mark, request, {"scripted"});
  Checker checker;
  for (const std::uint64_t key : {1U, 1U, 2U, 2U}) {
    EXPECT_TRUE(checker.check(cell, {"before", {"a"}, key}, {}).results[0].passed);
  }
  EXPECT_EQ(runs, 2);
}

TEST(CheckBefore, AReferenceThatThrowsIsToldApart) {
  Program program;
  Problem& p = program.problem("p");
  p.output("y", [](const Case&) { return Tensor::f32({1}); });
  p.reference([](ReferenceCall&) { throw std::runtime_error("cannot compute"); });
  p.tolerance(Tolerance::exact());
  p.subject("a", [] {});
  device::Fake device = fake_of();
  wire::Mark mark = wire::Mark::create();
  wire::Prepare request;
  request.cell = {"p", Case(), "warm", "call"};
  request.subjects = {"a"};
  Cell cell(p, device, mark, request, {"scripted"});
  Checker checker;
  EXPECT_THROW(checker.check(cell, {"before", {"a"}, 1}, {}), Checker::ReferenceFailed);
}

TEST(CheckBefore, AnUncheckedProblemIsWatchedForWhatMayNotBeWritten) {
  Program program;
  Problem& p = program.problem("p").unchecked();
  p.output("y", [](const Case&) { return Tensor::f32({1}); });
  p.subject("tidy", [](Context& c) { c.output<float>("y")[0] = 1; });
  p.subject("outside", [](Context& c) { c.output<float>("y").data()[1] = 1; });
  device::Fake device = fake_of();
  wire::Mark mark = wire::Mark::create();
  wire::Prepare request;
  request.cell = {"p", Case(), "warm", "call"};
  request.subjects = {"tidy", "outside"};
  Cell cell(p, device, mark, request, {"scripted"});
  const auto results = Checker().check(cell, {"before", request.subjects, 1}, {}).results;
  EXPECT_FALSE(results[0].applicable);
  EXPECT_TRUE(results[1].applicable);
  EXPECT_FALSE(results[1].passed);
  EXPECT_EQ(failure_of(results[1]), "out-of-bounds");
}

TEST(CheckTimed, JudgesTheOutputsOfTheTimedCalls) {
  CheckerFixture f("sum", "n=16", {"good", "wrong", "outside", "changes"});
  const auto results = f.timed().results;
  ASSERT_EQ(results.size(), 4U);
  EXPECT_TRUE(results[0].passed) << results[0].reason;
  EXPECT_EQ(failure_of(results[1]), "wrong-output");
  EXPECT_EQ(failure_of(results[2]), "out-of-bounds");
  EXPECT_EQ(failure_of(results[3]), "input-changed");
}

TEST(CheckTimed, FindsASubjectThatRepeatsAnOldAnswer) {
  CheckerFixture f("sum", "n=16", {"remembers"});
  EXPECT_TRUE(f.check("before", 5).results[0].passed);
  EXPECT_FALSE(f.timed().results[0].passed);
}

// In a sum over many elements a window of new content moves the result by less than the tolerance.
TEST(CheckTimed, FindsAnOldAnswerOfALargeInput) {
  constexpr std::int64_t n = 1 << 20;
  Program program;
  Problem& p = program.problem("p");
  p.input("x", [](const Case&) {
    return Tensor::f32({n}).generator(Generator::custom(
        "of the key",
        [](std::uint64_t key, std::uint64_t) { return 1 + static_cast<double>(key % 1000); }));
  });
  p.output("y", [](const Case&) { return Tensor::f32({1}); });
  p.reference([](ReferenceCall& call) {
    for (const double value : call.input("x")) call.output("y")[0] += value / n;
  });
  p.tolerance(Tolerance::absolute(100));
  int calls = 0;
  float answer = 0;
  p.subject("remembers", [&](Context& c) {
    if (calls++ == 0) {
      double sum = 0;
      for (const float value : c.input<float>("x")) sum += static_cast<double>(value) / n;
      answer = static_cast<float>(sum);
    }
    c.output<float>("y")[0] = answer;
  });
  device::Fake device = fake_of();
  wire::Mark mark = wire::Mark::create();
  wire::Prepare request;
  request.cell = {"p", Case(), "warm", "call"};
  request.subjects = {"remembers"};
  request.content_key = 5;
  Cell cell(p, device, mark, request, {"scripted"});
  Checker checker;
  EXPECT_TRUE(checker.check(cell, {"before", request.subjects, 5}, {}).results[0].passed);
  wire::Block block;
  block.order = request.subjects;
  block.phase = "measure";
  block.keep_outputs = true;
  int caught = 0;
  for (const std::uint64_t key : {9U, 10U, 11U}) {
    block.content_key = key;
    cell.block(block);
    caught += !checker.check(cell, {"timed", request.subjects, key}, {}).results[0].passed;
  }
  EXPECT_GE(caught, 2);
}

const char* const hint_of_preparation = "declared fixed()";

TEST(Check, HintsAtAPreparationThatPackedWhatIsRenewed) {
  for (const bool fixed : {false, true}) {
    Program program;
    Problem& p = program.problem("p");
    auto x = p.input("x", [](const Case&) { return Tensor::f32({4}); });
    if (fixed) x.fixed();
    p.output("y", [](const Case&) { return Tensor::f32({1}); });
    p.reference([](ReferenceCall& call) { call.output("y")[0] = call.input("x")[0]; });
    p.tolerance(Tolerance::exact());
    p.subject("packs", [](Context& c) {
       c.output<float>("y")[0] = *c.scratch<float>("packed", 1);
     }).prepare([](Context& c) { *c.scratch<float>("packed", 1) = c.input<float>("x")[0]; }, 1);
    p.subject("wrong", [](Context& c) { c.output<float>("y")[0] = 7; });
    device::Fake device = fake_of();
    wire::Mark mark = wire::Mark::create();
    wire::Prepare request;
    request.cell = {"p", Case(), "warm", "call"};
    request.subjects = {"packs", "wrong"};
    request.content_key = 5;
    Cell cell(p, device, mark, request, {"scripted"});
    cell.prepare();
    const auto results = Checker().check(cell, {"before", request.subjects, 6}, {}).results;
    EXPECT_EQ(results[0].passed, fixed) << results[0].reason;
    EXPECT_EQ(results[0].reason.find(hint_of_preparation) == std::string::npos, fixed);
    EXPECT_FALSE(results[1].passed);
    EXPECT_THAT(results[1].reason, testing::Not(HasSubstr(hint_of_preparation)));
  }
}

TEST(CheckTimed, FindsASubjectThatSkipsTheTimedCall) {
  Program program;
  Problem& p = program.problem("p");
  p.output("y", [](const Case&) { return Tensor::f32({100}); });
  p.reference([](ReferenceCall& call) {
    for (double& value : call.output("y")) value = 1;
  });
  p.tolerance(Tolerance::exact());
  int calls = 0;
  p.subject("every-other", [&](Context& c) {
    if (calls++ % 2 == 0) {
      for (float& value : c.output<float>("y")) value = 1;
    }
  });
  device::Fake device = fake_of();
  wire::Mark mark = wire::Mark::create();
  wire::Prepare request;
  request.cell = {"p", Case(), "warm", "call"};
  request.subjects = {"every-other"};
  Cell cell(p, device, mark, request, {"scripted"});
  wire::Block block;
  block.order = request.subjects;
  block.phase = "measure";
  block.keep_outputs = true;
  cell.block(block);
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(Checker().check(cell, {"timed", request.subjects, 0}, {}).results[0].passed);
}

TEST(CheckTimed, SaysThatNothingWasKept) {
  CheckerFixture f;
  const auto result = f.check("timed").results.at(0);
  EXPECT_FALSE(result.passed);
  EXPECT_THAT(result.reason, HasSubstr("kept"));
}

TEST(CheckTimed, SeesWhatTheScriptSpoils) {
  CheckerFixture f(
      "sum", "n=16", {"good", "also-good"},
      R"("faults": [{"kind": "wrong-output", "stage": "block", "subject": "also-good"}])");
  EXPECT_TRUE(f.check("before").results[1].passed);
  const auto results = f.timed().results;
  EXPECT_TRUE(results[0].passed);
  EXPECT_FALSE(results[1].passed);
}

TEST(CheckAdversarial, RunsOtherContentsAndSizes) {
  CheckerFixture f("sum", "n=16", {"good", "wrong"});
  const auto results = f.check("adversarial").results;
  std::set<std::string> contents;
  for (const auto& result : results) {
    EXPECT_EQ(result.kind, "adversarial");
    EXPECT_NE(result.content, "ordinary");
    contents.insert(result.content);
    if (!result.applicable) continue;
    if (result.subject == "good") {
      EXPECT_TRUE(result.passed) << result.content << ": " << result.reason;
    }
  }
  EXPECT_GT(contents.size(), 3U);
  EXPECT_TRUE(std::any_of(results.begin(), results.end(), [](const auto& result) {
    return result.subject == "wrong" && result.applicable && !result.passed;
  }));
}

TEST(CheckGatePower, AStrongCheckCatchesEveryMutantThatDiffers) {
  CheckerFixture f;
  const auto results = f.check("gate-power").results;
  ASSERT_FALSE(results.empty());
  int applicable = 0;
  for (const auto& result : results) {
    EXPECT_EQ(result.kind, "gate-power");
    if (!result.applicable) continue;
    ++applicable;
    EXPECT_TRUE(result.passed) << result.subject << ": " << result.reason;
  }
  EXPECT_GT(applicable, 0);
}

TEST(Check, RefusesAnUnknownKind) {
  CheckerFixture f;
  EXPECT_THROW(f.check("horoscope"), Error);
}

}  // namespace
