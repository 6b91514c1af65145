// SPDX-License-Identifier: MIT
#include "assay/run/noise_floor.hpp"

#include <algorithm>

#include "assay/env/noise_floor.hpp"

namespace assay::run {
namespace {

// The kernel that the floor is the largest of.
std::string cell_of(const env::NoiseFloor& entry) {
  const auto largest = std::max_element(
      entry.kernels.begin(), entry.kernels.end(),
      [](const env::KernelNoise& a, const env::KernelNoise& b) { return a.floor < b.floor; });
  return largest == entry.kernels.end() ? "" : largest->cell;
}

}  // namespace

void take_noise_floor(experiment::Plan& plan, const Reading<std::filesystem::path>& state_directory,
                      const std::string& machine_fingerprint,
                      std::chrono::system_clock::time_point now) {
  plan.noise_floor_source.reset();
  if (plan.protocol.ignores_noise_floor) {
    plan.noise_floor = Missing{"ignored", "ignored by the protocol: noise_floor = \"ignore\""};
    return;
  }
  if (!state_directory) {
    plan.noise_floor = state_directory.missing();
    return;
  }
  const std::string device =
      plan.descriptions.empty() ? "cpu" : plan.descriptions.front().device.id;
  const auto entry = env::noise_floor_of(*state_directory, machine_fingerprint, device);
  plan.noise_floor = entry.transform([](const env::NoiseFloor& found) { return found.floor; });
  if (!entry) return;
  experiment::NoiseFloorSource source;
  source.measured_utc = entry->measured_utc;
  source.age_days = *env::age_days(*entry, now);
  source.trials = entry->trials;
  source.cell = cell_of(*entry);
  source.assay_version = entry->assay_version;
  source.record = entry->record;
  source.record_digest = entry->record_digest;
  plan.noise_floor_source = source;
}

}  // namespace assay::run
