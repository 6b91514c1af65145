// SPDX-License-Identifier: MIT
#include "assay/record/telemetry_table.hpp"

#include <map>

#include "assay/record/csv.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

class TelemetryReader {
 public:
  explicit TelemetryReader(std::string where) : lines_(std::move(where), telemetry_header()) {}

  void add(std::string_view piece) {
    lines_.add(piece, [this](csv::Row& row) { rows_.push_back(read(row)); });
  }

  std::vector<TelemetryRow> finish(bool allow_cut_tail) {
    lines_.finish(allow_cut_tail);
    return std::move(rows_);
  }

 private:
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

  static TelemetryRow read(csv::Row& row) {
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
    for (const TelemetryField& field : telemetry_fields) {
      const std::string_view text = row.text(field.name);
      if (text.empty()) {
        read.telemetry.*field.member = Missing{"", ""};
      } else {
        read.telemetry.*field.member = row.to_integer<std::int64_t>(text, least_value(field));
      }
    }
    take_reasons(row, read.telemetry);
    return read;
  }

  // "power_instant_mw:not-supported;energy_mj:no-permission".
  static void take_reasons(csv::Row& row, Telemetry& telemetry) {
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
    for (const TelemetryField& field : telemetry_fields) {
      const auto reason = reasons.find(field.name);
      if (((telemetry.*field.member).has_value()) == (reason != reasons.end())) {
        row.fail("must name '" + std::string(field.name) + "' if and only if its field is empty");
      }
      if (reason == reasons.end()) continue;
      telemetry.*field.member = Missing{reason->second, ""};
      reasons.erase(reason);
    }
    if (!reasons.empty()) row.fail("names '" + reasons.begin()->first + "', which is no column");
  }

  csv::Lines lines_;
  std::vector<TelemetryRow> rows_;
};

}  // namespace

const std::string& telemetry_header() {
  static const std::string header = [] {
    std::string text =
        "trial,process,problem,case,state,boundary,phase,block,position,moment,time_ns,took_ns";
    for (const TelemetryField& field : telemetry_fields) text += "," + std::string(field.name);
    return text + ",missing";
  }();
  return header;
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
  for (const TelemetryField& field : telemetry_fields) {
    const Reading<std::int64_t>& value = row.telemetry.*field.member;
    if (value) {
      ASSAY_EXPECTS(*value >= least_value(field));
      csv::append_number(out, *value);
    } else {
      ASSAY_EXPECTS(is_reason(value.missing().reason));
      missing +=
          (missing.empty() ? "" : ";") + std::string(field.name) + ":" + value.missing().reason;
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
