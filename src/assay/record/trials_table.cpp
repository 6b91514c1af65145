// SPDX-License-Identifier: MIT
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "assay/record/columns.hpp"
#include "assay/record/csv.hpp"
#include "assay/record/files.hpp"
#include "assay/record/table_parts.hpp"
#include "assay/record/tables.hpp"

namespace assay::record {
namespace {

using csv::append_field;
using csv::append_number;
using detail::number_or_reason;
using detail::plain;

constexpr std::array trials_columns{
    integer_column("trial", "", "the trial"),
    integer_column(
        "process", "",
        "the worker process; a trial has one for each boundary and build, of cold starts "
        "one for each subject and the control in each cell, and more after a restart or "
        "a resume"),
    text_column("build", "its build"),
    integer_column("layout", "", "its layout"),
    text_column("boundary", "the boundary that it measured"),
    integer_column("core", "", "the core that single-threaded subjects were pinned to").or_empty(),
    text_column("core_missing",
                "why there is no core, such as `not-pinned`; empty if and only if `core` is given")
        .or_empty(),
    integer_column("cores_allowed", "",
                   "cores that the process was allowed to use; empty only where there is no core, "
                   "for the same reason",
                   1)
        .or_empty(),
    Column{"started_utc", Column::Type::time, "",
           "when it was started, as `2026-11-29T21:44:05+00:00`; empty for `parent-lost`"}
        .or_empty(),
    integer_column("start_ns", "ns",
                   "begin by the machine's monotonic clock; for `parent-lost` that of its first "
                   "sample"),
    integer_column("end_ns", "ns",
                   "end by the same clock; for `parent-lost` the begin of its last sample"),
    text_column("outcome",
                "`completed`, `interrupted`, `budget-spent`, the slug of a failure, or "
                "`parent-lost`: the parent was killed before it could write the row, and resuming "
                "wrote it from the samples"),
    text_column("not_steady", "cells whose warm-up reached its cap, separated by `;`").or_empty(),
    text_column(
        "canary_missing",
        "why canaries are missing: `not-asked` (calibration, or after a worker died of "
        "them), `commands` (the subjects are commands, which have none), `cold-start` "
        "(nothing runs before the first call of a process), `refused` (the worker has none), "
        "`implausible` (longer than the parent's clock allows), `not-reached` (the trial "
        "ended before its end was measured); empty when both runs are there")
        .or_empty(),
};

class TrialReader {
 public:
  explicit TrialReader(std::string where) : lines_(std::move(where), trials_header) {}

  void add(std::string_view piece) {
    lines_.add(piece, [this](csv::Row& row) { trials_.push_back(trial(row)); });
  }

  std::vector<Trial> finish(bool allow_cut_tail) {
    lines_.finish(allow_cut_tail);
    return std::move(trials_);
  }

 private:
  static Trial trial(csv::Row& row) {
    Trial t;
    t.trial = row.integer<std::int64_t>("trial", 0);
    t.process = row.integer<std::int64_t>("process", 0);
    t.build = plain(row, "build");
    t.layout = row.integer<std::int64_t>("layout", 0);
    t.boundary = plain(row, "boundary");
    t.core = number_or_reason(row, "core", "core_missing");
    const std::string_view cores = row.text("cores_allowed");
    if (!cores.empty()) {
      t.cores_allowed = row.to_integer<std::int64_t>(cores, 0);
    } else if (t.core) {
      row.fail("must not be empty where a core is given");
    } else {
      t.cores_allowed = t.core.missing();
    }
    t.started_utc = plain(row, "started_utc");
    t.start_ns = row.integer<std::int64_t>("start_ns", 0);
    t.end_ns = row.integer<std::int64_t>("end_ns", 0);
    t.outcome = plain(row, "outcome");
    t.not_steady = plain(row, "not_steady");
    t.canary_missing = plain(row, "canary_missing");
    return t;
  }

  csv::Lines lines_;
  std::vector<Trial> trials_;
};

}  // namespace

const std::string_view trials_header = header_of<trials_columns>;
const Table trials_table{
    trials_name, "One row for each worker process in each trial.", trials_columns, process_key, {}};

void append_csv(std::string& out, const Trial& trial) {
  ASSAY_EXPECTS(trial.trial >= 0 && trial.process >= 0 && trial.layout >= 0);
  ASSAY_EXPECTS(trial.start_ns >= 0 && trial.end_ns >= 0);
  ASSAY_EXPECTS(trial.core ? *trial.core >= 0 : !trial.core.missing().reason.empty());
  ASSAY_EXPECTS(trial.cores_allowed ? *trial.cores_allowed >= 0 : !trial.core);
  const auto number = [&out](std::int64_t value) {
    append_number(out, value);
    out += ',';
  };
  const auto text = [&out](std::string_view value) {
    append_field(out, value);
    out += ',';
  };
  number(trial.trial);
  number(trial.process);
  text(trial.build);
  number(trial.layout);
  text(trial.boundary);
  if (trial.core) append_number(out, *trial.core);
  out += ',';
  text(trial.core ? std::string_view() : std::string_view(trial.core.missing().reason));
  if (trial.cores_allowed) append_number(out, *trial.cores_allowed);
  out += ',';
  text(trial.started_utc);
  number(trial.start_ns);
  number(trial.end_ns);
  text(trial.outcome);
  text(trial.not_steady);
  append_field(out, trial.canary_missing);
  out += '\n';
}

std::vector<Trial> parse_trials(std::string_view text, std::string_view where,
                                bool allow_cut_tail) {
  TrialReader reader{std::string(where)};
  reader.add(text);
  return reader.finish(allow_cut_tail);
}

std::vector<Trial> read_trials(const std::filesystem::path& file, bool allow_cut_tail) {
  TrialReader reader(file.string());
  read_pieces(file, [&reader](std::string_view piece) { reader.add(piece); });
  return reader.finish(allow_cut_tail);
}

}  // namespace assay::record
