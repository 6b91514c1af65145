// SPDX-License-Identifier: MIT
#include "assay/base/energy.hpp"

namespace assay {

Reading<EnergyUse> energy_between(const Telemetry& before, const Telemetry& after) {
  Missing missing{"not-given", ""};
  for (const EnergyMeter& meter : energy_meters) {
    if (!before.has(meter.counter)) continue;
    const Reading<std::int64_t> used = advance_of(meter.counter, before, after);
    if (!used) {
      missing = used.missing();
      continue;
    }
    EnergyUse use;
    use.meter = &meter;
    use.window_s = static_cast<double>(after.time_ns - before.time_ns) * 1e-9;
    if (use.window_s < kEnergyWindowSteps * meter.step_s || *used == 0) {
      return Missing{"window-too-short", "the counter moves in steps of some " +
                                             std::to_string(static_cast<int>(meter.step_s * 1e3)) +
                                             " ms: a difference over " +
                                             std::to_string(use.window_s) + " s says too little"};
    }
    use.energy_j = static_cast<double>(*used) * meter.joules;
    const double power_w = use.energy_j / use.window_s;
    use.uncertainty_j = 2 * power_w * meter.step_s + meter.gain_frac.value_or(0) * use.energy_j;
    return use;
  }
  return missing;
}

}  // namespace assay
