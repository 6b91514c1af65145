// SPDX-License-Identifier: MIT
//
// CommandWorker: the worker of kind `command`. It answers what a worker process is asked, but is a
// part of the parent: its subjects are whole commands, each run of which is a process of its own,
// so that there is nothing for a process in between to do but to disturb.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assay/experiment/experiment.hpp"
#include "assay/experiment/outcome.hpp"
#include "assay/record/tables.hpp"
#include "assay/run/timed_process.hpp"
#include "assay/run/worker.hpp"
#include "assay/wire/messages.hpp"

namespace assay::run {

// An output as it was found after a run.
struct OutputDigest {
  std::string sha256;
  std::uintmax_t bytes = 0;
};

struct CommandLaunch {
  std::vector<experiment::Command> commands;  // with their programs found
  std::vector<experiment::AxisChoice> axes;   // of the description
  std::vector<Case> tuples;                   // instead of any product
  std::string build;
  std::filesystem::path directory;
  std::filesystem::path log;  // what the commands printed: all of it at first, later of failures
  std::size_t padding_bytes = 0;
  double timeout_s = 60;
  bool describes_machine = false;  // with the floor of the timer, when asked to describe
  std::int64_t trial = 0;
  std::int64_t process = 0;
  std::map<std::string, OutputDigest> references;  // case id → the baseline's output
  std::function<bool()> interrupted;
  std::function<void(const record::CommandRun&)> keep;  // called for each sample of a block
};

class CommandWorker {
 public:
  // A Failure (missing_program) if one of the commands has no program. Throws Error{write} for the
  // log.
  static std::variant<CommandWorker, experiment::Failure> start(CommandLaunch launch);

  // As Worker::ask. What a command does wrong is a failure in the answer: only the user's wish to
  // stop ends this worker.
  Worker::Asked ask(const wire::Request& request, const std::string& stage);
  std::variant<std::monostate, experiment::Failure> end() { return std::monostate{}; }
  const std::string& build() const noexcept { return launch_.build; }

 private:
  struct Prepared {
    TimedProcess process;
    std::filesystem::path program;
    std::filesystem::path output;  // empty: unchecked, or what is printed
    bool is_printed = false;
    bool is_stale = false;  // what lay there before the newest run could not be removed
    std::string trouble;    // why the output is not Assay's to remove, as found then
  };
  struct Output {
    std::optional<OutputDigest> digest;
    std::string trouble;  // why there is none
  };

  explicit CommandWorker(CommandLaunch launch);
  experiment::ProgramDescription describe(const wire::Describe& request) const;
  Reading<double> floor_ns() const;
  wire::Prepared prepare(const wire::Prepare& request);
  Worker::Asked check(const wire::Check& request);
  Worker::Asked run_block(const wire::Block& request, const std::string& stage);
  const experiment::Command& command(const std::string& subject) const;
  std::string code_of(const std::string& label) const;  // the subject that runs under the label
  TimedRun run_once(Prepared& prepared);
  Output output_of(const Prepared& prepared) const;
  RunLimits limits() const;
  std::optional<experiment::Failure> failure_of(const TimedRun& run, const std::string& subject,
                                                const std::string& stage) const;
  void log(const std::string& heading, bool in_any_case);
  experiment::CheckResult result_of(const std::string& kind, const std::string& subject) const;
  void judge(const Output& output, experiment::CheckResult& result) const;
  std::optional<experiment::CheckResult> check_before(const std::string& subject);

  CommandLaunch launch_;
  std::unique_ptr<Scratch> out_;    // what is printed by a command whose output that is
  std::unique_ptr<Scratch> words_;  // all else that is printed
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, CloseFile> log_;
  std::uintmax_t logged_bytes_ = 0;
  std::optional<wire::Prepare> cell_;
  std::map<std::string, Prepared> prepared_;  // by subject
  std::map<std::string, Output> kept_;        // of the last block whose outputs were to be kept
};

}  // namespace assay::run
