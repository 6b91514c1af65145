// SPDX-License-Identifier: MIT
//
// The rules by which trial 0 calibrates and a warm-up ends: decisions on numbers, so that the
// parent only acts on them. They are part of the method that a plan names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/experiment/plan.hpp"

namespace assay::judge {

struct SampleTimer {
  std::string name;
  Reading<double> step_ns = Missing{"not-described", ""};
  bool is_per_call = false;  // times each call apart and adds up
  bool is_slope = false;     // the difference of two intervals
};

// The coarsest of the builds' timers of that name: as the processes that measure say
// (step_of_process_ns) or, where they do not, as the plan does. Its step is missing, with the
// reason, where nobody says it.
SampleTimer sample_timer(const experiment::Plan& plan, const std::string& name,
                         const Reading<double>& step_of_process_ns);

// One count of iterations for all subjects of a cell, since two counts would bias the ratio: as
// many as bring the slowest subject's sample to the length aimed at, or more where the fastest
// one's would be so short that the timer's step weighs more than a tenth of what is to be resolved
// (margin in force, at least 0.5 %). Missing when the timer's step is more than a tenth of the
// fastest subject's sample even so, with what would help. A command runs once a sample
// (max_iterations is 1); unless the plan says how often in a trial, as often as fills a quarter of
// a second, at least once and at most Protocol::blocks times. A first call of a process
// (cold-start) is made once a trial.
//
// A timer that times each call apart leaves an error of up to its step in every one: in the sum of
// n of them they add up by √n where they are independent, as they are when calls do not begin in
// step with the timer. So the step of a sample, timer_resolution_ns of the result, is step·√n then,
// and step·√2 where the sample is the difference of two intervals. A step that is not known
// neither asks for iterations nor refuses, and stays missing.
//
// call_ns: SubjectId::text() → time of one call; not empty, positive. max_iterations: where a call
// must be prepared anew.
experiment::CellCalibration calibrate(const experiment::Plan& plan, const std::string& cell_id,
                                      std::vector<std::pair<std::string, double>> call_ns,
                                      const SampleTimer& timer,
                                      const Reading<std::int64_t>& max_iterations);

// Whether a subject has warmed up: warm_up_ns are its samples (time of one call) so far, in order.
bool is_warm(std::span<const double> warm_up_ns, const Reading<double>& timer_resolution_ns,
             std::int64_t iterations);

}  // namespace assay::judge
