// SPDX-License-Identifier: MIT
#include "assay/doctor/doctor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "assay/base/error.hpp"
#include "assay/base/temporary_path.hpp"
#include "assay/doctor/ceilings.hpp"
#include "assay/doctor/counters.hpp"
#include "assay/doctor/noise.hpp"
#include "assay/env/ceilings.hpp"
#include "assay/env/environment.hpp"
#include "assay/env/noise_floor.hpp"
#include "assay/env/text.hpp"
#include "assay/judge/text.hpp"
#include "assay/run/crew.hpp"

namespace assay::doctor {
namespace {

namespace fs = std::filesystem;
using env::Fitness;
using env::FitnessCheck;

// Where the cold state is tried: longer than the first cache, shorter than the last one.
constexpr std::string_view cold_cells = "noise-sum/n=65536/";
constexpr double kColdBudgetS = 20;

Reading<double> median_in(const judge::Result& result, const std::string& state) {
  for (const judge::CellResult& cell : result.cells) {
    if (cell.cell.find("/" + state + "/") == std::string::npos || cell.subjects.empty()) continue;
    return cell.subjects.front().median_ns;
  }
  return Missing{"not-measured", "no cell of the state " + state + " was measured"};
}

// One kernel, cold and warm. It says nothing where the device has no such state.
FitnessCheck try_cold(const fs::path& probe, const run::Options& options) {
  try {
    const TemporaryPath records(TemporaryPath::Kind::folder);  // nobody needs them afterwards
    experiment::Experiment experiment = noise_experiment(probe, kLeastNoiseTrials);
    experiment.protocol.states = {"cold", "warm"};
    experiment.protocol.budget_s = kColdBudgetS;
    experiment.cases.filter.text = cold_cells;
    experiment.cases.filter.matches = [](const std::string& cell) {
      return cell.compare(0, cold_cells.size(), cold_cells) == 0;
    };
    run::Options trying = options;
    trying.records = records.path();
    const run::Outcome outcome = run::run(experiment, trying);
    return cold_check(median_in(outcome.result, "cold"), median_in(outcome.result, "warm"));
  } catch (const Error& error) {
    const Missing missing{"not-measured", error.what()};
    return cold_check(missing, missing);
  }
}

std::string not_stored_text(const Missing& missing) {
  if (missing.reason == "other-cores") {
    return "not measured for the cores that may be used here (other-cores)";
  }
  if (missing.reason == "no-state-directory") return "not known: " + missing.detail;
  return "not measured here (" + missing.reason + ")";
}

// What was measured of this machine before: fit, unless it never was or was long ago.
template <typename Entry, typename Describe>
FitnessCheck stored_check(FitnessCheck check, const Reading<Entry>& stored, Describe describe) {
  if (!stored) {
    check.found = not_stored_text(stored.missing());
    return check;
  }
  check.found = describe(*stored) + " on " + stored->measured_utc.substr(0, 10);
  constexpr std::int64_t old_days = 30;
  const auto age = env::age_days(*stored, std::chrono::system_clock::now());
  if (age && *age > old_days) {
    check.found += fmt::format(", {} days ago", *age);
    return check;
  }
  check.fitness = Fitness::fit;
  check.advice.clear();
  return check;
}

FitnessCheck floor_check(const Reading<env::NoiseFloor>& stored) {
  return stored_check(
      {"noise.floor", Fitness::reservation, "",
       "No difference may be claimed that the machine shows between a kernel and itself.",
       "assay doctor --noise"},
      stored, [](const env::NoiseFloor& floor) {
        return fmt::format("{}, over {} trials,", judge::percent_text(floor.floor), floor.trials);
      });
}

FitnessCheck ceilings_check(const Reading<env::StoredCeilings>& stored) {
  return stored_check(
      {"ceilings", Fitness::reservation, "",
       "A time is neither good nor bad without the limit beside it.", "assay doctor --ceilings"},
      stored, [](const env::StoredCeilings&) { return std::string("measured"); });
}

Reading<double> free_bytes_at(fs::path place) {
  place = fs::absolute(place);
  std::error_code failure;
  while (!fs::exists(place, failure) && place.has_relative_path()) place = place.parent_path();
  if (!fs::is_directory(place, failure)) {
    return Missing{"no-directory", place.string() + " is no directory"};
  }
  const fs::space_info space = fs::space(place, failure);
  if (failure) return Missing{"unreadable", place.string() + ": " + failure.message()};
  if (::access(place.c_str(), W_OK) != 0) return Missing{"not-permitted", place.string()};
  return static_cast<double>(space.available);
}

}  // namespace

FitnessCheck timer_check(const std::vector<experiment::TimerDescription>& timers) {
  FitnessCheck check{"timer.step", Fitness::unknown, "the device told of no timer", "", ""};
  check.why = "A timer that moves in coarse steps needs long samples to show a small difference.";
  if (timers.empty()) return check;
  const experiment::TimerDescription& timer = timers.front();
  if (!timer.resolution_ns) {
    check.found = timer.name + ": step not known (" + timer.resolution_ns.missing().reason + ")";
    return check;
  }
  const double step_ns = *timer.resolution_ns;
  check.found = timer.name + ": step " + judge::time_text(step_ns);
  if (timer.floor_ns) {
    check.found += ", an empty interval takes " + judge::time_text(*timer.floor_ns);
  }
  constexpr double coarse_ns = 1e3;
  constexpr double useless_ns = 1e6;
  check.fitness = step_ns > useless_ns  ? Fitness::unfit
                  : step_ns > coarse_ns ? Fitness::reservation
                                        : Fitness::fit;
  if (check.fitness != Fitness::fit) {
    check.advice = "Longer samples (sample = \"10ms\" in [protocol]), or another timer.";
  }
  return check;
}

FitnessCheck cold_check(const Reading<double>& cold_ns, const Reading<double>& warm_ns) {
  FitnessCheck check{"cache.cold", Fitness::unknown, "", "", ""};
  check.why = "The state \"cold\" is worth its name only if the caches were emptied.";
  if (!cold_ns || !warm_ns) {
    check.found = "not tried: " + (cold_ns ? warm_ns : cold_ns).missing().detail;
    return check;
  }
  if (!(*warm_ns > 0)) {
    check.found = "not tried: the warm call took no time";
    return check;
  }
  // From memory a sum of 64 Ki floats takes several times as long as from the second cache.
  constexpr double least_ratio = 1.2;
  const double ratio = *cold_ns / *warm_ns;
  check.found =
      fmt::format("a sum of 64 Ki floats takes {} cold and {} warm, {}×",
                  judge::time_text(*cold_ns), judge::time_text(*warm_ns), judge::ratio_text(ratio));
  check.fitness = ratio > least_ratio ? Fitness::fit : Fitness::reservation;
  if (check.fitness != Fitness::fit) {
    check.advice = "Measure the warm state; do not claim anything of the cold one.";
  }
  return check;
}

FitnessCheck disk_check(const fs::path& records, const Reading<double>& free_bytes) {
  FitnessCheck check{"disk.space", Fitness::fit, "", "", ""};
  check.why = "Nothing that was measured may be lost: a record takes some megabytes.";
  if (!free_bytes) {
    check.fitness = Fitness::unfit;
    check.found =
        "records cannot be made in " + records.string() + " (" + free_bytes.missing().detail + ")";
    check.advice = "Run where you may write, or with --records DIRECTORY.";
    return check;
  }
  constexpr double little = 1e9;
  constexpr double too_little = 50e6;
  check.found =
      env::value_text("_bytes", Json{{"value", *free_bytes}}) + " free for " + records.string();
  check.fitness = *free_bytes < too_little ? Fitness::unfit
                  : *free_bytes < little   ? Fitness::reservation
                                           : Fitness::fit;
  if (check.fitness != Fitness::fit) check.advice = "Make room, or use --records DIRECTORY.";
  return check;
}

std::vector<FitnessCheck> device_checks(const experiment::DeviceDescription& device) {
  const auto fact = [&](std::string_view name) {
    const auto found = std::find_if(device.facts.begin(), device.facts.end(),
                                    [&](const auto& each) { return each.name == name; });
    return found != device.facts.end() && found->value ? *found->value : std::string();
  };
  std::vector<FitnessCheck> checks;
  const auto add = [&](const char* slug, bool is_fit, std::string found, const char* why,
                       const char* advice) {
    checks.push_back({slug, is_fit ? Fitness::fit : Fitness::reservation, std::move(found), why,
                      is_fit ? "" : advice});
  };
  const std::string persistence = fact("persistence-mode");
  if (!persistence.empty()) {
    add("device.persistence", persistence == "on", "persistence mode " + persistence,
        "Without it the driver lets the device go between processes, and starts it anew.",
        "sudo nvidia-smi -pm 1");
  }
  const std::string mig = fact("mig-mode");
  if (!mig.empty()) {
    add("device.mig", mig != "on", "MIG " + mig,
        "An instance has a share of the device, and its neighbours share clocks and power.",
        "Say in the claim which instance it was.");
  }
  const std::string limit = fact("power-limit");
  const std::string usual = fact("default-power-limit");
  if (!limit.empty() && !usual.empty()) {
    add("device.power_limit", limit == usual, "power limit " + limit + ", default " + usual,
        "A lower limit holds the clocks back under load.", "sudo nvidia-smi -pl (the default)");
  }
  const std::string highest = fact("max-sm-clock");
  if (!highest.empty()) {
    checks.push_back({"device.clocks", Fitness::unknown,
                      "at most " + highest + "; whether they are locked, NVML does not tell",
                      "Clocks that float with load and temperature move times by tens of percent.",
                      "sudo nvidia-smi -lgc MIN,MAX; the record keeps the clocks of every block."});
  }
  return checks;
}

Examination examine(const fs::path& probe, const run::Options& options,
                    const Reading<fs::path>& state_directory) {
  Examination examination;
  // Files that cannot be read are better found before anything is measured than after it.
  if (state_directory) {
    env::read_noise_floors(*state_directory);
    env::read_ceilings(*state_directory);
  }
  const Json environment = env::environment_of_this_machine();
  const std::string fingerprint = env::machine_fingerprint(environment);
  examination.checks = env::fitness_of(environment);
  const auto add = [&](FitnessCheck check) { examination.checks.push_back(std::move(check)); };
  std::string device = options.device;
  const char* why_open = "Without it nothing is measured.";
  try {
    const run::DryRun dry = run::dry_run(noise_experiment(probe, kLeastNoiseTrials), options);
    if (!dry.plan.descriptions.empty()) {
      const experiment::ProgramDescription& description = dry.plan.descriptions.front();
      device = description.device.id;
      add({"device.opens", Fitness::fit, description.device.name, why_open, ""});
      examination.timers = description.timers;
      for (FitnessCheck& check : device_checks(description.device)) add(std::move(check));
    }
  } catch (const Error& error) {
    add({"device.opens", Fitness::unfit, error.what(), why_open,
         "See `assay env` for what the system tells of its devices."});
  }
  examination.is_interrupted = options.hooks.interrupted();
  if (!examination.timers.empty() && !examination.is_interrupted) {
    add(timer_check(examination.timers));
    add(try_cold(probe, options));
    examination.is_interrupted = options.hooks.interrupted();
  }
  add(counters_check(try_counters()));
  add(disk_check(options.records, free_bytes_at(options.records)));
  add(floor_check(state_directory ? env::noise_floor_of(*state_directory, fingerprint, device)
                                  : Reading<env::NoiseFloor>(state_directory.missing())));
  if (are_stored_of(device)) {
    add(ceilings_check(state_directory ? env::ceilings_of(*state_directory, fingerprint, device,
                                                          run::cores_allowed())
                                       : Reading<env::StoredCeilings>(state_directory.missing())));
  }
  return examination;
}

}  // namespace assay::doctor
