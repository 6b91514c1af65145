// SPDX-License-Identifier: MIT
#include "assay/record/telemetry_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "assay/record/csv.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

constexpr std::array first_part{
    column::trial,
    column::process,
    column::problem,
    column::case_id,
    column::state,
    column::boundary,
    column::phase,
    column::block,
    integer_column("position", "", "of the first sample that the reading is about"),
    text_column("moment", "`before` or `after`"),
    integer_column("time_ns", "ns",
                   "when the first value was read, by the machine's monotonic clock"),
    integer_column("took_ns", "ns", "from then until the last one was read"),
};
constexpr std::string_view first_columns = header_of<first_part>;
constexpr std::string_view last_column = "missing";

struct Told {
  Field field;
  std::string_view unit;
  std::string_view meaning;
};

// Of each field of a device, in the order of telemetry_fields.
constexpr std::array told_of_fields{
    Told{Field::sm_clock_hz, "Hz", "the multiprocessors' clock at the moment"},
    Told{Field::memory_clock_hz, "Hz", "the memory's clock at the moment"},
    Told{Field::temperature_c, "°C", "of the processor"},
    Told{Field::power_average_mw, "mW", "mean of the last second, on most devices"},
    Told{Field::power_instant_mw, "mW", "mean of a much shorter time"},
    Told{Field::energy_mj, "mJ", "what it needed: a counter"},
    Told{Field::clock_reasons, "",
         "why the clocks are what they are: a mask. 1 idle, 2 application clocks, 4 sw-power-cap, "
         "8 hw-slowdown, 16 sync-boost, 32 sw-thermal, 64 hw-thermal, 128 hw-power-brake, 256 "
         "display clocks"},
    Told{Field::sw_power_cap_ns, "ns",
         "for how long clocks were held back by sw-power-cap: a counter"},
    Told{Field::sync_boost_ns, "ns", "for how long they were by sync-boost: a counter"},
    Told{Field::sw_thermal_ns, "ns", "for how long they were by sw-thermal: a counter"},
    Told{Field::hw_thermal_ns, "ns", "for how long they were by hw-thermal: a counter"},
    Told{Field::hw_power_brake_ns, "ns", "for how long they were by hw-power-brake: a counter"},
    Told{Field::performance_state, "", "0 is the highest"},
    Told{Field::other_processes, "",
         "processes other than the worker that have the device open for computing"},
    Told{Field::used_memory_bytes, "bytes", "of the device's memory, by anyone"},
    Told{Field::core, "", "the core that the worker's thread was on"},
    Told{Field::core_clock_hz, "Hz", "the core's clock at the moment"},
    Told{Field::cycles, "", "of the worker's thread: a counter"},
    Told{Field::cycles_time_ns, "ns", "for how long that thread ran meanwhile: a counter"},
    Told{Field::core_busy_ns, "ns", "for how long the core worked, for anyone: a counter"},
    Told{Field::busy_ns, "ns", "for how long all cores together worked, for anyone: a counter"},
    Told{Field::process_ns, "ns", "processor time of all threads of the worker: a counter"},
    Told{Field::core_steal_ns, "ns", "for how long the host gave the core to others: a counter"},
    Told{Field::steal_ns, "ns",
         "for how long the host gave cores to others, all together: a counter"},
    Told{Field::voluntary_switches, "",
         "of all threads of the worker, waiting for something: a counter"},
    Told{Field::involuntary_switches, "",
         "of all threads of the worker, taken off the core: a counter"},
    Told{Field::migrations, "", "of the worker's thread, from one core to another: a counter"},
    Told{Field::minor_faults, "", "page faults of the worker, served from memory: a counter"},
    Told{Field::major_faults, "", "page faults of the worker, served from a disk: a counter"},
    Told{Field::cpu_pressure_us, "µs",
         "for how long something on the machine waited for a core: a counter"},
    Told{Field::memory_pressure_us, "µs",
         "for how long something on the machine waited for memory: a counter"},
    Told{Field::io_pressure_us, "µs",
         "for how long something on the machine waited for input or output: a counter"},
    Told{Field::quota_throttles, "",
         "periods in which the control group's quota was spent: a counter"},
    Told{Field::quota_throttled_ns, "ns",
         "for how long the control group was stopped for that: a counter"},
    Told{Field::core_thermal_throttles, "", "times that the core was too hot: a counter"},
    Told{Field::package_thermal_throttles, "", "times that its package was too hot: a counter"},
    Told{Field::package_energy_uj, "µJ",
         "what all packages needed since the worker's first reading: a counter"},
};

constexpr bool tells_of_each_field() {
  if (told_of_fields.size() != telemetry_fields.size()) return false;
  for (std::size_t i = 0; i < told_of_fields.size(); ++i) {
    if (told_of_fields[i].field != static_cast<Field>(i)) return false;
  }
  return true;
}
static_assert(tells_of_each_field());

constexpr auto all_columns = [] {
  std::array<Column, first_part.size() + telemetry_fields.size() + 1> all{};
  std::size_t at = 0;
  for (const Column& column : first_part) all[at++] = column;
  for (const Told& told : told_of_fields) {
    const TelemetryField& facts = facts_of(told.field);
    all[at++] = integer_column(facts.name, told.unit, told.meaning, facts.least).or_empty();
  }
  all[at] =
      text_column(last_column, "`NAME:reason` for each empty column, separated by `;`").or_empty();
  return all;
}();

constexpr std::array<std::string_view, 10> telemetry_key{"trial",    "process",  "problem", "case",
                                                         "state",    "boundary", "phase",   "block",
                                                         "position", "moment"};

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
    while (header_.starts_with(first_columns) && rest != last_column && !rest.empty()) {
      const std::string column(step_over());
      const auto field = telemetry_field(column);
      if (!field) refuse(column, "is no column that this version of Assay knows");
      if (!fields_.empty() && *field <= fields_.back()) {
        refuse(column, "stands twice or out of order");
      }
      fields_.push_back(*field);
    }
    // Where the first or the last ones differ, the whole header does.
    expected_ = telemetry_header(fields_);
    lines_.emplace(where_, expected_);
  }

  [[noreturn]] void refuse(const std::string& column, const char* why) const {
    std::string shown = column.substr(0, 40);
    std::replace_if(
        shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
    throw Error(ErrorKind::bad_input, where_ + ":1: the column '" + shown + "' " + why);
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

const Table telemetry_table{telemetry_name,
                            "What the device said of itself: a row before and a row after each "
                            "block.",
                            all_columns, telemetry_key, of_a_process};

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
