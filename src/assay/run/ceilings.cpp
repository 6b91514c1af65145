// SPDX-License-Identifier: MIT
#include "assay/run/ceilings.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "assay/base/counted.hpp"
#include "assay/env/ceilings.hpp"
#include "assay/run/temporary_log.hpp"
#include "assay/run/worker.hpp"

namespace assay::run {
namespace {

// Beyond the budget: what is begun is finished, and a busy machine is slow.
constexpr double kPatienceFactor = 3;
constexpr double kPatienceMore_s = 60;

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

// A row of all cores says nothing about more of them, or about others.
Reading<env::StoredCeilings> of_these_cores(const env::StoredCeilings& entry,
                                            const std::vector<int>& cores) {
  const auto& measured = entry.ceilings.cores;
  const bool all_known = std::all_of(measured.begin(), measured.end(), [&](int core) {
    return std::find(cores.begin(), cores.end(), core) != cores.end();
  });
  const bool as_many = entry.ceilings.cores_allowed == static_cast<std::int64_t>(cores.size());
  if (entry.device != "cpu" || (all_known && as_many)) return entry;
  return Missing{"other-cores",
                 "measured where Assay could use " + counted(entry.ceilings.cores_allowed, "core") +
                     ", and this run may use others (" + std::to_string(cores.size()) +
                     "); `assay doctor --ceilings` measures those that it is started on"};
}

}  // namespace

Reading<MeasuredCeilings> measure_ceilings(const MeasureCeilings& options) {
  const TemporaryLog log;
  WorkerLaunch launch;
  launch.program = options.probe;
  launch.build = "program";
  launch.nonce = "ceilings";
  launch.log = log.path();
  launch.timeout_s = kPatienceFactor * options.budget_s + kPatienceMore_s;
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
  auto entry = env::ceilings_of(*state_directory, machine_fingerprint, device);
  if (entry) entry = of_these_cores(*entry, cores);
  plan.ceilings = entry.transform([](const env::StoredCeilings& found) { return found.ceilings; });
  if (!entry) return;
  experiment::CeilingsSource source;
  source.measured_utc = entry->measured_utc;
  source.age_days = *env::age_days(*entry, now);
  source.assay_version = entry->assay_version;
  plan.ceilings_source = source;
}

}  // namespace assay::run
