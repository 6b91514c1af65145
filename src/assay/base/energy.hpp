// SPDX-License-Identifier: MIT
//
// What a device used between two readings of its energy counter, and how far that may be off.
// Internal.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "assay/base/telemetry.hpp"

namespace assay {

// A counter of energy and what is known of its errors.
struct EnergyMeter {
  Field counter;
  std::string_view name;  // for people
  double joules = 1;      // of one of its units
  // It moves in steps so far apart: each end may be off by a step at the mean power.
  double step_s = 0;
  // Share of the energy by which its gain may be off; absent: not known, and not in the
  // uncertainty. Between variants on one device in one run the gain cancels.
  std::optional<double> gain_frac;
};
// The GPU's: steps of some 100 ms; readings of 68 devices against a meter were 0.87 to 1.06 of it,
// half of them within 2.3 % (arXiv 2312.02741). The processor's (RAPL): updated about every
// millisecond (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3B, "Package
// RAPL Domain"); its gain differs between generations and is not documented by the vendors.
inline constexpr std::array<EnergyMeter, 2> energy_meters{{
    {Field::energy_mj, "GPU", 1e-3, 0.1, 0.05},
    {Field::package_energy_uj, "RAPL", 1e-6, 0.001, std::nullopt},
}};
// In windows of fewer steps the steps at both ends are more than a fifth of the energy.
inline constexpr double kEnergyWindowSteps = 10;

struct EnergyUse {
  const EnergyMeter* meter = nullptr;
  double energy_j = 0;
  double uncertainty_j = 0;  // 2·P·step + gain·E
  double window_s = 0;
};
// By the first meter whose counter is known at both ends. Missing: as the counters are;
// "went-back"; "window-too-short" below kEnergyWindowSteps or where the counter did not move, which
// is no energy of 0.
Reading<EnergyUse> energy_between(const Telemetry& before, const Telemetry& after);

}  // namespace assay
