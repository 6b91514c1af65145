// SPDX-License-Identifier: MIT
#include "assay/report/limits_words.hpp"

#include <fmt/format.h>

#include "assay/base/counted.hpp"
#include "assay/judge/text.hpp"
#include "assay/model/limits.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

// "copy in L2", "f32 multiply-add", "launch".
std::string limit_text(const model::Limits& limits) {
  if (!limits.nearest) return kDash;
  if (*limits.nearest == "memory") return limits.memory->kernel + " in " + limits.memory->at;
  if (*limits.nearest == "compute") return limits.compute->at + " " + limits.compute->kernel;
  return *limits.nearest;
}

std::string useful_text(const judge::SubjectResult& subject) {
  std::string text;
  const auto add = [&](const std::string& rate) { text += (text.empty() ? "" : ", ") + rate; };
  if (subject.bytes_per_s) add(judge::bytes_rate_text(*subject.bytes_per_s));
  if (subject.flop_per_s) add(judge::flop_rate_text(*subject.flop_per_s));
  const judge::LimitsResult& limits = *subject.limits;
  if (limits.items_per_s) {
    add(fmt::format("{:.4g} {}/s", *limits.items_per_s,
                    limits.item_name.empty() ? "items" : limits.item_name));
  }
  return text.empty() ? kDash : text;
}

std::vector<std::string> row_of(const std::string& cell, const judge::SubjectResult& subject) {
  const judge::LimitsResult& limits = *subject.limits;
  const auto& flop_per_byte = limits.predicted.flop_per_byte;
  return {cell,
          subject.subject,
          time_or_dash(subject.median_ns),
          time_or_dash(limits.predicted.bound_ns),
          limits.share_frac ? judge::percent_text(*limits.share_frac) : kDash,
          limit_text(limits.predicted),
          limits.bound ? *limits.bound : kDash,
          flop_per_byte ? fmt::format("{:.3g}", *flop_per_byte) : kDash,
          useful_text(subject)};
}

}  // namespace

std::vector<std::vector<std::string>> limits_table(const judge::Result& result,
                                                   const experiment::Plan& plan) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    std::string cell = plan.cells.at(i).id();
    for (const judge::SubjectResult& subject : result.cells[i].subjects) {
      if (subject.subject == experiment::control_name || !subject.limits) continue;
      if (!subject.median_ns || !subject.limits->predicted.bound_ns) continue;
      rows.push_back(row_of(cell, subject));
      cell.clear();
    }
  }
  if (rows.empty()) return rows;
  rows.insert(rows.begin(), {"cell", "subject", "time", "at least", "share", "nearest limit",
                             "it is", "flop/byte", "useful work"});
  return rows;
}

std::string limits_note(const experiment::Plan& plan) {
  const bool is_of_device = plan.ceilings && plan.ceilings->are_of_device();
  std::string text = fmt::format(
      "at least: what the declared work takes at the ceilings measured on this {}; "
      "share: of the time. It is bound by its nearest limit where that explains half "
      "of the time or more.",
      is_of_device ? "device" : "machine, for the subject's number of threads");
  if (is_of_device) text += " The ceilings were measured when the plan was made.";
  if (plan.ceilings && plan.ceilings_source) {
    text += fmt::format(" Ceilings of {}, {} old when the plan was made.",
                        plan.ceilings_source->measured_utc,
                        counted(plan.ceilings_source->age_days, "day"));
  }
  return text;
}

}  // namespace assay::report
