// SPDX-License-Identifier: MIT
#include "assay/judge/dimensions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/judge/judge.hpp"
#include "synthetic.hpp"

namespace assay::judge {
namespace {

using judge_test::evidence_of;
using testing::ElementsAre;
using testing::Pair;

experiment::CaseDimensions some_dimensions() {
  experiment::CaseDimensions dimensions;
  dimensions.operands = {{"x", "input", "f32", {1024}, {1}, 64}};
  dimensions.declared.set("k", 7);
  return dimensions;
}

// Both builds describe the cell's case with these.
void describe(record::Evidence& evidence, const experiment::CaseDimensions& dimensions) {
  for (experiment::ProgramDescription& program : evidence.plan.descriptions) {
    experiment::ProblemDescription problem;
    problem.name = "sum";
    for (const experiment::Cell& cell : evidence.plan.cells) {
      experiment::CaseDescription the_case;
      the_case.the_case = cell.the_case;
      the_case.dimensions = dimensions;
      problem.cases.push_back(the_case);
    }
    for (const char* name : {"before", "after"}) {
      experiment::SubjectDescription subject;
      subject.name = name;
      subject.parameters = {{"width", "16"}, {"tile", "8"}};
      problem.subjects.push_back(subject);
    }
    program.problems = {problem};
  }
}

std::vector<Finding> differences_in(const record::Evidence& evidence) {
  std::vector<Finding> found;
  for (const Finding& finding : judge(evidence, Ending::complete).findings) {
    if (finding.slug == "dimensions.differ") found.push_back(finding);
  }
  return found;
}

TEST(DimensionsOfACell, AreThoseOfTheCaseWithTheParametersOfEachSubject) {
  record::Evidence evidence = evidence_of({}, 8);
  auto dimensions = some_dimensions();
  dimensions.parameters["after"] = {{"tile", "64"}, {"stages", "3"}};
  describe(evidence, dimensions);
  const Result result = judge(evidence, Ending::complete);
  ASSERT_TRUE(result.cells[0].dimensions.has_value());
  EXPECT_EQ(result.cells[0].dimensions->operands, some_dimensions().operands);
  EXPECT_EQ(result.cells[0].dimensions->declared.entries(), some_dimensions().declared.entries());
  EXPECT_THAT(result.cells[0].dimensions->parameters,
              ElementsAre(Pair("after", ElementsAre(Pair("stages", "3"), Pair("tile", "64"),
                                                    Pair("width", "16"))),
                          Pair("before", ElementsAre(Pair("tile", "8"), Pair("width", "16")))));
  EXPECT_EQ(to_json(result), to_json(result_from_json(to_json(result), "here")));
  EXPECT_TRUE(differences_in(evidence).empty());
}

TEST(DimensionsOfACell, AreNotMadeUpForProgramsThatDoNotTell) {
  record::Evidence evidence = evidence_of({}, 8);
  describe(evidence, some_dimensions());
  for (auto& the_case : evidence.plan.descriptions[0].problems[0].cases)
    the_case.dimensions.reset();
  EXPECT_FALSE(to_json(judge(evidence, Ending::complete)).at("cells").at(0).contains("dimensions"));
}

TEST(DimensionsThatDiffer, AreAFindingForAllCellsThatHaveThem) {
  judge_test::Synthetic synthetic;
  synthetic.two_builds = true;
  synthetic.cases = {"n=1024", "n=2048"};
  record::Evidence evidence = evidence_of(synthetic, 8);
  describe(evidence, some_dimensions());
  EXPECT_TRUE(differences_in(evidence).empty());
  auto& cases = evidence.plan.descriptions[1].problems[0].cases;
  cases[0].dimensions->operands[0].alignment_bytes = 4;
  cases[0].dimensions->declared = Dimensions().set("epilogue", "relu");
  ASSERT_EQ(differences_in(evidence).size(), 1U);
  EXPECT_EQ(differences_in(evidence)[0].cell, evidence.plan.cells[0].id());
  EXPECT_EQ(differences_in(evidence)[0].text,
            "The builds baseline and candidate describe this case differently, so the ratio is of "
            "that too: x is contiguous, aligned to 64 bytes, and contiguous, aligned to 4 bytes; k "
            "is 7, and not declared; epilogue is not declared, and relu.");
  cases[1].dimensions = cases[0].dimensions;
  ASSERT_EQ(differences_in(evidence).size(), 1U);
  EXPECT_EQ(differences_in(evidence)[0].cell, "");
  EXPECT_EQ(differences_in(evidence)[0].text.substr(0, 50),
            "The builds baseline and candidate describe 2 cells");
}

}  // namespace
}  // namespace assay::judge
