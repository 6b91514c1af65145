// SPDX-License-Identifier: MIT
#include "assay/judge/validity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace assay::judge {
namespace {

using experiment::CheckResult;
using experiment::Failure;

bool is_of_worker(const std::string& kind) {
  static const std::set<std::string> kinds{
      experiment::failure::missing_program, experiment::failure::not_started,
      experiment::failure::not_a_program,   experiment::failure::crashed,
      experiment::failure::exited,          experiment::failure::timed_out,
      experiment::failure::protocol,        experiment::failure::implausible_time,
      experiment::failure::device_lost,     experiment::failure::code_refused};
  return kinds.count(kind) > 0;
}

bool counts_for(const CheckResult& check, const experiment::Cell& cell) {
  if (check.problem != cell.problem) return false;
  if (check.kind == "adversarial") return true;
  return check.case_id == cell.the_case.id();
}

// The slug of the failure that kept a check from being made; empty if it was made.
std::string failure_of(const CheckResult& check) {
  if (!check.detail.is_object() || !check.detail.contains("failure")) return "";
  const Json& slug = check.detail["failure"];
  return slug.is_string() ? slug.get<std::string>() : "";
}

std::string sentence_of(const CheckResult& check) {
  if (is_of_worker(failure_of(check))) {
    return fmt::format("{} in the check {}: {}", failure_of(check),
                       check.kind == "adversarial" ? "on adversarial inputs"
                       : check.kind == "timed"     ? "of a timed output"
                                                   : "before timing",
                       check.reason);
  }
  const std::string what =
      check.kind == "adversarial"
          ? fmt::format("wrong output on the adversarial input {}", check.content)
          : fmt::format("wrong output, check {}",
                        check.kind == "timed" ? "of a timed output" : "before timing");
  return check.reason.empty() ? what : fmt::format("{}: {}", what, check.reason);
}

}  // namespace

bool names_subject(const std::string& name, const experiment::SubjectId& subject) {
  return name == subject.name || name == subject.text();
}

std::vector<std::vector<Validity>> validity_of(const experiment::Plan& plan,
                                               const record::Checks& checks) {
  std::vector<const CheckResult*> failed;
  for (const CheckResult& check : checks.results) {
    if (check.kind != "gate-power" && check.applicable && !check.passed) failed.push_back(&check);
  }
  std::vector<std::vector<Validity>> result;
  for (const experiment::Cell& cell : plan.cells) {
    std::vector<Validity> of_cell(cell.subjects.size());
    for (std::size_t i = 0; i < cell.subjects.size(); ++i) {
      const experiment::SubjectId& subject = cell.subjects[i];
      // The control runs the baseline's code.
      const auto is_named = [&](const std::string& name) {
        return names_subject(name, subject) || (i == 0 && name == experiment::control_name);
      };
      for (const CheckResult* check : failed) {
        if (counts_for(*check, cell) && is_named(check->subject)) {
          of_cell[i] = {.why_invalid = sentence_of(*check),
                        .by_worker = is_of_worker(failure_of(*check))};
          break;
        }
      }
      if (!of_cell[i].why_invalid.empty()) continue;
      for (const Failure& failure : checks.failures) {
        if (failure.subject.empty() || failure.kind == experiment::failure::too_short) continue;
        if (!is_named(failure.subject)) continue;
        if (!failure.build.empty() && failure.build != subject.build) continue;
        if (!failure.cell.empty() && failure.cell != cell.id()) continue;
        of_cell[i] = {.why_invalid = fmt::format("{}: {}", failure.kind, failure.message),
                      .by_worker = is_of_worker(failure.kind)};
        break;
      }
    }
    result.push_back(std::move(of_cell));
  }
  return result;
}

bool was_overcome(const experiment::Failure& failure, const std::vector<record::Trial>& trials) {
  if (!failure.cell.empty() || !failure.subject.empty()) return false;
  // Neither has a part in what is measured.
  if (failure.stage == "canary" || failure.stage == "end") return true;
  // A worker that cannot be started ends the run, so whatever was measured later says that it was.
  return std::any_of(trials.begin(), trials.end(), [&](const record::Trial& row) {
    return row.trial > failure.trial ||
           (row.trial == failure.trial &&
            (row.outcome == "completed" || row.outcome == "budget-spent"));
  });
}

std::vector<std::string> lost_cells(const experiment::Plan& plan, const record::Checks& checks) {
  std::map<std::string, std::string> by_cell;
  for (const Failure& failure : checks.failures) {
    if (failure.cell.empty() || !failure.subject.empty()) continue;
    if (failure.kind == experiment::failure::too_short) continue;
    by_cell.emplace(failure.cell, fmt::format("{}: {}", failure.kind, failure.message));
  }
  std::vector<std::string> result;
  for (const experiment::Cell& cell : plan.cells) {
    const auto found = by_cell.find(cell.id());
    result.push_back(found == by_cell.end() ? "" : found->second);
  }
  return result;
}

}  // namespace assay::judge
