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
using detail::phase_of;
using detail::plain;

constexpr std::array command_runs_columns{
    column::trial,
    column::process,
    column::problem,
    column::case_id,
    column::state,
    column::boundary,
    column::phase,
    column::block,
    column::position,
    column::subject,
    integer_column("user_ns", "ns", "processor time in the program"),
    integer_column("system_ns", "ns", "processor time in the kernel for it"),
    integer_column("max_rss_bytes", "bytes",
                   "the largest resident memory that any one of its processes had")
        .or_empty(),
    text_column("max_rss_missing",
                "why it is not known; empty if and only if `max_rss_bytes` is given. "
                "`below-the-parents`: a process begins with the high-water mark of the one that "
                "made it, and this one never went above Assay's")
        .or_empty(),
    integer_column("minor_faults", "", "page faults served from memory"),
    integer_column("major_faults", "", "page faults served from the disk"),
    integer_column("voluntary_switches", "", "context switches: waiting for something"),
    integer_column("involuntary_switches", "", "context switches: taken off the core"),
};

constexpr std::array<ForeignKey, 2> command_runs_keys{
    {{"trials", process_key}, {"samples", sample_key}}};

class CommandRunReader {
 public:
  explicit CommandRunReader(std::string where) : lines_(std::move(where), command_runs_header) {}

  void add(std::string_view piece) {
    lines_.add(piece, [this](csv::Row& row) { runs_.push_back(run(row)); });
  }

  std::vector<CommandRun> finish(bool allow_cut_tail) {
    lines_.finish(allow_cut_tail);
    return std::move(runs_);
  }

 private:
  static CommandRun run(csv::Row& row) {
    CommandRun r;
    r.trial = row.integer<std::int64_t>("trial", 0);
    r.process = row.integer<std::int64_t>("process", 0);
    r.problem = plain(row, "problem");
    r.case_id = plain(row, "case");
    r.state = plain(row, "state");
    r.boundary = plain(row, "boundary");
    r.phase = phase_of(row);
    r.block = row.integer<std::int64_t>("block", 0);
    r.position = row.integer<std::int64_t>("position", 0);
    r.subject = plain(row, "subject");
    r.user_ns = row.integer<std::int64_t>("user_ns", 0);
    r.system_ns = row.integer<std::int64_t>("system_ns", 0);
    r.max_rss_bytes = number_or_reason(row, "max_rss_bytes", "max_rss_missing");
    r.minor_faults = row.integer<std::int64_t>("minor_faults", 0);
    r.major_faults = row.integer<std::int64_t>("major_faults", 0);
    r.voluntary_switches = row.integer<std::int64_t>("voluntary_switches", 0);
    r.involuntary_switches = row.integer<std::int64_t>("involuntary_switches", 0);
    return r;
  }

  csv::Lines lines_;
  std::vector<CommandRun> runs_;
};

}  // namespace

const std::string_view command_runs_header = header_of<command_runs_columns>;
const Table command_runs_table{
    command_runs_name,
    "One row for each run of a command, in the order of samples.csv: what the kernel charged to it "
    "and to the children that it waited for.",
    command_runs_columns, sample_key, command_runs_keys};

void append_csv(std::string& out, const CommandRun& run) {
  ASSAY_EXPECTS(run.trial >= 0 && run.process >= 0 && run.block >= 0 && run.position >= 0);
  ASSAY_EXPECTS(run.user_ns >= 0 && run.system_ns >= 0);
  ASSAY_EXPECTS(run.max_rss_bytes || !run.max_rss_bytes.missing().reason.empty());
  const auto number = [&out](std::int64_t value) {
    append_number(out, value);
    out += ',';
  };
  const auto text = [&out](std::string_view value) {
    append_field(out, value);
    out += ',';
  };
  number(run.trial);
  number(run.process);
  text(run.problem);
  text(run.case_id);
  text(run.state);
  text(run.boundary);
  text(to_string(run.phase));
  number(run.block);
  number(run.position);
  text(run.subject);
  number(run.user_ns);
  number(run.system_ns);
  if (run.max_rss_bytes) append_number(out, *run.max_rss_bytes);
  out += ',';
  text(run.max_rss_bytes ? std::string_view()
                         : std::string_view(run.max_rss_bytes.missing().reason));
  number(run.minor_faults);
  number(run.major_faults);
  number(run.voluntary_switches);
  append_number(out, run.involuntary_switches);
  out += '\n';
}

std::vector<CommandRun> parse_command_runs(std::string_view text, std::string_view where,
                                           bool allow_cut_tail) {
  CommandRunReader reader{std::string(where)};
  reader.add(text);
  return reader.finish(allow_cut_tail);
}

std::vector<CommandRun> read_command_runs(const std::filesystem::path& file, bool allow_cut_tail) {
  CommandRunReader reader(file.string());
  read_pieces(file, [&reader](std::string_view piece) { reader.add(piece); });
  return reader.finish(allow_cut_tail);
}

}  // namespace assay::record
