// SPDX-License-Identifier: MIT
//
// Worker: a worker process with its channel. Asking it never throws for what the worker does wrong:
// a crash, a hang, garbage are Failures, which belong in the record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "assay/experiment/outcome.hpp"
#include "assay/run/process.hpp"
#include "assay/wire/channel.hpp"
#include "assay/wire/mark.hpp"
#include "assay/wire/messages.hpp"

namespace assay::run {

struct WorkerLaunch {
  std::filesystem::path program;
  std::string build;
  std::string nonce;
  std::vector<int> cores;
  std::filesystem::path log;
  std::size_t padding_bytes = 0;  // of the environment: moves the stack
  std::size_t heap_bytes = 0;     // that the worker allocates first and keeps: moves the heap
  double timeout_s = 60;          // for each answer
  std::function<bool()> interrupted;
};

// The user asked to stop.
struct Interrupted {};

class Worker {
 public:
  // A Failure (missing_program) if the program cannot be executed. Throws Error{write} for the log.
  static std::variant<Worker, experiment::Failure> start(const WorkerLaunch& launch);

  // The answer to the request, Refused included; or why there is none. After a Failure or
  // Interrupted the process is gone. The failure's subject is the one that the worker was about to
  // run; trial and cell are the caller's to fill in.
  using Asked = std::variant<wire::Answer, experiment::Failure, Interrupted>;
  Asked ask(const wire::Request& request, const std::string& stage);

  // For each answer from now on, instead of what it was launched with.
  void wait_at_most(double timeout_s) { launch_.timeout_s = timeout_s; }

  // Asks it to end and reaps it; a Failure if it ends otherwise than with status 0.
  std::variant<std::monostate, experiment::Failure> end();

  const std::string& build() const noexcept { return launch_.build; }
  std::int64_t process_id() const noexcept { return process_.pid(); }
  // When its process was about to be started, by the monotonic clock.
  std::int64_t launched_ns() const noexcept { return launched_ns_; }

 private:
  Worker(WorkerLaunch launch, Process process, wire::Channel channel, wire::Mark mark);
  experiment::Failure lost(const std::string& stage, std::string unfinished_line);
  std::uintmax_t printed_bytes() const;  // by this process
  // has_flooded: the process printed too much before its first answer.
  wire::Received receive(wire::Channel::Clock::time_point deadline, bool& has_flooded);
  experiment::Failure flooded(const std::string& stage);
  // The end of what the process has printed, for messages; empty if it printed nothing.
  std::string last_words() const;
  experiment::Failure broken(const char* kind, const std::string& stage,
                             const std::string& message);

  WorkerLaunch launch_;
  Process process_;
  wire::Channel channel_;
  wire::Mark mark_;
  std::uintmax_t log_begin_bytes_ = 0;  // where this process's part of the log begins
  std::int64_t next_id_ = 1;
  std::int64_t launched_ns_ = 0;
  bool has_answered_ = false;  // what never answered is no Assay program
};

}  // namespace assay::run
