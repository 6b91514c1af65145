// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "assay/base/counted.hpp"
#include "assay/judge/text.hpp"
#include "assay/report/html_sections.hpp"
#include "assay/report/markup.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

std::string with_interval(const Reading<double>& ratio, const Reading<judge::Range>& interval) {
  if (!ratio) return kDash;
  const std::string text = judge::ratio_text(*ratio);
  if (!interval) return text;
  return fmt::format("{} ({} to {})", text, judge::ratio_text(interval->low),
                     judge::ratio_text(interval->high));
}

// What a trial's slug says.
std::string reason_text(const std::string& slug) {
  if (slug == "not-reached") return "the trial ended before its end was measured";
  if (slug == "commands") {
    return "the subjects are commands, and the kernels are a part of programs that are linked with "
           "Assay";
  }
  if (slug == "cold-start") return "nothing runs before the first call of a process";
  if (slug == "refused") return "the worker does not have them";
  if (slug == "not-asked") return "they were not asked for any more";
  return slug;
}

}  // namespace

std::string canaries_section(const judge::Result& result) {
  const judge::Canaries& canaries = result.canaries;
  if (canaries.kernels.empty() && canaries.missing.empty()) return "";
  std::string text = "<section>\n<h2>The machine meanwhile</h2>\n";
  if (!canaries.kernels.empty()) {
    TableMarkup table("Fixed kernels, run at the start and the end of each trial",
                      {"kernel", "core", "trials", "time", "least to greatest trial",
                       "SD between trials of a core", "end ÷ start of a trial",
                       "second half ÷ first half of the run", "trials apart"});
    for (const judge::CanaryResult& c : canaries.kernels) {
      const std::string boundary =
          canaries.are_of_several_boundaries() ? " (" + c.boundary + ")" : "";
      table.row({escaped(c.kernel + boundary), c.cores.size() == 1 ? "" : "all",
                 std::to_string(c.trials), judge::time_text(c.time_ns),
                 judge::time_range_text(c.range_ns.low, c.range_ns.high),
                 c.between_trials_sd ? judge::percent_text(*c.between_trials_sd) : kDash,
                 with_interval(c.end_to_start, c.end_to_start_interval),
                 with_interval(c.late_to_early, c.late_to_early_interval),
                 std::to_string(c.trials_apart)});
      for (const judge::CanaryCore& core : c.cores) {
        table.row({"", core.core ? std::to_string(*core.core) : "not pinned",
                   std::to_string(core.trials), judge::time_text(core.time_ns),
                   judge::time_range_text(core.range_ns.low, core.range_ns.high), "", "", "", ""});
      }
    }
    text += table.markup();
    text += element("p",
                    "They describe the trials and change no verdict. Intervals are at 99 %; only "
                    "what was measured on the same core is compared.");
  }
  for (const auto& gap : canaries.missing) {
    const bool has_none = gap.reason == "commands";
    text += element("p", fmt::format("{} in {}: {}.", has_none ? "No fixed kernels" : "Incomplete",
                                     counted(gap.trials, "trial"), reason_text(gap.reason)));
  }
  return text + "</section>\n";
}

}  // namespace assay::report
