// SPDX-License-Identifier: MIT
//
// Evidence with known truth: a plan of a few cells, and samples drawn from a seed. No clock is read
// anywhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "assay/base/random.hpp"
#include "assay/record/reader.hpp"

namespace assay::judge_test {

struct Synthetic {
  std::vector<std::string> cases = {"n=1024"};
  std::vector<std::string> subjects = {"before", "after"};
  std::map<std::string, double> ratio = {};  // time ÷ time of the baseline; absent: 1
  double control_ratio = 1;
  double sd_trial = 0.003;   // of a subject's log time between trials
  double sd_sample = 0.002;  // of a sample's within its trial
  double call_ns = 10'000;
  std::int64_t iterations = 100;
  std::int64_t blocks = 3;
  std::int64_t layouts = 1;
  std::vector<std::int64_t> looks = {8, 16};
  double margin = 0.01;
  std::uint64_t seed = 1;
  bool predicted = true;
  bool two_builds = false;
};

inline double next_normal(Random& random) {
  const double u = 1 - random.next_uniform();
  const double v = random.next_uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

inline experiment::Build build_of(const std::string& name) {
  experiment::Build build;
  build.name = name;
  return build;
}

inline experiment::Plan plan_of(const Synthetic& s) {
  experiment::Plan plan;
  plan.name = "synthetic";
  plan.created_utc = "2026-11-29T21:44:05+00:00";
  plan.assay_version = "0.1.0";
  plan.question.question = "Is it faster?";
  plan.question.decision = "Ship it.";
  plan.question.hypothesis = "It moves fewer bytes.";
  plan.protocol.boundaries = {"call"};
  plan.protocol.looks = s.looks;
  plan.protocol.margin = s.margin;
  plan.protocol.blocks = s.blocks;
  plan.protocol.seed = s.seed;
  plan.protocol.timer = "steady";
  plan.layout_replicates = s.layouts;
  experiment::ProgramDescription description;
  description.program = "synthetic";
  description.device = {"cpu", "Imaginary CPU", {}};
  if (s.two_builds) {
    plan.builds = {build_of("baseline"), build_of("candidate")};
    plan.descriptions = {description, description};
  } else {
    plan.builds = {build_of("program")};
    plan.descriptions = {description};
  }
  if (s.predicted) {
    for (std::size_t i = 1; i < s.subjects.size(); ++i) {
      plan.predictions.push_back({s.subjects[i], "", 0.5, 0.9, std::nullopt, "work-model"});
    }
  }
  for (const std::string& the_case : s.cases) {
    experiment::Cell cell;
    cell.problem = "sum";
    cell.the_case = Case::parse(the_case);
    cell.state = "warm";
    cell.boundary = "call";
    cell.timer = "steady";
    for (std::size_t i = 0; i < s.subjects.size(); ++i) {
      const char* build = !s.two_builds ? "program" : i == 0 ? "baseline" : "candidate";
      cell.subjects.push_back({build, s.subjects[i]});
    }
    cell.work = experiment::WorkDescription{8192, 4096, 1024, 0, ""};
    cell.subject_work.resize(cell.subjects.size());
    cell.footprint_bytes = 12288;
    cell.checked = true;
    for (std::size_t i = 1; i < cell.subjects.size(); ++i) {
      experiment::Comparison comparison;
      comparison.cell = plan.cells.size();
      comparison.candidate = i;
      if (s.predicted) comparison.prediction = i - 1;
      plan.comparisons.push_back(comparison);
    }
    plan.cells.push_back(cell);
  }
  return plan;
}

// Trials first … last of every cell, appended. `process` numbers the trial's process.
inline void append_trials(record::Evidence& evidence, const Synthetic& s, std::uint32_t first,
                          std::uint32_t last) {
  record::Dictionary& names = evidence.samples.names;
  for (std::uint32_t trial = first; trial <= last; ++trial) {
    for (const experiment::Cell& cell : evidence.plan.cells) {
      Random random(derive_key(s.seed, {"synthetic", cell.id(), std::to_string(trial)}));
      std::vector<experiment::SubjectId> order = cell.subjects;
      order.push_back({cell.subjects[0].build, std::string(experiment::control_name)});
      std::vector<double> log_time;
      for (const auto& subject : order) {
        const auto found = s.ratio.find(subject.name);
        double ratio = found == s.ratio.end() ? 1 : found->second;
        if (subject.name == experiment::control_name) ratio = s.control_ratio;
        log_time.push_back(std::log(s.call_ns * ratio) + s.sd_trial * next_normal(random));
      }
      for (std::int64_t block = 0; block < s.blocks; ++block) {
        for (std::size_t i = 0; i < order.size(); ++i) {
          record::Sample row;
          row.trial = trial;
          row.process = 2 * trial + (order[i].build == "candidate" ? 1U : 0U);
          row.build = names.index_of(order[i].build);
          row.layout = s.layouts > 1 ? (trial - 1) % static_cast<std::uint32_t>(s.layouts) : 0;
          row.problem = names.index_of(cell.problem);
          row.case_id = names.index_of(cell.the_case.id());
          row.state = names.index_of(cell.state);
          row.boundary = names.index_of(cell.boundary);
          row.timer = names.index_of("steady");
          row.subject = names.index_of(order[i].name);
          row.flags = names.index_of("");
          row.block = static_cast<std::uint32_t>(block);
          row.position = static_cast<std::uint32_t>(i);
          row.iterations = s.iterations;
          row.interval_ns = static_cast<double>(s.iterations) *
                            std::exp(log_time[i] + s.sd_sample * next_normal(random));
          row.start_ns = static_cast<std::int64_t>(evidence.samples.rows.size()) * 1'000'000;
          evidence.samples.rows.push_back(row);
        }
      }
    }
  }
}

inline record::Evidence evidence_of(const Synthetic& s, std::uint32_t trials) {
  record::Evidence evidence;
  evidence.plan = plan_of(s);
  for (const experiment::Cell& cell : evidence.plan.cells) {
    experiment::CellCalibration calibration;
    calibration.cell = cell.id();
    calibration.iterations = s.iterations;
    calibration.samples_per_trial = s.blocks;
    calibration.timer = "steady";
    calibration.timer_resolution_ns = 1;
    evidence.calibration.cells.push_back(calibration);
  }
  append_trials(evidence, s, 1, trials);
  return evidence;
}

inline experiment::CheckResult check_of(const std::string& kind, const std::string& subject,
                                        bool passed) {
  experiment::CheckResult check;
  check.kind = kind;
  check.problem = "sum";
  check.case_id = "n=1024";
  check.subject = subject;
  check.content = "ordinary";
  check.passed = passed;
  if (!passed) check.reason = "element 3 is 7 instead of 8";
  return check;
}

inline experiment::Failure failure_of(const std::string& kind, const std::string& subject,
                                      const std::string& cell) {
  experiment::Failure failure;
  failure.kind = kind;
  failure.message = "it went wrong";
  failure.stage = "block";
  failure.trial = 3;
  failure.cell = cell;
  failure.subject = subject;
  return failure;
}

}  // namespace assay::judge_test
