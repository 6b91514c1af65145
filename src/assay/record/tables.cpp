// SPDX-License-Identifier: MIT
#include "assay/record/tables.hpp"

#include <array>
#include <cmath>

#include "assay/record/csv.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

using csv::append_field;
using csv::append_number;

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

std::string plain(csv::Row& row, std::string_view column) {
  std::string text(row.text(column));
  csv::expect_plain(text);
  return text;
}

Phase phase_of(csv::Row& row) {
  const std::string_view text = row.text("phase");
  for (const Phase phase : {Phase::measure, Phase::warm_up, Phase::calibration, Phase::canary}) {
    if (text == to_string(phase)) return phase;
  }
  row.fail("must be calibration, warm-up, measure or canary");
}

// Two columns: the number, or why it is missing. Either is empty.
Reading<std::int64_t> number_or_reason(csv::Row& row, std::string_view column,
                                       std::string_view missing_column) {
  const std::string_view text = row.text(column);
  const bool is_missing = text.empty();
  const auto number = is_missing ? 0 : row.to_integer<std::int64_t>(text, 0);
  std::string reason = plain(row, missing_column);
  if (is_missing == reason.empty()) {
    row.fail("must be empty if and only if '" + std::string(column) + "' is given");
  }
  if (is_missing) return Missing{std::move(reason), ""};
  return number;
}

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

SampleTable parse_samples(std::string_view text, std::string_view where, bool allow_cut_tail) {
  SampleReader reader{std::string(where)};
  reader.add(text);
  return reader.finish(allow_cut_tail);
}

std::vector<Trial> parse_trials(std::string_view text, std::string_view where,
                                bool allow_cut_tail) {
  TrialReader reader{std::string(where)};
  reader.add(text);
  return reader.finish(allow_cut_tail);
}

std::vector<CommandRun> parse_command_runs(std::string_view text, std::string_view where,
                                           bool allow_cut_tail) {
  CommandRunReader reader{std::string(where)};
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

std::vector<Trial> read_trials(const std::filesystem::path& file, bool allow_cut_tail) {
  TrialReader reader(file.string());
  read_pieces(file, [&reader](std::string_view piece) { reader.add(piece); });
  return reader.finish(allow_cut_tail);
}

std::vector<CommandRun> read_command_runs(const std::filesystem::path& file, bool allow_cut_tail) {
  CommandRunReader reader(file.string());
  read_pieces(file, [&reader](std::string_view piece) { reader.add(piece); });
  return reader.finish(allow_cut_tail);
}

}  // namespace assay::record
