// SPDX-License-Identifier: MIT
#include "assay/record/tables.hpp"

#include <array>
#include <cmath>

#include "assay/record/columns.hpp"
#include "assay/record/csv.hpp"
#include "assay/record/files.hpp"
#include "assay/record/table_parts.hpp"

namespace assay::record {
namespace {

using csv::append_field;
using csv::append_number;
using detail::phase_of;

constexpr std::array samples_columns{
    column::trial,
    column::process,
    text_column("build", "the build that the subject belongs to; `program` when there is only one"),
    integer_column("layout", "", "number of the program's layout; 0 when there is only one"),
    column::problem.or_empty(),
    column::case_id.or_empty(),
    column::state.or_empty(),
    column::boundary,
    text_column("timer", "the clock that timed it"),
    column::phase,
    column::block,
    column::position,
    column::subject,
    number_column("interval_ns", "ns",
                  "the whole interval; divided by `iterations` it is the sample"),
    integer_column("iterations", "", "calls within the interval", 1),
    integer_column("start_ns", "ns", "when it began, by the machine's monotonic clock"),
    text_column(
        "flags",
        "slugs separated by blanks; empty for an ordinary sample. `switched`: the scheduler "
        "took the core away; `migrated`: it ended on another core; `paged`: it waited for "
        "pages from a disk; `stolen`: the host gave the core to others during the block; "
        "`throttled`: the device was held back during the block; `shared`: another process "
        "had the device open for computing before or after the block; `uneven-work`: its "
        "calls did not all launch the same")
        .or_empty(),
};

// The columns of samples.csv that hold names, in the order of the file.
enum NameColumn : std::size_t {
  build,
  problem,
  case_id,
  state,
  boundary,
  timer,
  subject,
  flags,
  name_columns
};

class SampleReader {
 public:
  explicit SampleReader(std::string where) : lines_(std::move(where), samples_header) {}

  // Room for the rows of a file of that size, as far as its first piece tells.
  void expect(std::uint64_t file_bytes, std::string_view first_piece) {
    std::uint64_t rows = 0;
    for (const char c : first_piece) rows += c == '\n' ? 1 : 0;
    if (rows == 0) return;
    const std::uint64_t row_bytes = std::max<std::uint64_t>(1, first_piece.size() / rows);
    table_.rows.reserve(static_cast<std::size_t>(file_bytes / row_bytes + rows / 16));
  }

  void add(std::string_view piece) {
    lines_.add(piece, [this](csv::Row& row) { table_.rows.push_back(sample(row)); });
  }

  SampleTable finish(bool allow_cut_tail) {
    lines_.finish(allow_cut_tail);
    return std::move(table_);
  }

 private:
  // The fields before `block` are the same in all rows of a cell in a trial: the text that they
  // were read from is compared, which costs a tenth of reading them again.
  Sample sample(csv::Row& row) {
    Sample s = of_cell_;
    const std::string_view line = row.rest();
    if (!row.step_over_begin(begin_)) {
      s = read_of_cell(row);
      begin_ = row.begin_of(line);
      of_cell_ = s;
    }
    s.block = row.integer<std::uint32_t>("block", 0);
    s.position = row.integer<std::uint32_t>("position", 0);
    s.subject = name(row, "subject", subject);
    s.interval_ns = row.number("interval_ns", 0);
    s.iterations = row.integer<std::int64_t>("iterations", 1);
    s.start_ns = row.integer<std::int64_t>("start_ns", 0);
    s.flags = name(row, "flags", flags);
    return s;
  }

  Sample read_of_cell(csv::Row& row) {
    Sample s;
    s.trial = row.integer<std::uint32_t>("trial", 0);
    s.process = row.integer<std::uint32_t>("process", 0);
    s.build = name(row, "build", build);
    s.layout = row.integer<std::uint32_t>("layout", 0);
    s.problem = name(row, "problem", problem);
    s.case_id = name(row, "case", case_id);
    s.state = name(row, "state", state);
    s.boundary = name(row, "boundary", boundary);
    s.timer = name(row, "timer", timer);
    s.phase = phase_of(row);
    return s;
  }

  // A column mostly repeats the name of the row above, which is quicker to compare than to hash.
  std::uint32_t name(csv::Row& row, std::string_view column, NameColumn which) {
    const std::string_view text = row.text(column);
    std::uint32_t& last = last_[which];
    if (last < table_.names.size() && table_.names.name(last) == text) return last;
    const std::size_t known = table_.names.size();
    last = table_.names.index_of(text);
    if (table_.names.size() != known) csv::expect_plain(text);
    return last;
  }

  csv::Lines lines_;
  SampleTable table_;
  std::array<std::uint32_t, name_columns> last_{};
  std::string begin_;  // of the line that of_cell_ was read from
  Sample of_cell_;
};

}  // namespace

const std::string_view samples_header = header_of<samples_columns>;
const Table samples_table{samples_name,
                          "One row for each sample, calibration and warm-up included.",
                          samples_columns, sample_key, of_a_process};

std::uint32_t Dictionary::index_of(std::string_view name) {
  const auto found = indices_.find(name);
  if (found != indices_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  indices_.emplace(name, index);
  return index;
}

Reading<std::uint32_t> Dictionary::find(std::string_view name) const {
  const auto found = indices_.find(name);
  if (found != indices_.end()) return found->second;
  return Missing{"never-seen", "no row holds the name '" + std::string(name) + "'"};
}

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::calibration:
      return "calibration";
    case Phase::warm_up:
      return "warm-up";
    case Phase::measure:
      return "measure";
    case Phase::canary:
      return "canary";
  }
  throw Error(ErrorKind::bug, "a phase that there is none of");
}

Phase phase_from_string(std::string_view text) {
  for (const Phase phase : {Phase::measure, Phase::warm_up, Phase::calibration, Phase::canary}) {
    if (text == to_string(phase)) return phase;
  }
  throw Error(ErrorKind::bad_input, "there is no phase '" + std::string(text) +
                                        "': expected calibration, warm-up, measure or canary");
}

void append_csv(std::string& out, const SampleTable& table, const Sample& sample) {
  ASSAY_EXPECTS(std::isfinite(sample.interval_ns) && !std::signbit(sample.interval_ns));
  ASSAY_EXPECTS(sample.iterations >= 1 && sample.start_ns >= 0);
  const auto number = [&out](auto value) {
    append_number(out, value);
    out += ',';
  };
  const auto name = [&out, &table](std::uint32_t index) {
    append_field(out, table.names.name(index));
    out += ',';
  };
  number(sample.trial);
  number(sample.process);
  name(sample.build);
  number(sample.layout);
  name(sample.problem);
  name(sample.case_id);
  name(sample.state);
  name(sample.boundary);
  name(sample.timer);
  out += to_string(sample.phase);
  out += ',';
  number(sample.block);
  number(sample.position);
  name(sample.subject);
  number(sample.interval_ns);
  number(sample.iterations);
  number(sample.start_ns);
  append_field(out, table.names.name(sample.flags));
  out += '\n';
}

SampleTable parse_samples(std::string_view text, std::string_view where, bool allow_cut_tail) {
  SampleReader reader{std::string(where)};
  reader.add(text);
  return reader.finish(allow_cut_tail);
}

SampleTable read_samples(const std::filesystem::path& file, bool allow_cut_tail) {
  SampleReader reader(file.string());
  std::error_code unknown_size;
  const std::uintmax_t size = std::filesystem::file_size(file, unknown_size);
  bool is_first = true;
  read_pieces(file, [&](std::string_view piece) {
    if (is_first && !unknown_size) reader.expect(size, piece);
    is_first = false;
    reader.add(piece);
  });
  return reader.finish(allow_cut_tail);
}

}  // namespace assay::record
