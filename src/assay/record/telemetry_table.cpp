// SPDX-License-Identifier: MIT
#include "assay/record/telemetry_table.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "assay/record/csv.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

constexpr std::string_view first_columns =
    "trial,process,problem,case,state,boundary,phase,block,position,moment,time_ns,took_ns";
constexpr std::string_view last_column = "missing";

class TelemetryReader {
 public:
  explicit TelemetryReader(std::string where) : where_(std::move(where)) {}

  void add(std::string_view piece) {
    if (!lines_) {
      const auto end = piece.find('\n');
      header_ += piece.substr(0, end);
      if (end == std::string_view::npos) return;
      piece.remove_prefix(end);
      begin_lines();
      add_lines(header_);
    }
    add_lines(piece);
  }

  std::vector<TelemetryRow> finish(bool allow_cut_tail) {
    if (!lines_) {
      // Cut off within its header.
      expected_ = std::string(first_columns);
      lines_.emplace(where_, expected_);
      add_lines(header_.substr(0, first_columns.size()));
    }
    lines_->finish(allow_cut_tail);
    return std::move(rows_);
  }

 private:
  // Between the fixed columns, those of the device's fields.
  void begin_lines() {
    std::string_view rest = header_;
    const auto step_over = [&rest] {
      const std::string_view column = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(column.size() + 1, rest.size()));
      return column;
    };
    for (char comma : first_columns) {
      if (comma == ',') step_over();
    }
    step_over();
    while (!rest.empty()) {
      const auto field = telemetry_field(step_over());
      if (!field || (!fields_.empty() && *field <= fields_.back())) break;
      fields_.push_back(*field);
    }
    // What is no column of these, or out of their order, shows as a header that differs.
    expected_ = telemetry_header(fields_);
    lines_.emplace(where_, expected_);
  }

  void add_lines(std::string_view piece) {
    lines_->add(piece, [this](csv::Row& row) { rows_.push_back(read(row)); });
  }

  static std::string plain_text(csv::Row& row, std::string_view column) {
    std::string text(row.text(column));
    csv::expect_plain(text);
    return text;
  }

  static Phase phase_of(csv::Row& row) {
    const std::string text(row.text("phase"));
    for (const Phase phase : {Phase::measure, Phase::warm_up, Phase::calibration}) {
      if (text == to_string(phase)) return phase;
    }
    row.fail("must be calibration, warm-up or measure");
  }

  TelemetryRow read(csv::Row& row) const {
    TelemetryRow read;
    read.trial = row.integer<std::int64_t>("trial", 0);
    read.process = row.integer<std::int64_t>("process", 0);
    read.problem = plain_text(row, "problem");
    read.case_id = plain_text(row, "case");
    read.state = plain_text(row, "state");
    read.boundary = plain_text(row, "boundary");
    read.phase = phase_of(row);
    read.block = row.integer<std::int64_t>("block", 0);
    read.position = row.integer<std::int64_t>("position", 0);
    read.moment = plain_text(row, "moment");
    if (read.moment != "before" && read.moment != "after") row.fail("must be before or after");
    read.telemetry.time_ns = row.integer<std::int64_t>("time_ns", 0);
    read.telemetry.took_ns = row.integer<std::int64_t>("took_ns", 0);
    for (const Field field : fields_) {
      const std::string_view text = row.text(name_of(field));
      if (text.empty()) {
        read.telemetry.set(field, Missing{"", ""});
      } else {
        read.telemetry.set(field, row.to_integer<std::int64_t>(text, facts_of(field).least));
      }
    }
    take_reasons(row, read.telemetry);
    return read;
  }

  // "power_instant_mw:not-supported;energy_mj:no-permission".
  void take_reasons(csv::Row& row, Telemetry& telemetry) const {
    std::map<std::string, std::string, std::less<>> reasons;
    std::string_view rest = row.text("missing");
    while (!rest.empty()) {
      const std::string_view pair = rest.substr(0, rest.find(';'));
      rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
      const auto colon = pair.find(':');
      if (colon == std::string_view::npos || !is_reason(pair.substr(colon + 1))) {
        row.fail("must hold pairs NAME:reason, separated by semicolons");
      }
      reasons.emplace(pair.substr(0, colon), pair.substr(colon + 1));
    }
    for (const Field field : fields_) {
      const auto reason = reasons.find(name_of(field));
      if (telemetry.of(field).has_value() == (reason != reasons.end())) {
        row.fail("must name '" + std::string(name_of(field)) +
                 "' if and only if its field is empty");
      }
      if (reason == reasons.end()) continue;
      telemetry.set(field, Missing{reason->second, ""});
      reasons.erase(reason);
    }
    if (!reasons.empty()) row.fail("names '" + reasons.begin()->first + "', which is no column");
  }

  std::string where_;
  std::string header_;    // as it was found
  std::string expected_;  // what lines_ looks for
  std::vector<Field> fields_;
  std::optional<csv::Lines> lines_;
  std::vector<TelemetryRow> rows_;
};

}  // namespace

std::string telemetry_header(std::span<const Field> fields) {
  std::string header(first_columns);
  for (const Field field : fields) header += "," + std::string(name_of(field));
  return header + "," + std::string(last_column);
}

void append_csv(std::string& out, const TelemetryRow& row) {
  ASSAY_EXPECTS(row.trial >= 0 && row.process >= 0 && row.block >= 0 && row.position >= 0);
  ASSAY_EXPECTS(row.moment == "before" || row.moment == "after");
  ASSAY_EXPECTS(row.telemetry.time_ns >= 0 && row.telemetry.took_ns >= 0);
  const auto number = [&out](std::int64_t value) {
    csv::append_number(out, value);
    out += ',';
  };
  const auto text = [&out](std::string_view value) {
    csv::append_field(out, value);
    out += ',';
  };
  number(row.trial);
  number(row.process);
  text(row.problem);
  text(row.case_id);
  text(row.state);
  text(row.boundary);
  text(to_string(row.phase));
  number(row.block);
  number(row.position);
  text(row.moment);
  number(row.telemetry.time_ns);
  number(row.telemetry.took_ns);
  std::string missing;
  for (const auto& [field, value] : row.telemetry.values()) {
    if (value) {
      ASSAY_EXPECTS(*value >= facts_of(field).least);
      csv::append_number(out, *value);
    } else {
      ASSAY_EXPECTS(is_reason(value.missing().reason));
      missing +=
          (missing.empty() ? "" : ";") + std::string(name_of(field)) + ":" + value.missing().reason;
    }
    out += ',';
  }
  csv::append_field(out, missing);
  out += '\n';
}

std::vector<TelemetryRow> parse_telemetry(std::string_view text, std::string_view where,
                                          bool allow_cut_tail) {
  TelemetryReader reader{std::string(where)};
  reader.add(text);
  return reader.finish(allow_cut_tail);
}

std::vector<TelemetryRow> read_telemetry(const std::filesystem::path& file, bool allow_cut_tail) {
  TelemetryReader reader(file.string());
  read_pieces(file, [&reader](std::string_view piece) { reader.add(piece); });
  return reader.finish(allow_cut_tail);
}

}  // namespace assay::record
