// SPDX-License-Identifier: MIT
//
// How many trials the noise floor is measured with. Apart from noise.hpp, so that the command line
// can name the limits without all that measuring needs.
#pragma once

#include <cstdint>

namespace assay::doctor {

// About 40 s with the four kernels. A default experiment may go on to 128 trials; its margin is
// then held against what 64 could tell.
inline constexpr std::int64_t kNoiseTrials = 64;
// The first look that the default protocol allows; fewer tell nothing that it would regard.
inline constexpr std::int64_t kLeastNoiseTrials = 8;
inline constexpr std::int64_t kMostNoiseTrials = 1024;

}  // namespace assay::doctor
