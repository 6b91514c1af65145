// SPDX-License-Identifier: MIT
#include "assay/measure/worker.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <thread>

#include "assay/base/telemetry_marks.hpp"
#include "assay/base/time.hpp"
#include "assay/measure/describe.hpp"

namespace assay::measure {
namespace {

const char* slug_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::bad_input:
    case ErrorKind::worker:
      return "usage";
    case ErrorKind::device:
      return "device";
    default:
      return "bug";
  }
}

wire::Refused refusal_of_current_exception() {
  try {
    throw;
  } catch (const Checker::ReferenceFailed& error) {
    return {"reference", error.what(), ""};
  } catch (const Error& error) {
    return {slug_of(error.kind()), error.what(), ""};
  } catch (...) {
    return {"subject", message_of_current_exception(), ""};
  }
}

bool has_lost_device(const wire::BlockDone& block) {
  return std::any_of(block.failures.begin(), block.failures.end(), [](const auto& failure) {
    return failure.kind == experiment::failure::device_lost;
  });
}

// Of which dtypes the work models count operations; "": they do not always say of which.
std::set<std::string> dtypes_of(const experiment::ProgramDescription& description) {
  std::set<std::string> dtypes;
  const auto see = [&](const experiment::WorkDescription& work) {
    for (const auto& [dtype, flop] : work.flop_by_any_dtype()) {
      if (flop > 0) dtypes.insert(dtype);
    }
  };
  for (const auto& problem : description.problems) {
    for (const auto& each : problem.cases) {
      if (each.work) see(*each.work);
      for (const auto& [subject, work] : each.subject_work) see(work);
    }
  }
  return dtypes;
}

// Before main(), and before the program's own static objects: what the program allocates while it
// is defined moves with the rest. Never freed.
void* volatile heap_offset = nullptr;
__attribute__((constructor(101))) void take_heap_offset() {
  const char* bytes = std::getenv(wire::heap_variable);
  if (bytes == nullptr || std::getenv(wire::fd_variable) == nullptr) return;
  if (const auto size = std::strtoul(bytes, nullptr, 10); size > 0) heap_offset = std::malloc(size);
}

}  // namespace

Worker::Worker(const Program& program, wire::Channel channel, std::string nonce, wire::Mark mark,
               CeilingKernels kernels)
    : program_(&program),
      channel_(std::move(channel)),
      nonce_(std::move(nonce)),
      mark_(std::move(mark)),
      kernels_(std::move(kernels)),
      began_ns_(monotonic_ns()) {}

int Worker::serve() {
  try {
    for (;;) {
      const wire::Received received = channel_.receive();
      if (received.kind == wire::Received::Kind::closed) return 0;
      if (received.kind != wire::Received::Kind::line) return 1;
      if (answer_line(received.line) == Next::leave) return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay worker: %s\n", error.what());
    return 1;
  }
}

Worker::Next Worker::send(const std::string& line) {
  device::Disturbance disturbance;
  if (device_) disturbance = device_->disturbance(occasion_);
  switch (disturbance.kind) {
    case device::Disturbance::Kind::garbage_line:
      return channel_.send("this is not JSON {\n") == wire::Sent::all ? Next::go_on : Next::leave;
    case device::Disturbance::Kind::truncated_line:
      ::send(channel_.fd(), line.data(), line.size() / 2, MSG_NOSIGNAL);
      return Next::leave;
    case device::Disturbance::Kind::slow_answer:
      std::this_thread::sleep_for(std::chrono::duration<double>(disturbance.seconds));
      break;
    default:
      break;
  }
  return channel_.send(line) == wire::Sent::all ? Next::go_on : Next::leave;
}

Worker::Next Worker::answer_line(const std::string& line) {
  wire::Envelope envelope{nonce_, 0};
  wire::Answer answered = wire::Idled{};
  bool last = false;
  try {
    const auto [received, request] = wire::request_from_line(line);
    envelope.id = received.id;
    if (received.nonce != nonce_) {
      throw Error(ErrorKind::usage, "the request carries the nonce of another trial");
    }
    answered = answer(request);
    last = std::holds_alternative<wire::End>(request);
    if (const auto* block = std::get_if<wire::BlockDone>(&answered)) {
      last = has_lost_device(*block);
    }
  } catch (const device::DeviceLost& lost) {
    answered = wire::Refused{experiment::failure::device_lost, lost.what(), lost.subject};
    last = true;
  } catch (...) {
    answered = refusal_of_current_exception();
  }
  const Next next = send(wire::to_line(envelope, answered));
  return last ? Next::leave : next;
}

wire::Answer Worker::answer(const wire::Request& request) {
  return std::visit([this](const auto& asked) { return act(asked); }, request);
}

void Worker::begin(const char* stage, std::int64_t block) {
  occasion_.stage = stage;
  occasion_.block = block;
  if (device_) device_->begin(occasion_);
}

device::Device& Worker::device() const {
  if (!device_) throw Error(ErrorKind::usage, "ask the worker to describe first: it has no device");
  return *device_;
}

Cell& Worker::cell() const {
  if (!cell_) throw Error(ErrorKind::usage, "ask the worker to prepare a cell first");
  return *cell_;
}

wire::Answer Worker::act(const wire::Describe& request) {
  expect_measurable(*program_);
  auto cases = cases_of(*program_, request.cases);
  cell_.reset();  // its memory is the old device's
  device_.reset();
  device_ = device::open(request.device, {request.boundary, request.timer, request.measures});
  timers_ = device_->timers();
  cases_ = std::move(cases);
  if (request.measures) touched_by_ = "the measuring of the timers";
  if (request.ceilings) touched_by_ = "the measuring of ceilings";
  begin("describe");
  auto description = describe(*program_, *device_, timers_, cases_);
  if (request.ceilings) description.device.ceilings = device_->ceilings(dtypes_of(description));
  return description;
}

wire::Answer Worker::act(const wire::Prepare& request) {
  device();
  if (cell_) touched_by_ = "the preparation of another cell";
  cell_.reset();  // before the new one: two large cells need not fit side by side
  const Problem* problem = program_->find(request.cell.problem);
  if (problem == nullptr) {
    throw Error(ErrorKind::usage, "the program has no problem '" + request.cell.problem + "'");
  }
  wire::Prepare asked = request;
  asked.cell.the_case = in_order_of_axes(*problem, request.cell.the_case);
  occasion_.trial = request.trial;
  occasion_.problem = asked.cell.problem;
  occasion_.case_id = asked.cell.the_case.id();
  occasion_.state = asked.cell.state;
  begin("prepare");
  std::vector<std::string> timers;
  for (const device::Timer& timer : timers_) {
    const auto& served = timer.boundaries;
    if (std::find(served.begin(), served.end(), asked.cell.boundary) != served.end()) {
      timers.push_back(timer.name);
    }
  }
  auto cell = std::make_unique<Cell>(*problem, device(), mark_, std::move(asked), timers,
                                     touched_by_.empty());
  const bool is_slope = std::any_of(
      timers_.begin(), timers_.end(),
      [&](const device::Timer& timer) { return timer.is_slope && timer.name == cell->timer(); });
  if (is_slope && cell->max_iterations()) {
    throw Error(ErrorKind::usage, "the timer '" + cell->timer() +
                                      "' takes the slope over the calls of a sample, and in this "
                                      "cell a sample is one call");
  }
  wire::Prepared prepared = cell->prepare();
  cell_ = std::move(cell);
  return prepared;
}

wire::Answer Worker::act(const wire::Check& request) {
  Cell& checked = cell();
  begin("check");
  touched_by_ = "a check";
  return checker_.check(checked, request, cases_[checked.problem().name()]);
}

void Worker::expect_untouched() const {
  if (touched_by_.empty()) return;
  throw Error(ErrorKind::usage, "the first call of this process is over: " + touched_by_ +
                                    " came before; start a process for each sample of the boundary "
                                    "cold-start");
}

wire::Answer Worker::act(const wire::Block& request) {
  Cell& measured = cell();
  if (measured.is_cold_start()) expect_untouched();
  begin(request.phase == "calibration" ? "calibrate"
        : request.phase == "warm-up"   ? "warm-up"
                                       : "block",
        request.block);
  const std::optional<Telemetry> before = device().telemetry();
  // In calibration subjects run alone, and no time of it is analysed.
  const bool is_alone = request.phase == "calibration" && request.order.size() == 1;
  if (is_alone) device().begin_memory_peak();
  wire::BlockDone done = measured.block(request);
  touched_by_ = "another block";
  if (measured.is_cold_start() && !done.samples.empty()) {
    done.startup = wire::StartupTold{began_ns_, measured.startup()};
    const Startup opening = device().opening();
    for (const StartupPhase phase : {StartupPhase::driver, StartupPhase::context}) {
      done.startup->phases[phase] = opening[phase];
    }
  }
  // What is lost has nothing to tell.
  if (has_lost_device(done)) return done;
  if (is_alone && done.failures.empty()) {
    done.memory = device().memory_use();
    if (done.memory) {
      done.memory->allocated_bytes = measured.allocated_bytes(request.order.front());
    }
  }
  if (!before) return done;
  const std::optional<Telemetry> after = device().telemetry();
  if (!after) return done;
  const std::string flags = telemetry_flags(*before, *after);
  for (wire::SampleTaken& sample : done.samples) {
    if (flags.empty()) break;
    sample.flags += (sample.flags.empty() ? "" : " ") + flags;
  }
  done.device = wire::DeviceMeanwhile{*before, *after};
  return done;
}

wire::Answer Worker::act(const wire::Canary& request) {
  device();
  touched_by_ = "the canaries";
  occasion_.trial = request.trial;
  begin("canary", request.moment == "end" ? 1 : 0);
  return wire::CanaryDone{canaries_.run(
      device(), occasion_, request.timer.empty() ? timers_.front().name : request.timer,
      request.single_core)};
}

wire::Answer Worker::act(const wire::Ceilings& request) {
  device();
  begin("ceilings");
  touched_by_ = "the measuring of ceilings";
  if (const auto known = device().known_ceilings()) return wire::CeilingsDone{*known};
  if (auto own = device().ceilings({""})) return wire::CeilingsDone{std::move(*own)};
  if (device().id() != "cpu") {
    throw Error(ErrorKind::usage,
                "there is no way to measure those of the device '" + device().id() + "'");
  }
  if (!kernels_) {
    throw Error(ErrorKind::usage, "this program holds no kernels for them; assay-probe does");
  }
  return wire::CeilingsDone{kernels_(request.budget_s)};
}

wire::Answer Worker::act(const wire::Idle&) {
  begin("idle");
  return wire::Idled{};
}

wire::Answer Worker::act(const wire::End&) {
  begin("end");
  return wire::Ended{};
}

bool is_started_as_worker() { return std::getenv(wire::fd_variable) != nullptr; }

int serve_as_worker(const Program& program, CeilingKernels kernels) {
  const std::string text = std::getenv(wire::fd_variable);
  const char* nonce = std::getenv(wire::nonce_variable);
  int fd = -1;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), fd);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || fd < 0 ||
      nonce == nullptr) {
    std::fprintf(stderr,
                 "assay worker: %s='%s' and %s do not name a channel to the assay command; unset "
                 "them to run this program by hand\n",
                 wire::fd_variable, text.c_str(), wire::nonce_variable);
    return 2;
  }
  try {
    Worker worker(program, wire::Channel(fd), nonce, wire::Mark::from_environment(),
                  std::move(kernels));
    unsetenv(wire::fd_variable);
    unsetenv(wire::nonce_variable);
    unsetenv(wire::heap_variable);
    unsetenv(wire::mark_fd_variable);
    return worker.serve();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "assay worker: %s\n", error.what());
    return 1;
  }
}

}  // namespace assay::measure
