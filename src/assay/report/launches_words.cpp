// SPDX-License-Identifier: MIT
#include "assay/report/launches_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/report/kernel_name.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

// Of a library call that launches dozens, the first tell enough; result.json has them all.
constexpr std::size_t kMostOfASubject = 4;
// Names of instantiated templates fill pages.
constexpr std::size_t kMostOfAName = 32;

std::string occupancy_text(const experiment::Launch& launch) {
  if (!launch.occupancy_frac) return kDash;
  std::string text = fmt::format("{:.0f} %", 100 * *launch.occupancy_frac);
  if (launch.occupancy_limited_by) text += ", by " + *launch.occupancy_limited_by;
  return text;
}

std::string resident_text(const model::Waves& waves) {
  if (!waves.resident_blocks) return kDash;
  return fmt::format("{}{}", waves.is_exact ? "" : "at most ", *waves.resident_blocks);
}

std::string waves_text(const model::Waves& waves) {
  if (!waves.waves) return kDash;
  const double count = *waves.waves;
  return (waves.is_exact ? "" : "at least ") +
         (count < 100 ? fmt::format("{:.3g}", count) : fmt::format("{:.0f}", count));
}

std::vector<std::string> row_of(const std::string& cell, const std::string& subject,
                                const judge::LaunchResult& result) {
  const experiment::Launch& launch = result.launch;
  return {cell,
          subject,
          short_kernel_name(launch.kernel, kMostOfAName),
          std::to_string(launch.grid),
          std::to_string(launch.threads),
          occupancy_text(launch),
          resident_text(result.waves),
          waves_text(result.waves),
          filling_text(result.waves)};
}

}  // namespace

std::string filling_text(const model::Waves& waves) {
  if (!waves.word) return kDash;
  if (*waves.word == model::too_few_blocks) return "too few blocks to fill the device";
  if (*waves.word != model::short_last_wave) return *waves.word;
  // Nothing is rounded to an empty wave, which there is none of.
  return fmt::format("the last wave is {:.0f} % full", std::max(1.0, 100 * waves.last_wave_frac()));
}

std::vector<std::vector<std::string>> launches_table(const judge::Result& result,
                                                     const experiment::Plan& plan) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    std::string cell = plan.cells.at(i).id();
    for (const judge::SubjectResult& subject : result.cells[i].subjects) {
      std::string name = subject.subject;
      const std::size_t shown = std::min(subject.launches.size(), kMostOfASubject);
      for (std::size_t k = 0; k < shown; ++k) {
        rows.push_back(row_of(cell, name, subject.launches[k]));
        cell.clear();
        name.clear();
      }
      if (const std::size_t more = subject.launches.size() - shown; more > 0) {
        rows.push_back({"", "", fmt::format("… and {} more", more), "", "", "", "", "", ""});
      }
    }
  }
  if (rows.empty()) return rows;
  rows.insert(rows.begin(), {"cell", "subject", "kernel", "blocks", "threads", "occupancy",
                             "at once", "waves", "filling"});
  return rows;
}

std::string launches_note() {
  return "Kernels as calibration saw them, their names demangled and shortened (result.json has "
         "them as the compiler wrote them). occupancy: theoretical, of a multiprocessor's warps, "
         "and what keeps one more block out; at once: blocks on a multiprocessor; waves: how many "
         "times over the blocks fill the places of all multiprocessors. Occupancy is known of "
         "kernels that Assay compiled; of others the most that their threads allow is taken. It is "
         "a count of places: a device may be busy with few blocks, and idle with many.";
}

}  // namespace assay::report
