// SPDX-License-Identifier: MIT
#include "assay/judge/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "assay/stats/dip.hpp"

namespace assay::judge {
namespace {

struct Unit {
  double size;
  std::string_view name;
};

// A value that four digits would round up to 1000 already belongs to the next unit.
constexpr double kRoundsUp = 0.99995;

Unit unit_of(double time_ns) {
  if (time_ns < 1e3 * kRoundsUp) return {1, "ns"};
  if (time_ns < 1e6 * kRoundsUp) return {1e3, "µs"};
  if (time_ns < 1e9 * kRoundsUp) return {1e6, "ms"};
  return {1e9, "s"};
}

// Fixed notation with so many significant digits, and no more decimals than that asks for.
std::string significant(double value, int digits) {
  if (!(value > 0)) return fmt::format("{:g}", value);
  // Of the rounded value: 0.99996 to four digits is 1.000, not 1.0000.
  const double rounded = value * (1 + 0.5 * std::pow(10.0, -digits));
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(rounded)));
  return fmt::format("{:.{}f}", value, decimals > 0 ? decimals : 0);
}

std::string rate_text(double per_s, std::string_view unit) {
  constexpr Unit kPrefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const Unit& prefix : kPrefixes) {
    if (per_s >= prefix.size) {
      return fmt::format("{} {}{}/s", significant(per_s / prefix.size, 3), prefix.name, unit);
    }
  }
  return fmt::format("{} {}/s", significant(per_s, 3), unit);
}

}  // namespace

std::string time_text(double time_ns) {
  const Unit unit = unit_of(time_ns);
  return fmt::format("{} {}", significant(time_ns / unit.size, 4), unit.name);
}

std::string time_range_text(double low_ns, double high_ns) {
  const Unit unit = unit_of(high_ns);
  return fmt::format("{} to {} {}", significant(low_ns / unit.size, 4),
                     significant(high_ns / unit.size, 4), unit.name);
}

std::string ratio_text(double ratio) {
  if (ratio >= 0.1 && ratio < 10) return fmt::format("{:.3f}", ratio);
  return significant(ratio, 3);
}

std::string percent_text(double fraction) {
  std::string digits = fmt::format("{:.2f}", 100 * fraction);
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits + " %";
}

std::string bytes_rate_text(double bytes_per_s) { return rate_text(bytes_per_s, "B"); }
std::string flop_rate_text(double flop_per_s) { return rate_text(flop_per_s, "FLOP"); }

std::string modes_place_text(const ModalityResult& modality) {
  if (modality.seen == "within-trials") return "within trials";
  if (modality.seen == "between-trials") return "only between trials";
  return "within trials and between them";
}

std::string dip_p_text(double p) {
  return p <= stats::kLeastDipP ? fmt::format("p at most {:g}", stats::kLeastDipP)
                                : fmt::format("p = {:.2g}", p);
}

std::string modes_text(const ModalityResult& modality) {
  const Reading<double>& p =
      modality.seen == "between-trials" ? modality.p_between : modality.p_within;
  const std::string test = p ? fmt::format(" (dip test, {})", dip_p_text(*p)) : "";
  const std::string place = modes_place_text(modality);
  if (modality.modes.size() < 2) {
    return fmt::format("several modes {}{}, too close together to be placed", place, test);
  }
  std::string list;
  for (const ModeResult& mode : modality.modes) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", time_text(mode.location_ns),
                        percent_text(mode.share_frac));
  }
  return fmt::format("{} modes {}{}: {}", modality.modes.size(), place, test, list);
}

std::string estimand_text(const std::string& estimand) {
  return estimand == "mean" ? "ratio of means" : "median of ratios";
}

}  // namespace assay::judge
