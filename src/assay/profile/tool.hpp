// SPDX-License-Identifier: MIT
//
// Tool: something that counts what happens in a process. It says how a process is started under it,
// and what its files mean; the rest is the same for all. Internal.
//
// Reading is a function of a companion's files alone, so that `assay verify` can do it again
// anywhere.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/profile/units.hpp"
#include "assay/record/companion.hpp"

namespace assay::profile {

struct ToolOptions {
  std::string path = {};  // of the tool's program; empty: found on PATH
  std::string device = {};
  std::vector<std::string> events = {};    // of perf, by name; empty: the tool's own choice
  std::vector<std::string> metrics = {};   // of ncu, likewise
  std::vector<std::string> declared = {};  // what the experiment file names for its alternatives
  std::string replay = {};                 // of ncu: "application" or "kernel"; empty: the former
  std::function<bool()> interrupted = [] { return false; };  // while it is asked for its version
};

class Tool {
 public:
  virtual ~Tool() = default;

  virtual const record::Tool& identity() const = 0;
  virtual std::vector<record::Metric> metrics() const = 0;
  // What a reader of the numbers has to know.
  virtual std::vector<std::string> notes() const { return {}; }
  // Why a unit cannot be counted, known without trying.
  virtual std::optional<Missing> refusal(const Unit&) const { return std::nullopt; }
  // How many calls are counted in one process.
  virtual std::int64_t calls(const Unit& unit) const = 0;
  // The words of the command: once is the program with --once, folder is for its files.
  virtual std::vector<std::string> command(const std::vector<std::string>& once,
                                           const std::filesystem::path& folder) const = 0;
  // A second command, run where the first one ended well: what it prints is kept as a file of that
  // name. No words: there is none.
  struct Afterwards {
    std::vector<std::string> words;
    std::string output;
  };
  virtual Afterwards afterwards(const std::filesystem::path&) const { return {}; }
};

// name: "callgrind", "perf", "ncu". Throws Error{usage} for a tool or a device that it does not
// count on, Error{worker} where the tool's program is not there or does not start.
std::unique_ptr<Tool> open_tool(const std::string& name, const ToolOptions& options);

// A name and its value, of all counted calls together.
struct CountedValue {
  std::string metric;
  Reading<double> value;
  double counted_frac = 1;
  std::int64_t launch = 0;
  std::string kernel;
};

// Every metric of the companion, for the same reason.
std::vector<CountedValue> all_missing(const record::Companion& companion, const Missing& why);

// What the files of a run say, for each metric of the companion at least one value. Throws nothing
// for what is in them: what cannot be read is missing.
std::vector<CountedValue> values_of(const record::Companion& companion,
                                    const record::CounterRun& run,
                                    const std::filesystem::path& data);

// The rows of a run, and into run.missing each reason that is in them.
std::vector<record::Counter> counters_of(const record::Companion& companion,
                                         record::CounterRun& run,
                                         const std::filesystem::path& data);

// Where the program's own output goes, in the folder of a run.
inline constexpr const char* program_log_name = "program.log";

// The tool's program: as given, else of that name on PATH. Throws Error{worker} with what to
// install.
std::filesystem::path find_tool(const std::string& name, const std::string& given,
                                const std::string& advice);
// The first line of what `program --version` prints that holds `word`. Throws Error{worker} where
// there is none, or it does not end by itself.
std::string version_of(const std::filesystem::path& program, const std::string& word,
                       const std::function<bool()>& interrupted);

// "exited with status 5: last line of the program's log".
std::string trouble_of(const record::CounterRun& run, const std::filesystem::path& data);

// The text of a raw file of the run whose name ends so; missing: "no-output".
Reading<std::string> raw_text(const record::CounterRun& run, const std::filesystem::path& data,
                              const std::string& name);

}  // namespace assay::profile
