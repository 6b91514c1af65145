// SPDX-License-Identifier: MIT
//
// The tables of a record in memory: one row of samples.csv and trials.csv each, with names as
// indices into a dictionary, so that a million samples fit in some 80 MB.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assay/base/reading.hpp"
#include "assay/record/columns.hpp"

namespace assay::record {

// Names that repeat in every row, kept once. Indices are dense from 0 in order of first use.
class Dictionary {
 public:
  std::uint32_t index_of(std::string_view name);  // adds it if new
  // The index, or no value if the name never occurred.
  Reading<std::uint32_t> find(std::string_view name) const;
  const std::string& name(std::uint32_t index) const { return names_[index]; }
  std::size_t size() const noexcept { return names_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>()(name);
    }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> indices_;
};

// canary: the worker's own kernels at the start (block 0) and the end (block 1) of a trial. Their
// rows belong to no cell: problem, case, state and boundary are empty.
enum class Phase : std::uint8_t { calibration, warm_up, measure, canary };
std::string_view to_string(Phase phase);  // "calibration", "warm-up", "measure", "canary"
// Throws Error{bad_input}.
Phase phase_from_string(std::string_view text);

struct Sample {
  std::uint32_t trial = 0;  // 0: calibration, never analysed
  std::uint32_t process =
      0;  // numbered through the record: two processes may serve one trial (restart, resume)
  std::uint32_t build = 0;   // dictionary index, as all below that are names
  std::uint32_t layout = 0;  // number of the layout, 0: the only one
  std::uint32_t problem = 0;
  std::uint32_t case_id = 0;
  std::uint32_t state = 0;
  std::uint32_t boundary = 0;
  std::uint32_t timer = 0;
  std::uint32_t subject = 0;  // the subject's name in its build, or "control"
  std::uint32_t flags = 0;    // "" or slugs separated by blanks
  Phase phase = Phase::measure;
  std::uint32_t block = 0;      // from 0 within phase, trial and cell
  std::uint32_t position = 0;   // from 0 within the block: the order in which they ran
  double interval_ns = 0;       // the whole interval
  std::int64_t iterations = 1;  // interval_ns / iterations is the sample
  std::int64_t start_ns = 0;    // CLOCK_MONOTONIC
};

struct SampleTable {
  Dictionary names;
  std::vector<Sample> rows;  // in the order of the file: the order of time within a process
};

// Trial::outcome where nothing failed; else a failure's slug.
namespace outcome {
inline constexpr const char* completed = "completed";
inline constexpr const char* interrupted = "interrupted";
inline constexpr const char* budget_spent = "budget-spent";
// The parent was killed before it could write the row, which a resume has written instead, from the
// samples: what they do not tell is missing.
inline constexpr const char* parent_lost = "parent-lost";
}  // namespace outcome

// Trial::canary_missing.
namespace canary {
inline constexpr const char* not_asked = "not-asked";   // calibration, or a worker died of them
inline constexpr const char* of_commands = "commands";  // the subjects are commands: none has them
inline constexpr const char* of_cold_start = "cold-start";  // nothing comes before the first call
inline constexpr const char* refused = "refused";           // the worker does not know them
inline constexpr const char* implausible = "implausible";   // longer than the parent's clock allows
inline constexpr const char* not_reached = "not-reached";   // the trial ended before its second run
}  // namespace canary

// One worker process in one trial.
struct Trial {
  std::int64_t trial = 0;
  std::int64_t process = 0;
  std::string build;
  std::int64_t layout = 0;
  std::string boundary;
  // The core that single-threaded subjects were pinned to. The file keeps the reason of a missing
  // one, not its detail.
  Reading<std::int64_t> core = Missing{"not-pinned", ""};
  // Missing only where the core is, for the same reason.
  Reading<std::int64_t> cores_allowed = Missing{"not-pinned", ""};
  std::string started_utc;    // empty if the parent was lost
  std::int64_t start_ns = 0;  // CLOCK_MONOTONIC; where the parent was lost, of the samples
  std::int64_t end_ns = 0;
  std::string outcome;
  std::string not_steady;  // cells (ids separated by ';') whose warm-up hit its cap
  // Why canaries are missing, as a slug; empty if they ran at the start and the end.
  std::string canary_missing;
};

// One run of a command, beside its row of samples.csv: what the kernel charged to it and to the
// children that it waited for.
struct CommandRun {
  std::int64_t trial = 0;
  std::int64_t process = 0;
  std::string problem;
  std::string case_id;
  std::string state;
  std::string boundary;
  Phase phase = Phase::measure;
  std::int64_t block = 0;
  std::int64_t position = 0;
  std::string subject;
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
  // Of the largest of them. The file keeps the reason of a missing one, not its detail.
  Reading<std::int64_t> max_rss_bytes = Missing{"not-measured", ""};
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
};

inline constexpr const char* samples_name = "samples.csv";
inline constexpr const char* trials_name = "trials.csv";
inline constexpr const char* command_runs_name = "command-runs.csv";

// What is in them, and in each column.
extern const Table samples_table;
extern const Table trials_table;
extern const Table command_runs_table;

// The header lines, without their line end, and the rows of the files. Names are quoted by RFC 4180
// where they must be. Throw Error{bad_input} if a name holds a control character (a line break), a
// caller's-bug Error for numbers that no file may hold: times that are negative or not finite,
// iterations below 1.
extern const std::string_view samples_header;
extern const std::string_view trials_header;
extern const std::string_view command_runs_header;
void append_csv(std::string& out, const SampleTable& table, const Sample& sample);
void append_csv(std::string& out, const Trial& trial);
void append_csv(std::string& out, const CommandRun& run);

// Read whole files' text. `where` stands in messages with the line. A last line that was cut off
// (no newline) is dropped if `allow_cut_tail`, as an interrupted record may end so; otherwise, and
// for any other flaw, throw Error{bad_input}.
SampleTable parse_samples(std::string_view text, std::string_view where, bool allow_cut_tail);
std::vector<Trial> parse_trials(std::string_view text, std::string_view where, bool allow_cut_tail);
std::vector<CommandRun> parse_command_runs(std::string_view text, std::string_view where,
                                           bool allow_cut_tail);

// The same of files, in pieces: a million samples need no second copy as text.
SampleTable read_samples(const std::filesystem::path& file, bool allow_cut_tail);
std::vector<Trial> read_trials(const std::filesystem::path& file, bool allow_cut_tail);
std::vector<CommandRun> read_command_runs(const std::filesystem::path& file, bool allow_cut_tail);

}  // namespace assay::record
