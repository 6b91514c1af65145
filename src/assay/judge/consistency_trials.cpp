// SPDX-License-Identifier: MIT
//
// trials.csv: each process once, as the plan, the machine and the samples allow it, within the run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "assay/judge/consistency_parts.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/seals.hpp"

namespace assay::judge::detail {
namespace {

using record::Trial;
namespace outcome = record::outcome;
namespace failure = experiment::failure;

constexpr std::array known_outcomes = {outcome::completed, outcome::interrupted,
                                       outcome::budget_spent, outcome::parent_lost};
// Those after which a process is gone: a row with one of them has its failure in checks.json.
constexpr std::array known_failures = {
    failure::missing_program, failure::not_started,   failure::not_a_program,
    failure::crashed,         failure::exited,        failure::timed_out,
    failure::device_lost,     failure::protocol,      failure::wrong_output,
    failure::subject_error,   failure::too_short,     failure::implausible_time,
    failure::input_changed,   failure::out_of_bounds, failure::code_refused};
constexpr std::array known_canaries = {record::canary::not_asked,     record::canary::of_commands,
                                       record::canary::of_cold_start, record::canary::refused,
                                       record::canary::implausible,   record::canary::not_reached};

template <typename Known>
bool is_among(const std::string& word, const Known& known) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

// "2026-11-29T21:44:05+00:00"
bool is_utc(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd+00:00";
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (form[i] == 'd' ? !is_digit : text[i] != form[i]) return false;
  }
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + text[at + 1] - '0'; };
  return number(5) >= 1 && number(5) <= 12 && number(8) >= 1 && number(8) <= 31 &&
         number(11) < 24 && number(14) < 60 && number(17) <= 60;
}

// What a row is held against.
struct Frame {
  explicit Frame(const record::Record& of) : record(&of), cores(fact_of(of, "cpu", "online_cpus")) {
    for (const auto& build : of.evidence.plan.builds) builds.insert(build.name);
    for (const auto& cell : of.evidence.plan.cells) boundary_of[cell.id()] = cell.boundary;
    for (const record::Sample& row : of.evidence.samples.rows) {
      if (row.phase == record::Phase::canary) {
        canaries[{row.trial, row.process}].insert(row.block);
      }
    }
    if (!of.is_sealed) return;
    for (const record::Seal& seal : record::read_seals(of.path / "data")) {
      if (seal.file == "calibration.json") calibrated_utc = seal.sealed_utc;
    }
    ended_day = record::bag_info(of.path, "Bagging-Date").value_or("");
  }

  const record::Record* record;
  Reading<std::int64_t> cores;
  std::set<std::string> builds;
  std::map<std::string, std::string> boundary_of;                                     // by cell
  std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::uint32_t>> canaries;  // blocks
  std::string calibrated_utc;
  std::string ended_day;
};

void check_plan(const Frame& frame, const Trial& row, const std::string& who, Differences& found) {
  const experiment::Plan& plan = frame.record->evidence.plan;
  if (!frame.builds.contains(row.build)) {
    found.add("build", who + " is of the build '" + row.build + "', which the plan does not have");
  }
  const auto& boundaries = plan.protocol.boundaries;
  if (!is_among(row.boundary, boundaries)) {
    found.add("boundary",
              who + " has the boundary '" + row.boundary + "', which the plan does not have");
  }
  const std::int64_t layouts = plan.layout_replicates;
  if (layouts > 1 ? row.layout < 1 || row.layout > layouts : row.layout != 0) {
    found.add("layout", fmt::format("{} has layout {}; the plan has {}", who, row.layout,
                                    layouts > 1 ? fmt::format("1 to {}", layouts) : "0 alone"));
  }
  for (std::size_t at = 0; at < row.not_steady.size();) {
    const auto end = std::min(row.not_steady.find(';', at), row.not_steady.size());
    const std::string cell = row.not_steady.substr(at, end - at);
    at = end + 1;
    const auto place = frame.boundary_of.find(cell);
    if (place == frame.boundary_of.end() || place->second != row.boundary) {
      found.add("not-steady", who + " names '" + cell + "', which is none of its cells");
    }
  }
}

void check_time(const Frame& frame, const Trial& row, const std::string& who, Differences& found) {
  if (row.start_ns > row.end_ns) {
    found.add("order", fmt::format("{} ends at {} ns, before it begins at {} ns", who, row.end_ns,
                                   row.start_ns));
  }
  if (row.outcome == outcome::parent_lost && row.started_utc.empty()) return;
  if (!is_utc(row.started_utc)) {
    found.add("time", who + " was started at '" + row.started_utc +
                          "', which is no time of the form 2026-11-29T21:44:05+00:00");
    return;
  }
  // UTC texts of one form order as the times do.
  const std::string& planned = frame.record->sealed_utc;
  if (!planned.empty() && row.started_utc < planned) {
    found.add("before", fmt::format("{} had begun at {}, before the plan was sealed at {} "
                                    "(plan.sha256)",
                                    who, row.started_utc, planned));
  } else if (row.trial > 0 && row.started_utc < frame.calibrated_utc) {
    found.add("before", fmt::format("{} had begun at {}, before the calibration was sealed at {} "
                                    "(plan.sha256)",
                                    who, row.started_utc, frame.calibrated_utc));
  }
  if (!frame.ended_day.empty() && row.started_utc.substr(0, 10) > frame.ended_day) {
    found.add("after", fmt::format("{} had begun at {}, after the record was sealed on {} "
                                   "(bag-info.txt)",
                                   who, row.started_utc, frame.ended_day));
  }
}

void check_cores(const Frame& frame, const Trial& row, const std::string& who, Differences& found) {
  if (!row.cores_allowed) return;
  if (*row.cores_allowed < 1) {
    found.add("cores", who + " was allowed no core");
  } else if (frame.cores && *row.cores_allowed > *frame.cores) {
    found.add("cores", fmt::format("{} was allowed {} cores; environment.json has {} online", who,
                                   *row.cores_allowed, *frame.cores));
  }
}

void check_outcome(const Frame& frame, const Trial& row, const std::string& who,
                   Differences& found) {
  if (is_among(row.outcome, known_outcomes)) return;
  if (!is_among(row.outcome, known_failures)) {
    found.add("outcome", who + " has the outcome '" + row.outcome + "', which there is none of");
    return;
  }
  const auto& failures = frame.record->evidence.checks.failures;
  const bool is_told = std::any_of(failures.begin(), failures.end(), [&](const auto& each) {
    return each.kind == row.outcome && each.trial == row.trial;
  });
  if (!is_told) {
    found.add("failure", who + " ended as '" + row.outcome +
                             "', and checks.json has no such failure in that trial");
  }
}

void check_canaries(const Frame& frame, const Trial& row, const std::string& who,
                    Differences& found) {
  const auto seen = frame.canaries.find({row.trial, row.process});
  const std::size_t runs = seen == frame.canaries.end() ? 0 : seen->second.size();
  const std::string& reason = row.canary_missing;
  if (reason.empty()) {
    if (runs < 2) {
      found.add("canaries", who + " has both runs of its canaries, and samples.csv does not");
    }
  } else if (!is_among(reason, known_canaries)) {
    found.add("canary-reason",
              who + " lacks canaries for the reason '" + reason + "', which there is none of");
  } else if (reason != record::canary::implausible && runs == 2) {
    found.add("canaries",
              who + " lacks canaries ('" + reason + "'), and samples.csv has both runs of them");
  }
}

}  // namespace

void check_trials(const record::Record& record, std::vector<std::string>& differences) {
  const Frame frame(record);
  Differences found("trials.csv");
  std::set<std::int64_t> numbers;
  for (const Trial& row : record.evidence.trials) {
    const std::string who = process_text(row.trial, row.process);
    if (!numbers.insert(row.process).second) {
      found.add("doubled", fmt::format("process {} has more than one row", row.process));
    }
    check_plan(frame, row, who, found);
    check_time(frame, row, who, found);
    check_cores(frame, row, who, found);
    check_outcome(frame, row, who, found);
    check_canaries(frame, row, who, found);
  }
  found.write(differences);
}

}  // namespace assay::judge::detail
