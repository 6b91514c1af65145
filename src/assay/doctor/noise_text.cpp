// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/doctor/noise.hpp"
#include "assay/judge/text.hpp"

namespace assay::doctor {
namespace {

// Two digits that mean something: floors lie between 0.01 % and several percent.
std::string percent(double fraction) {
  if (!(fraction > 0)) return "0 %";
  const double value = 100 * fraction;
  const int decimals =
      std::clamp(1 - static_cast<int>(std::floor(std::log10(value * 1.005))), 0, 6);
  return fmt::format("{:.{}f} %", value, decimals);
}

std::size_t widest_cell(const NoiseOfRecord& noise) {
  std::size_t width = 6;
  for (const KernelOfRecord& kernel : noise.kernels) {
    width = std::max(width, kernel.noise.cell.size());
  }
  return width;
}

std::string row(const KernelOfRecord& kernel, std::size_t width) {
  std::string within = fmt::format("  {:<{}}  {:>9}  {:>7}  equivalent at", kernel.noise.cell,
                                   width, judge::time_text(kernel.noise.call_ns),
                                   percent(std::expm1(kernel.noise.sd_log_ratio)));
  std::string told = fmt::format("  {:<{}}  {:>9}  {:>7}  told apart at", "", width, "", "");
  for (const KernelOfRecord::At& at : kernel.at) {
    within += fmt::format("  {:>8}", percent(at.equivalence_margin));
    told += fmt::format("  {:>8}", percent(at.resolvable));
  }
  return within + "\n" + told + "\n";
}

std::string table(const NoiseReport& report) {
  const std::size_t width = widest_cell(report.noise);
  std::string head =
      fmt::format("  {:<{}}  {:>9}  {:>7}  {:>13}", "kernel", width, "time", "SD of D", "trials:");
  for (const KernelOfRecord::At& at : report.noise.kernels.front().at) {
    head += fmt::format("  {:>8}", at.trials);
  }
  std::string text = head + "\n";
  for (const KernelOfRecord& kernel : report.noise.kernels) text += row(kernel, width);
  return text;
}

std::string explanation(std::int64_t trials) {
  return fmt::format(
      "\n  D: log of the ratio of A's time under two names, one value a trial; measured over {} "
      "trials.\n"
      "  equivalent at: the margin at which A is called equivalent to A after so many trials.\n"
      "  told apart at: the true difference that is called, at margin 0, in 80 of 100 "
      "experiments.\n"
      "  Other numbers of trials than {}: expected from the same mean and SD.\n",
      trials, trials);
}

std::vector<std::string> reservations(const NoiseReport& report) {
  std::vector<std::string> sentences;
  for (const KernelOfRecord& kernel : report.noise.kernels) {
    if (!kernel.reservation.empty()) sentences.push_back(kernel.reservation);
  }
  for (const std::string& sentence : report.noise.not_measured) {
    sentences.push_back("not measured: " + sentence);
  }
  return sentences;
}

}  // namespace

std::string noise_text(const NoiseReport& report) {
  if (!report.floor) {
    return "Interrupted: the noise floor was not measured, and what was known before stays.\n";
  }
  const env::NoiseFloor& floor = *report.floor;
  std::string text = fmt::format("A against A on {}, device {}\n", floor.hostname, floor.device) +
                     table(report) + explanation(floor.trials);
  text += fmt::format("\nThis machine can tell {} in {} trials. Its noise floor is {}{}\n",
                      percent(floor.resolvable), floor.trials, percent(floor.floor),
                      report.why_not_stored.empty() ? ": no smaller margin will be in force."
                                                    : " by the kernels of this run.");
  const auto sentences = reservations(report);
  if (!sentences.empty()) {
    text += "\nFit with reservations:\n";
    for (const std::string& sentence : sentences) text += "  " + sentence + "\n";
  }
  text += fmt::format("\nRecord:  {}\nStored:  {}\n", floor.record,
                      report.why_not_stored.empty() ? report.file.string() : report.why_not_stored);
  return text;
}

Json to_json(const NoiseReport& report) {
  Json json{{"format", "assay-doctor-noise/1"},
            {"record", report.outcome.record.string()},
            {"file", report.file.string()},
            {"why_not_stored", report.why_not_stored},
            {"fit", report.floor.has_value() && report.is_fit()},
            {"reservations", reservations(report)},
            {"noise_floor", report.floor ? env::to_json(*report.floor) : Json()}};
  Json expected = Json::array();
  for (const KernelOfRecord& kernel : report.noise.kernels) {
    for (const KernelOfRecord::At& at : kernel.at) {
      expected.push_back({{"cell", kernel.noise.cell},
                          {"trials", at.trials},
                          {"equivalence_margin_frac", at.equivalence_margin},
                          {"resolvable_frac", at.resolvable}});
    }
  }
  json["expected"] = std::move(expected);
  return json;
}

}  // namespace assay::doctor
