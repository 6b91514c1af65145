// SPDX-License-Identifier: MIT
//
// Whether a launch gives a device enough to do: how many times over its blocks fill the places that
// all multiprocessors have together. A launch of less than one such wave leaves some of them
// without work from the start; one of little more than a whole number of waves leaves most of them
// without work in the last one.
//
// It is a count of places, not a prediction of time: blocks of unequal work, or with few warps
// that keep all units busy, fill a device otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "assay/base/reading.hpp"

namespace assay::model {

// Of a device whose blocks share multiprocessors.
struct Multiprocessors {
  std::int64_t count = 0;
  std::int64_t warp_threads = 32;
  Reading<std::int64_t> threads = Missing{"not-recorded", ""};  // that one holds at most
  Reading<std::int64_t> blocks = Missing{"not-recorded", ""};
};

struct LaunchShape {
  std::int64_t grid = 0;     // blocks
  std::int64_t threads = 0;  // of a block
  // Theoretical, of the warps that a multiprocessor holds.
  Reading<double> occupancy_frac = Missing{"not-recorded", ""};
};

struct Waves {
  // Of a multiprocessor, at once; where the occupancy is not known the most that its threads and
  // blocks allow, registers and shared memory left out of account.
  Reading<std::int64_t> resident_blocks = Missing{"not-recorded", ""};
  bool is_exact = false;  // else there are at most so many places, and at least so many waves
  Reading<double> waves = Missing{"not-recorded", ""};  // grid ÷ (resident_blocks × count)
  // "too-few-blocks" (not all multiprocessors, or not all places, get one), "short-last-wave"
  // (more than a tenth of all waves' places stay empty), "filled". Missing ("occupancy-unknown")
  // where that depends on how many fit.
  Reading<std::string> word = Missing{"not-recorded", ""};

  // How much of the last wave's places are taken: 1 if all. Of whole waves, where they are known.
  double last_wave_frac() const;
};

inline constexpr double kEmptyPlacesFrac = 0.1;
inline constexpr const char* too_few_blocks = "too-few-blocks";
inline constexpr const char* short_last_wave = "short-last-wave";
inline constexpr const char* filled = "filled";

// device.count, launch.grid and launch.threads: at least 1.
Waves waves_of(const LaunchShape& launch, const Multiprocessors& device);

}  // namespace assay::model
