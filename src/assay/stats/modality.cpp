// SPDX-License-Identifier: MIT
#include "assay/stats/modality.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "assay/base/error.hpp"
#include "assay/base/random.hpp"
#include "assay/stats/detail/sorting.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/dip.hpp"
#include "assay/stats/student.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

using Trials = std::vector<std::vector<double>>;

// One of each stretch, drawn: every n-th could fall in step with something periodic.
Trials thinned(std::span<const std::span<const double>> trials, std::uint64_t seed) {
  std::size_t total = 0;
  for (const auto& trial : trials) total += trial.size();
  Trials result;
  if (total <= kMostSamplesForModes) {  // every stretch is one sample
    for (const auto& trial : trials) {
      if (!trial.empty()) result.emplace_back(trial.begin(), trial.end());
    }
    return result;
  }
  Random random(seed);
  std::size_t before = 0;  // samples of earlier trials
  std::size_t stretch = 0;
  std::size_t wanted = 0;
  const std::size_t stretches = kMostSamplesForModes;
  const auto begin_of = [&](std::size_t number) { return number * total / stretches; };
  const auto draw = [&] {
    if (stretch == stretches) return total;
    const std::size_t length = begin_of(stretch + 1) - begin_of(stretch);
    return begin_of(stretch) + (length == 1 ? 0 : random.next_below(length));
  };
  wanted = draw();
  for (const auto& trial : trials) {
    std::vector<double> kept;
    for (; wanted < before + trial.size(); wanted = draw()) {
      kept.push_back(trial[wanted - before]);
      ++stretch;
    }
    before += trial.size();
    if (!kept.empty()) result.push_back(std::move(kept));
  }
  return result;
}

// The logarithm of a trimmed mean; sorts the values. At least two, above 0.
double log_centre(std::vector<double>& values) {
  detail::sort(values);
  const double share = values.size() < 10 ? 0.25 : 0.1;
  const auto cut = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  const double sum = std::accumulate(values.begin() + cut, values.end() - cut, 0.0);
  return std::log(sum / static_cast<double>(static_cast<std::ptrdiff_t>(values.size()) - 2 * cut));
}

// The share of what distinguishes the trials' centres that repeats: covariance of the halves over
// variance of the whole, in [0, 1].
double reliability(const Trials& trials, const std::vector<double>& log_centres) {
  if (trials.size() < 2) return 0;
  std::vector<double> first;
  std::vector<double> second;
  std::vector<double> half;
  const auto centre_of_every_other = [&](const std::vector<double>& trial, std::size_t from) {
    half.clear();
    for (std::size_t k = from; k < trial.size(); k += 2) half.push_back(trial[k]);
    return log_centre(half);
  };
  for (const auto& trial : trials) {
    first.push_back(centre_of_every_other(trial, 0));
    second.push_back(centre_of_every_other(trial, 1));
  }
  const double first_mean = mean(first);
  const double second_mean = mean(second);
  const double whole_mean = mean(log_centres);
  detail::Sum common;
  detail::Sum whole;
  for (std::size_t j = 0; j < trials.size(); ++j) {
    common.add((first[j] - first_mean) * (second[j] - second_mean));
    whole.add((log_centres[j] - whole_mean) * (log_centres[j] - whole_mean));
  }
  return whole.value() > 0 ? std::clamp(common.value() / whole.value(), 0.0, 1.0) : 0;
}

// Samples as they would be in a typical trial. All trials of kLeastSamplesWithin or more.
std::vector<double> without_trials(const Trials& trials) {
  std::vector<double> log_centres;
  std::vector<double> sorted;
  for (const auto& trial : trials) {
    sorted = trial;
    log_centres.push_back(log_centre(sorted));
  }
  const double share = reliability(trials, log_centres);
  const double typical = mean(log_centres);
  std::vector<double> values;
  values.reserve(trials.size() * trials.front().size());
  for (std::size_t j = 0; j < trials.size(); ++j) {
    const double factor = std::exp(share * (typical - log_centres[j]));
    for (const double value : trials[j]) values.push_back(value * factor);
  }
  return values;
}

std::vector<Mode> placed(ModeFinder& find_modes, const std::vector<double>& sorted) {
  std::vector<Mode> modes = find_modes(sorted);
  for (const double sensitivity : {0.6, 0.7, 0.8, 0.9}) {
    if (modes.size() > 1) break;
    modes = find_modes(sorted, sensitivity);
  }
  return modes;
}

std::vector<double> pooled(const Trials& trials) {
  std::vector<double> values;
  for (const auto& trial : trials) values.insert(values.end(), trial.begin(), trial.end());
  return values;
}

Reading<double> p_of(const std::vector<double>& sorted) {
  if (sorted.size() < kLeastDipCount) {
    return Missing{"too-few-values", "the dip test needs at least 4 values"};
  }
  if (has_no_spread(sorted)) return Missing{"no-spread", "all values tie"};
  return dip_p_value(dip(sorted), sorted.size());
}

bool is_flag(const Reading<double>& p) { return p && *p < kModalityAlpha; }

std::size_t shortest_of(const Trials& trials) {
  std::size_t shortest = trials.front().size();
  for (const auto& trial : trials) shortest = std::min(shortest, trial.size());
  return shortest;
}

}  // namespace

std::vector<double> dequantised(std::span<const double> values, double step, std::uint64_t seed) {
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(std::isfinite(step) && step >= 0);
  Random random(seed);
  std::vector<double> moved(values.begin(), values.end());
  if (step == 0) return moved;
  for (double& value : moved) value += step * (random.next_uniform() - 0.5);
  return moved;
}

Reading<double> smallest_gap(std::span<const double> values) {
  ASSAY_EXPECTS(!values.empty());
  ASSAY_EXPECTS(detail::all_finite(values));
  if (has_no_spread(values)) return Missing{"no-spread", "all values tie"};
  const std::vector<double> sorted = detail::sorted(values);
  // What rounding leaves of a tie is no gap.
  const double tie =
      kNoRelativeSpread * std::max(std::abs(sorted.front()), std::abs(sorted.back()));
  double smallest = sorted.back() - sorted.front();
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    if (gap > tie) smallest = std::min(smallest, gap);
  }
  return smallest;
}

std::string_view to_string(ModesSeen seen) {
  switch (seen) {
    case ModesSeen::none:
      return "none";
    case ModesSeen::within_trials:
      return "within-trials";
    case ModesSeen::between_trials:
      return "between-trials";
    case ModesSeen::within_and_between:
      return "within-and-between";
    case ModesSeen::insufficient:
      return "insufficient";
  }
  return "";
}

Reading<Modality> modality(std::span<const std::span<const double>> trials,
                           const Reading<double>& step, std::uint64_t seed,
                           ModeFinder& find_modes) {
  for (const auto& trial : trials) {
    ASSAY_EXPECTS(detail::all_finite(trial));
    ASSAY_EXPECTS(std::all_of(trial.begin(), trial.end(), [](double v) { return v > 0; }));
  }
  Trials samples = thinned(trials, derive_key(seed, {"thinned"}));
  const std::vector<double> as_timed = pooled(samples);
  if (as_timed.size() < kLeastDipCount) {
    return Missing{"too-few-values",
                   "modes cannot be looked for in fewer than 4 samples; there are " +
                       std::to_string(as_timed.size())};
  }
  if (has_no_spread(as_timed)) return Missing{"no-spread", "all samples tie"};
  const double known_step = step ? *step : *smallest_gap(as_timed);
  ASSAY_EXPECTS(std::isfinite(known_step) && known_step >= 0);
  if (known_step >= *std::min_element(as_timed.begin(), as_timed.end())) {
    return Missing{"too-coarse", "the step between samples is as long as the shortest of them"};
  }

  std::vector<double> medians;
  for (const auto& trial : samples) medians.push_back(median(trial));
  medians = dequantised(medians, known_step, derive_key(seed, {"medians"}));
  detail::sort(medians);

  std::vector<double> all = dequantised(as_timed, known_step, derive_key(seed, {"samples"}));
  auto next = all.begin();
  for (auto& trial : samples) {
    std::copy_n(next, trial.size(), trial.begin());
    next += static_cast<std::ptrdiff_t>(trial.size());
  }

  Modality result;
  std::vector<double> in_typical_trial;
  if (shortest_of(samples) < kLeastSamplesWithin) {
    result.p_within = Missing{"too-few-a-trial", "modes within trials need 4 samples in each"};
  } else {
    in_typical_trial = without_trials(samples);
    detail::sort(in_typical_trial);
    result.p_within = p_of(in_typical_trial);
  }
  if (medians.size() < kLeastTrialsForModes) {
    result.p_between = Missing{"insufficient",
                               "modes between trials need " + std::to_string(kLeastTrialsForModes) +
                                   " trials; there " + (medians.size() == 1 ? "is " : "are ") +
                                   std::to_string(medians.size())};
  } else {
    result.p_between = p_of(medians);
  }
  const bool within = is_flag(result.p_within);
  const bool between = is_flag(result.p_between);
  const bool few = medians.size() < kLeastTrialsForModes;
  if (few || (within && between)) detail::sort(all);
  if (few) result.p_pooled = p_of(all);

  if (within && between) {
    result.seen = ModesSeen::within_and_between;
    result.modes = placed(find_modes, all);
  } else if (within) {
    result.seen = ModesSeen::within_trials;
    result.modes = placed(find_modes, in_typical_trial);
  } else if (between) {
    result.seen = ModesSeen::between_trials;
    result.modes = placed(find_modes, medians);
  } else if (few && is_flag(result.p_pooled)) {
    result.seen = ModesSeen::insufficient;
  }
  return result;
}

}  // namespace assay::stats
