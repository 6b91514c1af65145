// SPDX-License-Identifier: MIT
//
// A small plan with two cases, two states, a subject with threads and one with a state of its own.
#pragma once

#include <string>

#include "assay/experiment/plan.hpp"

namespace assay::profile {

inline experiment::Plan some_plan() {
  experiment::Plan plan;
  plan.name = "demo";
  plan.builds = {{"program", "", "/x", "demo", "/x/demo"}};
  plan.program_digests = {std::string(64, 'a')};
  experiment::ProgramDescription description;
  experiment::ProblemDescription problem;
  problem.name = "sum";
  problem.subjects = {
      {"plain", 1, {}, 0}, {"fast", -1, {}, 0}, {"dusty", 1, {{"state", "dust"}}, 0}};
  description.problems = {problem};
  plan.descriptions = {description};
  for (const char* state : {"warm", "cold"}) {
    for (const int n : {64, 256}) {
      for (const char* boundary : {"device", "call"}) {
        experiment::Cell cell;
        cell.problem = "sum";
        cell.the_case = Case({{"n", std::int64_t{n}}, {"dtype", std::string("f32")}});
        cell.state = state;
        cell.boundary = boundary;
        cell.subjects = {{"program", "plain"}, {"program", "fast"}, {"program", "dusty"}};
        plan.cells.push_back(cell);
      }
    }
  }
  return plan;
}

}  // namespace assay::profile
