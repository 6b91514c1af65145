// SPDX-License-Identifier: MIT
//
// Is this machine fit to measure? What the environment's facts tell (env/fitness.hpp), and what has
// to be tried: that the device opens, its timers, whether emptied caches are empty, the counters,
// the disk, and what was measured here before. Nothing is changed, and no advice is followed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/env/fitness.hpp"
#include "assay/experiment/description.hpp"
#include "assay/run/run.hpp"

namespace assay::doctor {

struct Examination {
  std::vector<env::FitnessCheck> checks;
  std::vector<experiment::TimerDescription> timers;  // of the device, where it opened
  bool is_interrupted = false;                       // by the user: then checks are missing
  env::Fitness fitness() const { return env::overall(checks); }
};

// probe: assay-probe, which is started on options.device. options.records: where records will be
// made. state_directory: where the noise floor and the ceilings lie (env::state_directory());
// where that is not known, neither are they. Takes a few seconds, for the caches.
// Throws Error{bad_input} for a damaged noise-floor.json or ceilings.json, before anything is
// tried; everything else is a check.
Examination examine(const std::filesystem::path& probe, const run::Options& options,
                    const Reading<std::filesystem::path>& state_directory);

// A line for each check, those that need attention first and with why and what to do, and the line
// that sums it up.
std::string examination_text(const Examination& examination);
Json to_json(const Examination& examination);

// The parts of an examination that need no machine of a certain kind to be tested.
env::FitnessCheck timer_check(const std::vector<experiment::TimerDescription>& timers);
env::FitnessCheck cold_check(const Reading<double>& cold_ns, const Reading<double>& warm_ns);
env::FitnessCheck disk_check(const std::filesystem::path& records,
                             const Reading<double>& free_bytes);
std::vector<env::FitnessCheck> device_checks(const experiment::DeviceDescription& device);

}  // namespace assay::doctor
