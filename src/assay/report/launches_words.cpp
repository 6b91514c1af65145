// SPDX-License-Identifier: MIT
#include "assay/report/launches_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assay/base/counted.hpp"
#include "assay/report/kernel_name.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

// Of a library call that launches dozens, the first tell enough; result.json has them all.
constexpr std::size_t kMostOfASubject = 4;
// Names of instantiated templates fill pages.
constexpr std::size_t kMostOfAName = 32;
constexpr std::size_t kMostOfANameInASentence = 80;

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

// "tiled spills registers to memory in sum: a thread stores 24 bytes and loads 28, …". Empty: it
// does not, or that is not known.
std::string spill_of(const std::string& subject, const experiment::Launch& launch) {
  const std::int64_t stores = launch.spill_store_bytes ? *launch.spill_store_bytes : 0;
  const std::int64_t loads = launch.spill_load_bytes ? *launch.spill_load_bytes : 0;
  if (stores == 0 && loads == 0) return "";
  return fmt::format(
      "{} spills registers to memory in {}: the code of a thread stores {} bytes of them and loads "
      "{}, {}; that traffic goes through the caches, and in part to the device's memory",
      subject, short_kernel_name(launch.kernel, kMostOfANameInASentence), stores, loads,
      launch.stack_bytes ? fmt::format("on a stack of {} bytes", *launch.stack_bytes)
                         : "on a stack of unknown size");
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

std::vector<std::string> spill_sentences(const judge::Result& result) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> cells_of;
  bool is_any_known = false;
  bool is_any_unknown = false;  // of those that Assay compiled
  for (const judge::CellResult& cell : result.cells) {
    for (const judge::SubjectResult& subject : cell.subjects) {
      for (const judge::LaunchResult& each : subject.launches) {
        const Reading<std::int64_t>& stores = each.launch.spill_store_bytes;
        is_any_known = is_any_known || stores;
        is_any_unknown = is_any_unknown || (!stores && stores.missing().reason != "not-asked");
        const std::string what = spill_of(subject.subject, each.launch);
        if (what.empty()) continue;
        auto& cells = cells_of[what];
        if (cells.empty()) order.push_back(what);
        if (cells.empty() || cells.back() != cell.cell) cells.push_back(cell.cell);
      }
    }
  }
  std::vector<std::string> sentences;
  for (const std::string& what : order) {
    const auto& cells = cells_of[what];
    sentences.push_back(
        what + " (" + cells.front() +
        (cells.size() > 1 ? " and " + counted(cells.size() - 1, "cell") + " more" : "") + ").");
  }
  if (sentences.empty() && is_any_known && !is_any_unknown) {
    sentences.emplace_back("No kernel that Assay compiled spills registers to memory.");
  }
  return sentences;
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
