// SPDX-License-Identifier: MIT
//
// A small plan and what was measured under it, as a run would have written them.
#pragma once

#include <string>

#include "assay/experiment/plan.hpp"
#include "assay/record/checks.hpp"

namespace assay::record {

inline experiment::Plan some_plan() {
  experiment::Plan plan;
  plan.name = "sum";
  plan.created_utc = "2026-11-29T21:44:05+00:00";
  plan.assay_version = "0.1.0";
  plan.protocol.boundaries = {"call"};
  plan.protocol.timer = "tsc";
  experiment::Build build;
  build.name = "program";
  build.program = "sum";
  plan.builds = {build};
  plan.program_digests = {std::string(64, 'a')};
  experiment::ProgramDescription description;
  description.program = "sum";
  description.device = {"cpu", "a processor"};
  description.boundaries = {"call"};
  plan.descriptions = {description};
  experiment::Cell cell;
  cell.problem = "sum";
  cell.the_case = Case::parse("n=1024 dtype=f32");
  cell.state = "warm";
  cell.boundary = "call";
  cell.timer = "tsc";
  cell.subjects = {{"program", "naive"}, {"program", "fast"}};
  cell.subject_work.resize(2);
  plan.cells = {cell};
  plan.comparisons = {{0, 1, {}}};
  return plan;
}

inline experiment::Calibration some_calibration() {
  experiment::CellCalibration cell;
  cell.cell = some_plan().cells.front().id();
  cell.iterations = 10;
  cell.samples_per_trial = 20;
  cell.timer = "tsc";
  return {{cell}};
}

inline Checks some_checks() {
  experiment::CheckResult result;
  result.kind = "before";
  result.problem = "sum";
  result.case_id = "n=1024 dtype=f32";
  result.subject = "fast";
  result.content = "ordinary";
  result.passed = true;
  result.detail = Json::object();
  experiment::Failure failure;
  failure.kind = experiment::failure::crashed;
  failure.message = "the worker was ended by signal 11";
  failure.stage = "block";
  failure.trial = 2;
  return {{result}, {failure}};
}

}  // namespace assay::record
