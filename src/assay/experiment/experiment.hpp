// SPDX-License-Identifier: MIT
//
// Experiment: the experiment file as read, and the strict reader. What the file leaves out has its
// default here; which defaults were used is written into the plan.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/base/reading.hpp"

namespace assay::experiment {

struct Alternative {
  std::string explanation;
  std::string told_apart_by;
  std::vector<std::string> metrics;
};

// The words, written before any data. All empty on the light path.
struct Question {
  std::string decision;
  std::string question;
  std::string hypothesis;
  std::string if_supported;
  std::string if_rejected;
  std::vector<Alternative> alternatives;

  bool is_registered() const { return !question.empty(); }
};

struct Probability {
  double faster = 0;
  double equivalent = 0;
  double slower = 0;
};

struct Prediction {
  std::string candidate;
  std::string where;     // as written; empty: every case. See predicate.hpp
  double ratio_low = 0;  // time(candidate) / time(baseline)
  double ratio_high = 0;
  std::optional<Probability> probability;
  std::string because;  // "work-model" or a sentence
};

struct Protocol {
  std::vector<std::string> boundaries;  // empty: the device's first ("call" on a CPU)
  std::vector<std::string> states = {"warm"};
  std::vector<std::int64_t> looks = {8, 16, 32, 64, 128};
  double alpha = 0.05;
  double margin = 0.01;             // a fraction: 0.01 is 1 %
  std::optional<double> precision;  // relative half-width, for a program with one subject
  std::int64_t blocks = 20;
  double sample_s = 1e-3;
  double budget_s = 300;
  std::uint64_t seed = 0;
  std::string timer;                    // empty: the device's default
  std::int64_t warmup_blocks_max = 30;  // per cell and trial
  double timeout_s = 60;                // for one answer of a worker
  // noise_floor = "ignore": the declared margin is in force even below the machine's noise floor.
  bool ignores_noise_floor = false;
};

// [build.NAME]: how one side is built and where its program lies.
struct Build {
  std::string name;  // "program" when there is only one; "baseline" and "candidate" when two builds
                     // are the sides
  std::string command;  // empty: built already
  std::filesystem::path directory;
  std::string program_as_written;  // empty: the command line's --program has to say it
  std::filesystem::path
      program;  // where it lay, or is to lie, when the file was read: find_program
};

// [[subject]]: a whole command as a subject, in place of one that a program declares. It runs in
// the folder of the experiment file.
struct Command {
  std::string name;
  // As written: the program, then its arguments, in which {AXIS} stands for the case's value.
  std::vector<std::string> words;
  std::string output;  // the file that it writes, "-" for what it prints; empty: unchecked
  int threads = -1;    // 1: pinned to the trial's core; −1: all cores
  std::filesystem::path program;  // where it lies: find_command; empty until a plan is made
};

struct Publication {
  std::string author;
  std::string affiliation;
  std::string licence;
};

// --filter: which cells are asked for, by Cell::id(). How its text becomes a test is the command's.
struct CellFilter {
  std::string text;  // as it was given; empty: all cells are asked for
  std::function<bool(const std::string& id)> matches;  // set where there is a text

  bool passes(const std::string& id) const { return text.empty() || matches(id); }
};

using AxisChoice = std::pair<std::string, std::vector<AxisValue>>;

// What to measure where the file or the command line says so.
struct Cases {
  std::vector<AxisChoice> axes;  // [cases]: replaces the program's axes of that name
  std::vector<Case> tuples;      // [[case]]: instead of any product
  // --axis: replaces an axis of a product, and picks among tuples.
  std::vector<AxisChoice> axis_overrides;
  CellFilter filter;

  // The command line asked for less than the file: a prediction may then match nothing.
  bool is_narrowed() const { return !axis_overrides.empty() || !filter.text.empty(); }
};

struct Experiment {
  std::string name;
  std::filesystem::path file;     // empty on the light path
  std::string file_text;          // archived in the record as written
  std::vector<Build> builds;      // one, or two: the first is the baseline's
  std::vector<Command> commands;  // not empty: these are the subjects, and there is no program
  std::string baseline;           // subject; empty: the first that is declared
  Question question;
  std::vector<Prediction> predictions;
  Protocol protocol;
  std::int64_t layout_replicates = 1;
  Cases cases;
  std::optional<Publication> publication;
  std::vector<std::string> defaults_used;  // "protocol.alpha", …
  bool quick = false;
  // Where a key stands in the file ("cases.n", "prediction[0].candidate"), for messages about what
  // only the program can tell. Empty on the light path.
  std::map<std::string, std::size_t> lines;

  // "FILE:LINE: KEY", or as much of that as is known.
  std::string place_of(const std::string& key) const;
};

// Throws Error{bad_input}: "FILE:LINE: what is wrong; expected …".
Experiment read_experiment(const std::filesystem::path& file);
// The same from text; `file` stands in messages and is where relative paths start.
Experiment parse_experiment(const std::string& text, const std::filesystem::path& file);

// The light path: an experiment about one program, all defaults, no words.
Experiment experiment_of_program(const std::filesystem::path& program);

// The program of a build: relative to its directory if there is such a file, else in build/ below
// it. Whether that one exists is not checked: it may be built later, and then this is asked again.
std::filesystem::path find_program(const Build& build);

// The program of a command: a path is relative to the directory, a bare name is searched for in
// PATH. Empty if there is no such executable file.
std::filesystem::path find_command(const Command& command, const std::filesystem::path& directory);

// The text with {AXIS} replaced by the case's value, and {{ and }} by braces. Throws
// Error{bad_input} "what is wrong; expected …" for a lone brace or an axis that the case lacks.
std::string expand(const std::string& text, const Case& the_case);

// The text of one --axis option, "n=[1024, 4096]", "dtype=f32" or "n={ pow2 = [10, 12] }", as a
// [cases] entry would say it; bare words are text. Throws Error{usage}.
AxisChoice parse_axis_option(const std::string& text);

// "1ms", "2.5s", "5min", "300us": seconds. Throws Error{bad_input} with `where`.
double parse_duration_s(const std::string& text, const std::string& where);

}  // namespace assay::experiment
