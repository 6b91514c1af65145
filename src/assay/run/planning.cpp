// SPDX-License-Identifier: MIT
#include "assay/run/planning.hpp"

#include <algorithm>
#include <random>

#include "assay/base/digest.hpp"
#include "assay/base/random.hpp"
#include "assay/base/time.hpp"
#include "assay/env/environment.hpp"
#include "assay/env/noise_floor.hpp"
#include "assay/run/any_worker.hpp"
#include "assay/run/ceilings.hpp"
#include "assay/run/crew.hpp"
#include "assay/run/noise_floor.hpp"
#include "assay/run/temporary_log.hpp"

namespace assay::run {
namespace {

using experiment::Experiment;
using experiment::Failure;
using experiment::ProgramDescription;

std::uint64_t fresh_seed() {
  std::random_device device;
  const std::uint64_t drawn =
      std::uint64_t{device()} << 32 ^ device() ^ static_cast<std::uint64_t>(monotonic_ns());
  return drawn & ((std::uint64_t{1} << 53) - 1);  // readable as a number in every language
}

// "usage": the program is well and says why it will not, such as a case that it cannot describe.
// Otherwise something failed in it.
ErrorKind kind_of_refusal(const std::string& kind) {
  if (kind == "usage") return ErrorKind::bad_input;
  const bool is_of_device = kind == "device" || kind == experiment::failure::device_lost;
  return is_of_device ? ErrorKind::device : ErrorKind::worker;
}

using Described = std::variant<ProgramDescription, Failure, Interrupted>;

Described described(const Worker::Asked& asked, const std::string& build) {
  if (const auto* failure = std::get_if<Failure>(&asked)) return *failure;
  if (std::holds_alternative<Interrupted>(asked)) return Interrupted{};
  const auto& answer = std::get<wire::Answer>(asked);
  if (const auto* refused = std::get_if<wire::Refused>(&answer)) {
    throw Error(
        kind_of_refusal(refused->kind),
        "the program of build '" + build + "' refuses to describe itself: " + refused->message);
  }
  return std::get<ProgramDescription>(answer);
}

AnyWorker::Started start_worker(const Experiment& experiment, const experiment::Build& build,
                                const Options& options, const TemporaryLog& log) {
  if (!experiment.commands.empty()) {
    CommandLaunch launch;
    launch.commands = experiment.commands;
    launch.axes = experiment.cases.axes;
    launch.tuples = experiment.cases.tuples;
    launch.build = build.name;
    launch.directory = build.directory;
    launch.log = log.path();
    launch.timeout_s = experiment.protocol.timeout_s;
    launch.describes_machine = true;
    launch.interrupted = options.hooks.interrupted;
    return AnyWorker::from(CommandWorker::start(std::move(launch)));
  }
  WorkerLaunch launch;
  launch.program = program_of_layout(build.program, experiment.layout_replicates > 1 ? 1 : 0);
  launch.build = build.name;
  launch.nonce = "describe";
  launch.log = log.path();
  launch.timeout_s = experiment.protocol.timeout_s;
  launch.interrupted = options.hooks.interrupted;
  return AnyWorker::from(Worker::start(launch));
}

Described describe(const Experiment& experiment, const experiment::Build& build,
                   const Options& options, const TemporaryLog& log, bool is_first,
                   std::map<std::string, Json>& libraries) {
  auto started = start_worker(experiment, build, options, log);
  if (auto* failure = std::get_if<Failure>(&started)) return *failure;
  auto& worker = std::get<AnyWorker>(started);
  wire::Describe request;
  request.device = options.device;
  // One process measures one boundary: a plan of several is described by the first one's.
  if (!experiment.protocol.boundaries.empty()) {
    request.boundary = experiment.protocol.boundaries.front();
  }
  request.timer = experiment.protocol.timer;
  Described first = described(worker.ask(request, "describe"), build.name);
  const auto* own = std::get_if<ProgramDescription>(&first);
  if (own == nullptr) return first;
  // Before the limits are measured: what a device opens for that is none of the program's.
  if (const auto process = worker.process_id()) {
    libraries[build.name] = env::loaded_libraries(Sources("/"), *process);
  }
  request.cases = cases_asked(experiment, *own);
  request.measures = true;
  request.ceilings = is_first;  // the device is the same for each build
  first = described(worker.ask(request, "describe"), build.name);
  worker.end();
  return first;
}

// What can be said of an experiment whose program cannot be asked: its words and rules, no cells.
experiment::Plan plan_without_cells(const Experiment& experiment, const std::string& created_utc) {
  experiment::Plan plan;
  plan.name = experiment.name;
  plan.created_utc = created_utc;
  plan.assay_version = ASSAY_VERSION;
  plan.question = experiment.question;
  plan.predictions = experiment.predictions;
  plan.protocol = experiment.protocol;
  plan.layout_replicates = experiment.layout_replicates;
  plan.builds = experiment.builds;
  plan.commands = experiment.commands;
  plan.defaults_used = experiment.defaults_used;
  if (!experiment.file_text.empty()) plan.experiment_digest = sha256_hex(experiment.file_text);
  plan.publication = experiment.publication;
  plan.quick = experiment.quick;
  return plan;
}

}  // namespace

std::vector<std::string> program_digests(const std::vector<experiment::Build>& builds,
                                         std::int64_t layout_replicates) {
  std::vector<std::string> digests;
  for (const auto& build : builds) {
    const std::int64_t first = layout_replicates > 1 ? 1 : 0;
    for (std::int64_t layout = first; layout <= (first == 0 ? 0 : layout_replicates); ++layout) {
      const auto program = program_of_layout(build.program, layout);
      if (layout > 0 && !std::filesystem::exists(program)) {
        throw Error(ErrorKind::bad_input,
                    "[layout] replicates = " + std::to_string(layout_replicates) + ", but " +
                        program.string() +
                        " does not exist: link the layouts with "
                        "assay_add_program(… LAYOUTS " +
                        std::to_string(layout_replicates) + ")");
      }
      digests.push_back(sha256_hex_of_file(program));
      const auto own = digests.end() - std::max<std::int64_t>(layout, 1);
      if (std::find(own, digests.end() - 1, digests.back()) != digests.end() - 1) {
        throw Error(ErrorKind::bad_input,
                    program.string() + " is byte for byte an earlier layout of this program: " +
                        std::to_string(layout_replicates) +
                        " layouts must differ, or the claim would be about fewer of them");
      }
    }
  }
  return digests;
}

std::vector<std::string> command_digests(const std::vector<experiment::Command>& commands) {
  std::vector<std::string> digests;
  for (const auto& command : commands) digests.push_back(sha256_hex_of_file(command.program));
  return digests;
}

Planned make_plan(const Experiment& as_written, const Options& options) {
  Experiment experiment = as_written;
  if (!experiment.commands.empty() && options.device != "cpu") {
    throw Error(ErrorKind::usage,
                "--device " + options.device + ": commands run as they are; expected no --device");
  }
  for (experiment::Command& command : experiment.commands) {
    command.program = experiment::find_command(command, experiment.builds.front().directory);
  }
  const std::string created_utc = utc_now_text();
  const TemporaryLog log;
  std::vector<ProgramDescription> descriptions;
  Planned planned;
  for (const auto& build : experiment.builds) {
    options.hooks.progress({"describing", 0, 0, 0, 0, 0, 0, 0, build.name});
    Described answer =
        describe(experiment, build, options, log, descriptions.empty(), planned.libraries);
    if (std::holds_alternative<Interrupted>(answer)) planned.interrupted = true;
    if (auto* failure = std::get_if<Failure>(&answer)) planned.failure = std::move(*failure);
    if (auto* description = std::get_if<ProgramDescription>(&answer)) {
      descriptions.push_back(std::move(*description));
    } else {
      break;
    }
  }
  planned.log = log.text();
  if (planned.failure || planned.interrupted) {
    planned.plan = plan_without_cells(experiment, created_utc);
  } else {
    planned.plan =
        experiment::make_plan(experiment, descriptions,
                              experiment.commands.empty()
                                  ? program_digests(experiment.builds, experiment.layout_replicates)
                                  : command_digests(experiment.commands),
                              created_utc);
  }
  const auto& defaults = planned.plan.defaults_used;
  if (std::find(defaults.begin(), defaults.end(), "protocol.seed") != defaults.end()) {
    planned.plan.protocol.seed = fresh_seed();
  }
  planned.plan.device = options.device;
  const auto state = env::state_directory();
  const std::string fingerprint = env::machine_fingerprint(env::environment_of_this_machine());
  const auto now = std::chrono::system_clock::now();
  take_noise_floor(planned.plan, state, fingerprint, now);
  take_ceilings(planned.plan, state, fingerprint, cores_allowed(), now);
  return planned;
}

}  // namespace assay::run
