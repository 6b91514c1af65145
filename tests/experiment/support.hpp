// SPDX-License-Identifier: MIT
//
// A program's description as a worker would send it, for tests of plans; and the message of an
// error.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::experiment {

// "KIND is not an error" never passes: the message of the Error of that kind that f throws.
template <typename F>
std::string message_of(ErrorKind kind, F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

template <typename F>
std::string bad_input(F&& f) {
  return message_of(ErrorKind::bad_input, std::forward<F>(f));
}

// The filter that passes the cells with that text in their ids.
inline CellFilter containing(const std::string& text) {
  return {text, [text](const std::string& id) { return id.find(text) != std::string::npos; }};
}

inline CaseDescription case_description(Case the_case, std::vector<std::string> supported) {
  CaseDescription description;
  description.the_case = std::move(the_case);
  description.supported = std::move(supported);
  WorkDescription work;
  work.bytes_read = 4096;
  work.flop = 0.1;
  work.item_name = "elements";
  description.work = work;
  description.footprint_bytes = 4100;
  return description;
}

// The problem "sum" with the axes n = 4, 8 and dtype = f32; all subjects support all cases.
inline ProblemDescription sum_problem(std::vector<std::string> subjects) {
  ProblemDescription problem;
  problem.name = "sum";
  problem.checked = true;
  problem.tolerance = "relative 1e-05";
  problem.has_tensors = true;
  problem.axes = {{"n", {std::int64_t{4}, std::int64_t{8}}}, {"dtype", {std::string("f32")}}};
  for (const std::int64_t n : {4, 8}) {
    problem.cases.push_back(
        case_description(Case({{"n", n}, {"dtype", std::string("f32")}}), subjects));
  }
  for (const std::string& name : subjects) {
    SubjectDescription subject;
    subject.name = name;
    subject.parameters = {{"width", "16"}};
    problem.subjects.push_back(subject);
  }
  problem.states = {"warm", "cold"};
  return problem;
}

inline ProgramDescription program_of(std::vector<ProblemDescription> problems) {
  ProgramDescription description;
  description.program = "reduce";
  description.device = {"cpu", "A processor", {}};
  description.build = {"GCC 12.2.0", "-O3", true, true, "", "0.1.0"};
  description.boundaries = {"call"};
  description.timers = {{"monotonic", {"call"}, 1.5, Missing{"not-measured", "later"}},
                        {"tsc", {"call"}, 0.5, 9.0}};
  description.problems = std::move(problems);
  return description;
}

inline ProgramDescription sum_program(std::vector<std::string> subjects = {"naive", "fast"}) {
  return program_of({sum_problem(std::move(subjects))});
}

inline Plan plan_of(const Experiment& experiment, const ProgramDescription& description) {
  return make_plan(experiment, {description}, {"d1"}, "2026-11-29T21:44:05+00:00");
}

// The text after name and program, read and planned over one program.
inline Plan plan_of(const std::string& text, const ProgramDescription& description) {
  return plan_of(parse_experiment("name = \"t\"\nprogram = \"p\"\n" + text, "dir/e.toml"),
                 description);
}

}  // namespace assay::experiment
