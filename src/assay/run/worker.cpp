// SPDX-License-Identifier: MIT
#include "assay/run/worker.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

#include "assay/base/error.hpp"
#include "assay/base/time.hpp"
#include "assay/run/flood.hpp"

namespace assay::run {
namespace {

using experiment::Failure;
using std::chrono::milliseconds;

std::string quoted_start(const std::string& text, std::size_t shown = 120) {
  std::string result = "'";
  for (const char c : text.substr(0, shown))
    result += (c >= ' ' && c < 0x7f) ? c : (c == '\n' ? ' ' : '?');
  return result + (text.size() > shown ? "…'" : "'");
}

// Whether trying again cannot help: what is there is no program that may be executed.
bool is_about_the_program(long code) {
  constexpr std::array codes{ENOENT,  ENOTDIR, EACCES, EPERM,        ENOEXEC,
                             ELIBBAD, ELOOP,   EISDIR, ENAMETOOLONG, E2BIG};
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

}  // namespace

Worker::Worker(WorkerLaunch launch, Process process, wire::Channel channel, wire::Mark mark)
    : launch_(std::move(launch)),
      process_(std::move(process)),
      channel_(std::move(channel)),
      mark_(std::move(mark)) {
  channel_.give_up_when(launch_.interrupted);
}

std::variant<Worker, Failure> Worker::start(const WorkerLaunch& launch) {
  std::error_code no_log_yet;
  const std::uintmax_t log_size = std::filesystem::file_size(launch.log, no_log_yet);
  auto [ours, theirs] = wire::Channel::pair();
  wire::Mark mark = wire::Mark::create();
  Launch process;
  process.program = launch.program;
  process.environment = {{wire::fd_variable, std::to_string(theirs.fd())},
                         {wire::nonce_variable, launch.nonce},
                         {wire::mark_fd_variable, std::to_string(mark.fd())},
                         {wire::heap_variable, std::to_string(launch.heap_bytes)},
                         {wire::padding_variable, std::string(launch.padding_bytes, 'x')}};
  process.inherited_fds = {theirs.fd(), mark.fd()};
  process.cores = launch.cores;
  process.log = launch.log;
  try {
    const std::int64_t now_ns = monotonic_ns();
    Worker worker(launch, Process::start(process), std::move(ours), std::move(mark));
    worker.launched_ns_ = now_ns;
    worker.log_begin_bytes_ = no_log_yet ? 0 : log_size;
    return worker;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::worker) throw;
    Failure failure;
    failure.kind = experiment::failure::not_started;
    failure.message = error.what();
    if (is_about_the_program(error.native_code())) {
      failure.kind = experiment::failure::missing_program;
      failure.message += ". Build the program first, or name it with --program or `program = …`";
    }
    failure.stage = "start";
    failure.build = launch.build;
    return failure;
  }
}

Failure Worker::broken(const char* kind, const std::string& stage, const std::string& message) {
  Failure failure;
  failure.kind = kind;
  failure.stage = stage;
  failure.message = message;
  failure.subject = mark_.subject();
  failure.build = launch_.build;
  process_.kill();
  return failure;
}

std::uintmax_t Worker::printed_bytes() const {
  std::error_code unknown;
  const std::uintmax_t end = std::filesystem::file_size(launch_.log, unknown);
  return unknown || end < log_begin_bytes_ ? 0 : end - log_begin_bytes_;
}

// Looks now and then at what the process prints, as long as it has not answered.
wire::Received Worker::receive(wire::Channel::Clock::time_point deadline, bool& has_flooded) {
  constexpr milliseconds between_looks(10);
  while (!has_answered_) {
    const auto look = std::min(deadline, wire::Channel::Clock::now() + between_looks);
    wire::Received received = channel_.receive(look);
    using Kind = wire::Received::Kind;
    const bool is_well = received.kind == Kind::timed_out || received.kind == Kind::line;
    has_flooded = is_well && printed_bytes() > most_printed_bytes;
    if (received.kind != Kind::timed_out || look == deadline || has_flooded) return received;
  }
  return channel_.receive(deadline);
}

Failure Worker::flooded(const std::string& stage) {
  process_.kill();
  std::error_code ignored;
  std::filesystem::resize_file(launch_.log, log_begin_bytes_ + kept_bytes_of_flood, ignored);
  std::ifstream stream(launch_.log, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(log_begin_bytes_));
  std::string first(40, '\0');
  stream.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(stream.gcount()));
  return broken(experiment::failure::not_a_program, stage,
                launch_.program.string() + " printed more than " +
                    std::to_string(most_printed_bytes >> 20) +
                    " MiB and gave no answer: it is not a program that calls assay::main, or it "
                    "prints too much before it does; its first words: " +
                    quoted_start(first) +
                    ". `assay new NAME` writes such a program; a whole command is measured as a "
                    "[[subject]] of an experiment file");
}

std::string Worker::last_words() const {
  constexpr std::uintmax_t most_bytes = 300;
  std::error_code ignored;
  const std::uintmax_t end = std::filesystem::file_size(launch_.log, ignored);
  if (ignored || end <= log_begin_bytes_) return "";
  const std::uintmax_t begin = std::max(log_begin_bytes_, end - std::min(end, most_bytes));
  std::ifstream stream(launch_.log, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(begin));
  std::string text(static_cast<std::size_t>(end - begin), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "" : "; its last words: " + quoted_start(text, most_bytes);
}

// The channel is closed: find out how the process ended.
Failure Worker::lost(const std::string& stage, std::string unfinished_line) {
  const std::string log = last_words();
  const auto ended = process_.wait(milliseconds(2000));
  if (!unfinished_line.empty()) {
    return broken(experiment::failure::protocol, stage,
                  "the worker ended in the middle of a line: " + quoted_start(unfinished_line) +
                      (ended ? "; it " + ended->text() : "") + log);
  }
  if (!ended) {
    return broken(experiment::failure::protocol, stage,
                  "the worker closed its channel but went on running" + log);
  }
  if (ended->by_signal) {
    return broken(experiment::failure::crashed, stage, "the worker " + ended->text() + log);
  }
  if (!has_answered_) {
    return broken(experiment::failure::not_a_program, stage,
                  launch_.program.string() + " " + ended->text() +
                      " without a word of the worker protocol: it is not a program that calls "
                      "assay::main" +
                      log);
  }
  return broken(experiment::failure::exited, stage,
                "the worker " + ended->text() + " before it answered" + log);
}

Worker::Asked Worker::ask(const wire::Request& request, const std::string& stage) {
  const wire::Envelope envelope{launch_.nonce, next_id_++};
  // The limit is one subject's call, or one run of the reference; a block asks for several
  // subjects, and an adversarial check for dozens of cases with their references.
  constexpr std::size_t adversarial_share = 10;
  const auto* block = std::get_if<wire::Block>(&request);
  const auto* check = std::get_if<wire::Check>(&request);
  std::size_t calls = 1;
  if (block != nullptr) calls = std::max<std::size_t>(block->order.size(), 1);
  if (check != nullptr && check->kind == "adversarial") calls = adversarial_share;
  const double limit_s = launch_.timeout_s * static_cast<double>(calls);
  const auto deadline =
      wire::Channel::Clock::now() + std::chrono::duration_cast<wire::Channel::Clock::duration>(
                                        std::chrono::duration<double>(limit_s));
  const auto no_answer = [&] {
    const std::string patience = std::to_string(limit_s).substr(0, 5) + " s";
    if (!has_answered_) {
      return broken(experiment::failure::not_a_program, stage,
                    launch_.program.string() + " gave no answer within " + patience +
                        ": it hangs, or it is not a program that calls assay::main");
    }
    return broken(experiment::failure::timed_out, stage,
                  "the worker gave no answer within " + patience + " and was killed");
  };
  switch (channel_.send(wire::to_line(envelope, request), deadline)) {
    case wire::Sent::all:
      break;
    case wire::Sent::closed:
      return lost(stage, "");
    case wire::Sent::timed_out:
      return no_answer();
    case wire::Sent::interrupted:
      process_.kill();
      return Interrupted{};
  }
  bool has_flooded = false;
  wire::Received received = receive(deadline, has_flooded);
  if (has_flooded) return flooded(stage);
  switch (received.kind) {
    case wire::Received::Kind::line:
      break;
    case wire::Received::Kind::closed:
      return lost(stage, std::move(received.line));
    case wire::Received::Kind::timed_out:
      return no_answer();
    case wire::Received::Kind::interrupted:
      process_.kill();
      return Interrupted{};
    case wire::Received::Kind::too_long:
      return broken(experiment::failure::protocol, stage,
                    "the worker sent a line without an end: " + quoted_start(received.line));
  }
  try {
    auto [answered, answer] = wire::answer_from_line(received.line);
    // A worker of before there were canaries cannot read the request, its id included.
    const bool is_unknown = std::holds_alternative<wire::Canary>(request) &&
                            std::holds_alternative<wire::Refused>(answer) && answered.id == 0;
    if (answered.nonce != envelope.nonce || (answered.id != envelope.id && !is_unknown)) {
      return broken(experiment::failure::protocol, stage,
                    "the worker answered another request than the one that was asked");
    }
    has_answered_ = true;
    // Questions and their answers stand in the same order in the two variants.
    if (answer.index() != request.index() && !std::holds_alternative<wire::Refused>(answer)) {
      return broken(experiment::failure::protocol, stage,
                    "the worker answered with another kind of message than was asked for");
    }
    return std::move(answer);
  } catch (const Error& error) {
    return broken(experiment::failure::protocol, stage, error.what());
  }
}

std::variant<std::monostate, Failure> Worker::end() {
  const Asked asked = ask(wire::End{}, "end");
  if (const auto* failure = std::get_if<Failure>(&asked)) return *failure;
  if (std::holds_alternative<Interrupted>(asked)) return std::monostate{};
  const auto ended = process_.wait(milliseconds(5000));
  if (!ended) {
    return broken(experiment::failure::timed_out, "end",
                  "the worker did not end within 5 s of being told to and was killed");
  }
  if (ended->by_signal) {
    return broken(experiment::failure::crashed, "end",
                  "the worker " + ended->text() + " at its end");
  }
  if (ended->code != 0) {
    return broken(experiment::failure::exited, "end",
                  "the worker " + ended->text() + " at its end");
  }
  return std::monostate{};
}

}  // namespace assay::run
