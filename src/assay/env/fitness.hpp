// SPDX-License-Identifier: MIT
//
// Whether an environment is one to measure in, as far as its facts alone tell: what was found, why
// it matters, what to do. Pure: the same from a record as on the machine. Nothing is ever done
// about it unasked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"

namespace assay::env {

enum class Fitness {
  fit,
  unknown,      // the system does not tell
  reservation,  // times vary more, or are about less, than they need to
  unfit,        // times would be of something else than the code
};
std::string_view name(Fitness fitness);

struct FitnessCheck {
  std::string slug;  // "clock.governor"
  Fitness fitness = Fitness::unknown;
  std::string found;   // a sentence
  std::string why;     // a sentence
  std::string advice;  // what to do, a command where there is one; empty for what is fit
};

// In a fixed order; every check stands there, those that do not apply to a machine left out.
// environment: what environment_of_this_machine gave, now or as read from a record.
std::vector<FitnessCheck> fitness_of(const Json& environment);

// The worst; unknown is no worse than fit.
Fitness overall(const std::vector<FitnessCheck>& checks);

// "fit", "fit with reservations: clock.governor, load.steal", "unfit: process.traced; also …".
std::string summary(const std::vector<FitnessCheck>& checks);

Json to_json(const FitnessCheck& check);

}  // namespace assay::env
