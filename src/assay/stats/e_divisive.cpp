// SPDX-License-Identifier: MIT
#include "assay/stats/e_divisive.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "assay/base/error.hpp"
#include "assay/stats/detail/sums.hpp"
#include "assay/stats/student.hpp"
#include "assay/stats/summary.hpp"

namespace assay::stats {
namespace {

// Sides that tie within themselves count as if they had this much spread, so that t stays finite.
constexpr double kRoundingOfSeries = 1e-6;

struct Split {
  std::size_t at = 0;
  std::size_t end = 0;
  double energy = 0;
};

// The split of largest energy. With row[j] = Σ_{i<τ} |x_i − x_j| kept up to date as τ grows, every
// (τ, κ) takes constant time.
std::optional<Split> best_split(std::span<const double> x) {
  const std::size_t n = x.size();
  if (n < 2 * kLeastHistorySegment) return std::nullopt;
  std::vector<double> row(n, 0);
  std::vector<double> column(n, 0);  // Σ_{i<j} |x_i − x_j|
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < j; ++i) column[j] += std::abs(x[i] - x[j]);
  }
  Split best;
  double within_left = 0;
  for (std::size_t at = 1; at + kLeastHistorySegment <= n; ++at) {
    within_left += column[at - 1];
    for (std::size_t j = 0; j < n; ++j) row[j] += std::abs(x[at - 1] - x[j]);
    if (at < kLeastHistorySegment) continue;
    const double m = static_cast<double>(at);
    double cross = 0;
    double within_right = 0;
    for (std::size_t end = at + 1; end <= n; ++end) {
      cross += row[end - 1];
      within_right += column[end - 1] - row[end - 1];
      if (end - at < kLeastHistorySegment) continue;
      const double k = static_cast<double>(end - at);
      const double distance =
          2 * cross / (m * k) - 2 * within_left / (m * (m - 1)) - 2 * within_right / (k * (k - 1));
      const double energy = distance * m * k / (m + k);
      if (energy > best.energy) best = {at, end, energy};
    }
  }
  if (best.energy <= 0) return std::nullopt;
  return best;
}

double p_of(std::span<const double> left, std::span<const double> right, double least_sd) {
  const double m = detail::count_of(left);
  const double k = detail::count_of(right);
  const double a = mean(left);
  const double b = mean(right);
  detail::Sum squares;
  for (const double v : left) squares.add((v - a) * (v - a));
  for (const double v : right) squares.add((v - b) * (v - b));
  const double variance = std::max(squares.value() / (m + k - 2), least_sd * least_sd);
  const double t = std::abs(a - b) / std::sqrt(variance * (1 / m + 1 / k));
  return 2 * t_cdf(-t, m + k - 2);
}

void bisect(std::span<const double> values, std::size_t begin, std::size_t end, double most_p,
            double least_sd, std::vector<std::size_t>& found) {
  const auto part = values.subspan(begin, end - begin);
  const auto split = best_split(part);
  if (!split) return;
  const double p =
      p_of(part.first(split->at), part.subspan(split->at, split->end - split->at), least_sd);
  if (p > most_p) return;
  bisect(values, begin, begin + split->at, most_p, least_sd, found);
  found.push_back(begin + split->at);
  bisect(values, begin + split->at, end, most_p, least_sd, found);
}

}  // namespace

std::vector<Nomination> e_divisive(std::span<const double> values, double most_p) {
  ASSAY_EXPECTS(detail::all_finite(values));
  ASSAY_EXPECTS(most_p > 0 && most_p < 1);
  if (values.size() < 2 * kLeastHistorySegment || has_no_spread(values)) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double least_sd = kRoundingOfSeries * (*high - *low);
  std::vector<std::size_t> found;
  bisect(values, 0, values.size(), most_p, least_sd, found);

  // A later split may have taken from an earlier one what carried it: each is asked again, against
  // its neighbours, until all that are left hold.
  for (;;) {
    std::vector<Nomination> result;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::size_t begin = i == 0 ? 0 : found[i - 1];
      const std::size_t end = i + 1 == found.size() ? values.size() : found[i + 1];
      const auto left = values.subspan(begin, found[i] - begin);
      const auto right = values.subspan(found[i], end - found[i]);
      result.push_back({found[i], mean(left), mean(right), p_of(left, right, least_sd)});
    }
    const auto weakest =
        std::max_element(result.begin(), result.end(),
                         [](const Nomination& a, const Nomination& b) { return a.p < b.p; });
    if (weakest == result.end() || weakest->p <= most_p) return result;
    found.erase(found.begin() + (weakest - result.begin()));
  }
}

}  // namespace assay::stats
