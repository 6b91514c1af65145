// SPDX-License-Identifier: MIT
#include "assay/model/waves.hpp"

#include <algorithm>
#include <cmath>

namespace assay::model {
namespace {

// At most so many blocks on one multiprocessor, by what every kernel needs.
Reading<std::int64_t> most_resident(std::int64_t warps_of_block, const Multiprocessors& device) {
  if (!device.threads) return device.threads.missing();
  if (!device.blocks) return device.blocks.missing();
  return std::min(*device.blocks, *device.threads / device.warp_threads / warps_of_block);
}

}  // namespace

double Waves::last_wave_frac() const {
  if (!waves) return 1;
  const double rest = *waves - std::floor(*waves);
  return rest > 0 ? rest : 1;
}

Waves waves_of(const LaunchShape& launch, const Multiprocessors& device) {
  ASSAY_EXPECTS(device.count >= 1 && launch.grid >= 1 && launch.threads >= 1);
  const std::int64_t warps_of_block =
      (launch.threads + device.warp_threads - 1) / device.warp_threads;
  Waves result;
  result.resident_blocks = most_resident(warps_of_block, device);
  const bool has_share =
      launch.occupancy_frac && *launch.occupancy_frac >= 0 && *launch.occupancy_frac <= 1;
  if (has_share && device.threads) {
    const double warps =
        *launch.occupancy_frac * static_cast<double>(*device.threads / device.warp_threads);
    result.resident_blocks = std::llround(warps / static_cast<double>(warps_of_block));
    result.is_exact = true;
  }
  if (result.resident_blocks && *result.resident_blocks < 1) {
    result.resident_blocks = Missing{"does-not-fit", "no block of it fits on a multiprocessor"};
    result.is_exact = false;
  }
  if (result.resident_blocks) {
    result.waves = static_cast<double>(launch.grid) /
                   static_cast<double>(*result.resident_blocks * device.count);
  } else {
    result.waves = result.resident_blocks.missing();
  }
  // Whatever fits on one: where there are fewer blocks than multiprocessors, some get none.
  if (launch.grid < device.count || (result.is_exact && *result.waves < 1)) {
    result.word = std::string(too_few_blocks);
  } else if (!result.is_exact) {
    result.word =
        Missing{"occupancy-unknown", "how many blocks fit on a multiprocessor is not known"};
  } else {
    const double empty_frac = 1 - *result.waves / std::ceil(*result.waves);
    result.word = std::string(empty_frac > kEmptyPlacesFrac ? short_last_wave : filled);
  }
  return result;
}

}  // namespace assay::model
