// SPDX-License-Identifier: MIT
#include "assay/record/startup_table.hpp"

#include <array>
#include <cmath>

#include "assay/record/csv.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

constexpr std::array startup_columns{
    column::trial,
    column::process,
    text_column("phase",
                "`start`, `driver`, `context`, `allocate`, `compile`, `prepare`, `load`, `call`: "
                "the phases of a cold start"),
    integer_column("start_ns", "ns", "when it began, by the machine's monotonic clock").or_empty(),
    number_column("interval_ns", "ns", "how long it took").or_empty(),
    text_column("missing",
                "why there is no time; empty if and only if there is one. `no-driver`: the device "
                "needs none; `no-tensors`: the problem declares none; `no-source`: the subject is "
                "linked code; `no-preparation`: the subject declares none; `not-told`: by the "
                "worker; `implausible`: the parent's own clock does not allow it")
        .or_empty(),
};

constexpr std::array<std::string_view, 3> startup_key{"trial", "process", "phase"};

StartupRow row_of(csv::Row& row) {
  StartupRow told;
  told.trial = row.integer<std::int64_t>("trial", 0);
  told.process = row.integer<std::int64_t>("process", 0);
  const auto phase = startup_phase_of(row.text("phase"));
  if (!phase) row.fail("names a phase that there is none of");
  told.phase = *phase;
  const std::string start(row.text("start_ns"));
  if (!start.empty()) {
    PhaseTime time;
    time.start_ns = row.to_integer<std::int64_t>(start, 0);
    time.interval_ns = row.number("interval_ns", 0);
    told.time = time;
    if (!row.text("missing").empty()) row.fail("gives a reason beside a time");
    return told;
  }
  if (!row.text("interval_ns").empty()) row.fail("is given without start_ns");
  const std::string reason(row.text("missing"));
  if (reason.empty()) row.fail("must say why there is no time");
  csv::expect_plain(reason);
  told.time = Missing{reason, ""};
  return told;
}

}  // namespace

const std::string_view startup_header = header_of<startup_columns>;
const Table startup_table{startup_name,
                          "How each process of the boundary cold-start came to the result of its "
                          "first call: a row for each phase, in their order.",
                          startup_columns, startup_key, of_a_process};

void append_csv(std::string& out, const StartupRow& row) {
  csv::append_number(out, row.trial);
  out += ',';
  csv::append_number(out, row.process);
  out += ',';
  out += to_string(row.phase);
  out += ',';
  if (row.time) {
    ASSAY_EXPECTS(row.time->start_ns >= 0 && row.time->interval_ns >= 0 &&
                  std::isfinite(row.time->interval_ns));
    csv::append_number(out, row.time->start_ns);
    out += ',';
    csv::append_number(out, row.time->interval_ns);
    out += ',';
  } else {
    out += ",,";
    csv::append_field(out, row.time.missing().reason);
  }
  out += '\n';
}

std::vector<StartupRow> parse_startup(std::string_view text, std::string_view where,
                                      bool allow_cut_tail) {
  csv::Lines lines{std::string(where), startup_header};
  std::vector<StartupRow> all;
  lines.add(text, [&](csv::Row& row) { all.push_back(row_of(row)); });
  lines.finish(allow_cut_tail);
  return all;
}

std::vector<StartupRow> read_startup(const std::filesystem::path& file, bool allow_cut_tail) {
  return parse_startup(read_file(file), file.string(), allow_cut_tail);
}

}  // namespace assay::record
