// SPDX-License-Identifier: MIT
#include "assay/run/ceilings.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "assay/base/time.hpp"
#include "assay/env/ceilings.hpp"
#include "assay/run/temporary_log.hpp"
#include "assay/run/worker.hpp"

namespace assay::run {
namespace {

// Of the budget: a row that was begun is finished, and a busy machine is slow.
constexpr double kPatienceFactor = 2;

// What the worker answered, as far as it is an answer of that kind.
template <typename T>
Reading<T> answer_of(const Worker::Asked& asked) {
  if (const auto* failure = std::get_if<experiment::Failure>(&asked)) {
    throw Error(ErrorKind::worker, "the ceilings were not measured: " + failure->message);
  }
  if (std::holds_alternative<Interrupted>(asked)) return Missing{"interrupted", "stopped"};
  const auto& answer = std::get<wire::Answer>(asked);
  if (const auto* refused = std::get_if<wire::Refused>(&answer)) {
    throw Error(refused->kind == "device" ? ErrorKind::device : ErrorKind::usage,
                "the ceilings were not measured: " + refused->message);
  }
  return std::get<T>(answer);
}

}  // namespace

Reading<MeasuredCeilings> measure_ceilings(const MeasureCeilings& options) {
  const TemporaryLog log;
  WorkerLaunch launch;
  launch.program = options.probe;
  launch.build = "program";
  launch.nonce = "ceilings";
  launch.log = log.path();
  // For all answers together: a probe that hangs has no budget for each of them.
  const std::int64_t deadline_ns =
      monotonic_ns() +
      static_cast<std::int64_t>((kPatienceFactor * options.budget_s + options.start_s) * 1e9);
  const auto left_s = [&] { return static_cast<double>(deadline_ns - monotonic_ns()) * 1e-9; };
  launch.timeout_s = left_s();
  launch.interrupted = options.interrupted;
  auto started = Worker::start(launch);
  if (auto* failure = std::get_if<experiment::Failure>(&started)) {
    throw Error(ErrorKind::worker, "the ceilings were not measured: " + failure->message);
  }
  auto& worker = std::get<Worker>(started);
  wire::Describe describe;
  describe.device = options.device;
  const auto description =
      answer_of<experiment::ProgramDescription>(worker.ask(describe, "describe"));
  if (!description) return description.missing();
  if (!description->build.sanitizer.empty()) {
    throw Error(ErrorKind::usage, "the ceilings were not measured: " + options.probe.string() +
                                      " is built with a sanitizer (" +
                                      description->build.sanitizer +
                                      "), which slows its kernels down; build it without");
  }
  worker.wait_at_most(std::max(left_s(), 0.0));
  auto done =
      answer_of<wire::CeilingsDone>(worker.ask(wire::Ceilings{options.budget_s}, "ceilings"));
  if (!done) return done.missing();
  worker.end();
  return MeasuredCeilings{description->device.id, done->ceilings};
}

void take_ceilings(experiment::Plan& plan, const Reading<std::filesystem::path>& state_directory,
                   const std::string& machine_fingerprint, const std::vector<int>& cores,
                   std::chrono::system_clock::time_point now) {
  plan.ceilings_source.reset();
  std::optional<MachineCeilings> own;
  for (auto& description : plan.descriptions) {
    if (!own) own = std::move(description.device.ceilings);
    description.device.ceilings.reset();  // they are the plan's
  }
  if (own) {
    plan.ceilings = std::move(*own);
    return;
  }
  if (!state_directory) {
    plan.ceilings = state_directory.missing();
    return;
  }
  const std::string device =
      plan.descriptions.empty() ? "cpu" : plan.descriptions.front().device.id;
  const auto entry = env::ceilings_of(*state_directory, machine_fingerprint, device, cores);
  plan.ceilings = entry.transform([](const env::StoredCeilings& found) { return found.ceilings; });
  if (!entry) return;
  experiment::CeilingsSource source;
  source.measured_utc = entry->measured_utc;
  source.age_days = *env::age_days(*entry, now);
  source.assay_version = entry->assay_version;
  plan.ceilings_source = source;
}

}  // namespace assay::run
