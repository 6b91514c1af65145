// SPDX-License-Identifier: MIT
#include "assay/experiment/detail/check_protocol.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/case.hpp"

namespace assay::experiment::detail {
namespace {

// A claim about source, not about one build, needs as many layouts as the smallest useful look has
// trials.
constexpr std::int64_t fewest_layouts = 8;

// Each layout is a program of its own that is linked, read and hashed; and the mean over so many is
// known to a thirtieth of what they differ by.
constexpr std::int64_t most_layouts = 1024;

// More would not end: a trial takes some tens of milliseconds at the least.
constexpr std::int64_t most_trials = 100'000;

double smallest_p(std::int64_t trials) {
  return std::ldexp(2.0, -static_cast<int>(std::min<std::int64_t>(trials, 1000)));
}

}  // namespace

std::string trouble_with_looks(const std::vector<std::int64_t>& looks, double alpha) {
  if (looks.empty()) return "there is no look; expected at least one number of trials";
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (looks[i] < 2) {
      return "a look after " + std::to_string(looks[i]) + " trials; expected at least 2";
    }
    if (looks[i] > most_trials) {
      return "a look after " + std::to_string(looks[i]) + " trials; expected at most " +
             std::to_string(most_trials);
    }
    if (i > 0 && looks[i] <= looks[i - 1]) {
      return std::to_string(looks[i]) + " follows " + std::to_string(looks[i - 1]) +
             "; expected strictly increasing numbers of trials";
    }
  }
  // The exact sign-flip test of J trials gives no p below 2/2^J.
  const double level = alpha / static_cast<double>(looks.size());
  std::int64_t needed = 2;
  while (smallest_p(needed) > level && needed < 1000) ++needed;
  if (looks.front() >= needed) return "";
  return "a look after " + std::to_string(looks.front()) +
         " trials can give no verdict: the exact test gives p >= 2/2^" +
         std::to_string(looks.front()) + " = " + to_text(AxisValue(smallest_p(looks.front()))) +
         ", and alpha / looks is " + to_text(AxisValue(level)) +
         "; expected a first look of at least " + std::to_string(needed);
}

std::string trouble_with_replicates(std::int64_t replicates,
                                    const std::vector<std::int64_t>& looks) {
  if (replicates > most_layouts) {
    return std::to_string(replicates) + " layouts are more than tell anything; expected at most " +
           std::to_string(most_layouts);
  }
  const std::int64_t first_look = looks.empty() ? 0 : looks.front();
  const std::int64_t fewest = std::max(fewest_layouts, first_look);
  if (replicates == 1 || replicates >= fewest) return "";
  return std::to_string(replicates) +
         " layouts are too few, as looks then count layouts; expected 1 (the claim is about this "
         "build) or at least " +
         std::to_string(fewest);
}

}  // namespace assay::experiment::detail
