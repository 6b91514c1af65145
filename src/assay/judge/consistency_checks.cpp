// SPDX-License-Identifier: MIT
//
// checks.json: the results that a subject must have before it is timed, for every subject that was,
// and none that says that it should not have been.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/judge/consistency_parts.hpp"
#include "assay/judge/validity.hpp"

namespace assay::judge::detail {
namespace {

using experiment::Cell;
using experiment::CheckResult;
using experiment::SubjectId;

// What was measured of a subject in a cell in the trials from 1 on.
struct Measured {
  bool is_whole = false;  // all blocks in one process that ended well, at the first look or later
};

class ChecksCheck {
 public:
  explicit ChecksCheck(const record::Record& record)
      : evidence_(record.evidence), processes_(process_rows(record.evidence.trials)) {
    for (const auto& cell : evidence_.calibration.cells) {
      blocks_[cell.cell] = cell.samples_per_trial;
    }
    count_samples();
  }

  void run(std::vector<std::string>& differences) {
    for (const Cell& cell : evidence_.plan.cells) {
      if (!cell.checked) continue;
      for (const SubjectId& subject : cell.subjects) {
        const auto measured = measured_.find({cell.id(), subject.text()});
        if (measured != measured_.end()) check_subject(cell, subject, measured->second);
      }
    }
    found_.write(differences);
  }

 private:
  void count_samples() {
    const record::Dictionary& names = evidence_.samples.names;
    struct Series {
      Measured* measured = nullptr;
      std::int64_t wanted = 0;  // blocks
      std::int64_t blocks = 0;
      bool may_be_whole = false;
    };
    using Key = std::array<std::uint32_t, 7>;
    std::map<Key, Series> all;  // a subject in a cell in a process
    for (const record::Sample& row : evidence_.samples.rows) {
      if (row.phase != record::Phase::measure || row.trial < 1) continue;
      const auto [place, is_new] = all.try_emplace(Key{
          row.process, row.build, row.subject, row.problem, row.case_id, row.state, row.boundary});
      Series& series = place->second;
      if (is_new) {
        const std::string cell = cell_text(row, names);
        series.measured =
            &measured_[{cell, SubjectId{names.name(row.build), names.name(row.subject)}.text()}];
        series.wanted = blocks_[cell];
        const auto process = processes_.find({row.trial, row.process});
        const auto trial = static_cast<std::int64_t>(row.trial);
        series.may_be_whole = process != processes_.end() &&
                              process->second->outcome == record::outcome::completed &&
                              trial >= evidence_.plan.protocol.looks.front();
      }
      if (++series.blocks == series.wanted && series.may_be_whole) series.measured->is_whole = true;
    }
  }

  template <typename Fits>
  const CheckResult* find(Fits fits) const {
    const auto& results = evidence_.checks.results;
    const auto found = std::find_if(results.begin(), results.end(), fits);
    return found == results.end() ? nullptr : &*found;
  }

  void check_subject(const Cell& cell, const SubjectId& subject, const Measured& measured) {
    const std::string case_id = cell.the_case.id();
    const std::string who = subject.text() + " in " + cell.id();
    const auto is_of = [&](const CheckResult& result, const char* kind) {
      return result.kind == kind && result.problem == cell.problem && result.case_id == case_id;
    };
    const CheckResult* before = find([&](const CheckResult& result) {
      return is_of(result, "before") && names_subject(result.subject, subject);
    });
    if (before == nullptr) {
      found_.add("before", "no result of the check before timing of " + who +
                               ", which samples.csv has measured");
    }
    const CheckResult* failed = find([&](const CheckResult& result) {
      return (is_of(result, "before") ||
              (result.kind == "adversarial" && result.problem == cell.problem)) &&
             names_subject(result.subject, subject) && result.applicable && !result.passed;
    });
    if (failed != nullptr) {
      found_.add("failed", who + " did not pass its check '" + failed->kind +
                               "', and samples.csv has measured it all the same");
    }
    // Commands have no mutants: what they put out is compared byte by byte.
    const bool has_mutants = !evidence_.plan.is_of_commands();
    if (has_mutants &&
        find([&](const CheckResult& result) { return is_of(result, "gate-power"); }) == nullptr) {
      found_.add("gate-power", "no result of whether the check can fail in " + cell.problem + "/" +
                                   case_id + ", which samples.csv has measured");
    }
    if (!measured.is_whole) return;
    const CheckResult* timed = find([&](const CheckResult& result) {
      return is_of(result, "timed") && names_subject(result.subject, subject) &&
             result.detail.is_object() && result.detail.contains("cell") &&
             result.detail.at("cell") == cell.id();
    });
    if (timed == nullptr) {
      found_.add("timed", "no result of the check of a timed output of " + who +
                              ", which is due by trial " +
                              std::to_string(evidence_.plan.protocol.looks.front()));
    }
  }

  const record::Evidence& evidence_;
  ProcessRows processes_;
  std::map<std::string, std::int64_t> blocks_;                        // of a trial, by cell
  std::map<std::pair<std::string, std::string>, Measured> measured_;  // by cell and subject
  Differences found_{"checks.json"};
};

}  // namespace

void check_checks(const record::Record& record, std::vector<std::string>& differences) {
  ChecksCheck(record).run(differences);
}

}  // namespace assay::judge::detail
