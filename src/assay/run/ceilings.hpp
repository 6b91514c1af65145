// SPDX-License-Identifier: MIT
//
// The machine's ceilings: measured by a worker, and taken into a plan from the machine's own state.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "assay/base/ceilings.hpp"
#include "assay/base/reading.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::run {

struct MeasureCeilings {
  std::filesystem::path probe;  // a program that holds the kernels
  std::string device = "cpu";
  double budget_s = 20;  // of the measurement
  // The worker is waited for no longer than twice the budget and this: a device may be slow to
  // open.
  double start_s = 30;
  std::function<bool()> interrupted = [] { return false; };
};

struct MeasuredCeilings {
  std::string device;  // its id: "cpu", "fake"
  MachineCeilings ceilings;
};

// Starts the probe as a worker, asks it once and ends it: the parent measures nothing itself.
// Missing ("interrupted") if the user stopped it. Throws Error{worker} if the worker fails, and
// Error{device} or Error{usage} with what it said if it will not.
Reading<MeasuredCeilings> measure_ceilings(const MeasureCeilings& options);

// Sets plan.ceilings: from what the device measured when it described itself, without a source, and
// the descriptions no longer hold them; else, with their source, from the state directory
// (env::state_directory()), for the plan's device on the machine of that fingerprint; or the reason
// why there are none: not measured, another machine's, of other cores than this run may use. cores:
// those that this process may run on. Throws Error{bad_input} for a damaged file.
void take_ceilings(experiment::Plan& plan, const Reading<std::filesystem::path>& state_directory,
                   const std::string& machine_fingerprint, const std::vector<int>& cores,
                   std::chrono::system_clock::time_point now);

}  // namespace assay::run
