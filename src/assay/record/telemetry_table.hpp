// SPDX-License-Identifier: MIT
//
// telemetry.csv: what the device said of itself before and after each block. Only records of
// devices that tell have it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/telemetry.hpp"
#include "assay/record/tables.hpp"

namespace assay::record {

struct TelemetryRow {
  std::int64_t trial = 0;
  std::int64_t process = 0;
  std::string problem;
  std::string case_id;
  std::string state;
  std::string boundary;
  Phase phase = Phase::measure;
  std::int64_t block = 0;
  // Of the first sample that the reading is about. Where a block's subjects are of several builds,
  // neighbours of one build are measured together, with readings around them.
  std::int64_t position = 0;
  std::string moment;  // "before", "after"
  // The file keeps the reasons of missing values, not their details.
  Telemetry telemetry;
};

inline constexpr const char* telemetry_name = "telemetry.csv";
// The columns of all kinds of devices; a file has those of one.
extern const Table telemetry_table;
// "trial,…,moment,time_ns,took_ns,sm_clock_hz,…,missing": fixed columns and, between them, those of
// the device's fields, in the order of telemetry_fields.
std::string telemetry_header(std::span<const Field> fields);
// All rows of a table have the fields of its header. Throws Error{bad_input} if a name holds a
// control character, a caller's-bug Error for what no file may hold.
void append_csv(std::string& out, const TelemetryRow& row);

// As parse_trials and read_trials.
std::vector<TelemetryRow> parse_telemetry(std::string_view text, std::string_view where,
                                          bool allow_cut_tail);
std::vector<TelemetryRow> read_telemetry(const std::filesystem::path& file, bool allow_cut_tail);

}  // namespace assay::record
