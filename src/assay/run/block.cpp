// SPDX-License-Identifier: MIT
#include "assay/run/block.hpp"

#include <algorithm>
#include <optional>

#include "assay/base/time.hpp"
#include "assay/run/cold_start.hpp"

namespace assay::run {
namespace {

using experiment::Failure;

// The parent's own clock bounds what a worker may claim: its intervals lie between request and
// answer.
bool is_plausible(const wire::SampleTaken& sample, double elapsed_ns) {
  return sample.start_ns >= 0 && sample.interval_ns > 0 && sample.interval_ns <= elapsed_ns;
}

// The fake device's time is scripted, so that no clock of ours bounds it.
bool has_real_time(const Session& session) { return !session.plan().device.starts_with("fake"); }

record::Sample row_of(Session& session, const Crew& crew, const BlockRequest& request,
                      const Contender& contender, const wire::SampleTaken& sample,
                      std::uint32_t position) {
  record::Dictionary& names = session.evidence.samples.names;
  const experiment::Cell& cell = session.plan().cells[request.cell];
  record::Sample row;
  row.trial = static_cast<std::uint32_t>(crew.trial());
  row.process = crew.process_of(contender.build);
  row.build = names.index_of(session.plan().builds[contender.build].name);
  row.layout = static_cast<std::uint32_t>(crew.layout());
  row.problem = names.index_of(cell.problem);
  row.case_id = names.index_of(cell.the_case.id());
  row.state = names.index_of(cell.state);
  row.boundary = names.index_of(cell.boundary);
  row.timer = names.index_of(cell.timer);
  row.subject = names.index_of(contender.name);
  row.flags = names.index_of(sample.flags);
  row.phase = request.phase;
  row.block = static_cast<std::uint32_t>(request.block);
  row.position = position;
  row.interval_ns = sample.interval_ns;
  row.iterations = request.iterations;
  row.start_ns = sample.start_ns;
  return row;
}

void add_telemetry(Session& session, const Crew& crew, const BlockRequest& request,
                   std::size_t build, const wire::DeviceMeanwhile& device, std::uint32_t position) {
  const experiment::Cell& cell = session.plan().cells[request.cell];
  record::TelemetryRow row;
  row.trial = crew.trial();
  row.process = crew.process_of(build);
  row.problem = cell.problem;
  row.case_id = cell.the_case.id();
  row.state = cell.state;
  row.boundary = cell.boundary;
  row.phase = request.phase;
  row.block = request.block;
  row.position = position;
  row.moment = "before";
  row.telemetry = device.before;
  session.add(row);
  row.moment = "after";
  row.telemetry = device.after;
  session.add(std::move(row));
}

Failure implausible(const Contender& contender, const std::string& build,
                    const wire::SampleTaken& sample, double elapsed_ns) {
  Failure failure;
  failure.kind = experiment::failure::implausible_time;
  failure.stage = "block";
  failure.subject = contender.name;
  failure.build = build;
  failure.message =
      sample.interval_ns > 0
          ? "the worker reports an interval of " + std::to_string(sample.interval_ns) +
                " ns, but between request and answer only " + std::to_string(elapsed_ns) +
                " ns passed"
      : sample.interval_ns < 0
          ? "more calls took " + std::to_string(-sample.interval_ns) +
                " ns less than fewer did: what calls take is lost in what launches scatter by; "
                "raise [protocol] sample, or take another timer"
          : "the timer saw no time pass during the call: it is too short for this timer";
  return failure;
}

// Copies and fills have no blocks.
void add_launches(std::vector<experiment::Launch>& launches,
                  const std::vector<wire::KernelRuns>& kernels) {
  for (const wire::KernelRuns& runs : kernels) {
    if (runs.grid < 1 || runs.threads < 1) continue;
    const experiment::Launch launch{runs.kernel, runs.grid, runs.threads};
    const bool is_known =
        std::any_of(launches.begin(), launches.end(),
                    [&](const experiment::Launch& each) { return each.has_shape_of(launch); });
    if (!is_known) launches.push_back(launch);
  }
}

std::optional<experiment::Launch> launch_of(const wire::Generated& generated) {
  experiment::Launch launch;
  launch.kernel = generated.lowered_name;
  // What a worker says may be anything: 0 for what no device can launch.
  const auto count_of = [](const std::vector<std::int64_t>& sizes) {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
      if (size < 1 || size > most / count) return std::int64_t{0};
      count *= size;
    }
    return count;
  };
  launch.grid = count_of(generated.grid);
  launch.threads = count_of(generated.block);
  launch.occupancy_frac = generated.occupancy_frac;
  launch.occupancy_limited_by = generated.occupancy_limited_by;
  // Nor is less than nothing any size.
  const auto bytes_of = [](const Reading<std::int64_t>& bytes) {
    return bytes && *bytes < 0 ? Reading<std::int64_t>(Missing{"implausible", ""}) : bytes;
  };
  launch.stack_bytes = bytes_of(generated.local_bytes);
  launch.spill_store_bytes = bytes_of(generated.spill_store_bytes);
  launch.spill_load_bytes = bytes_of(generated.spill_load_bytes);
  if (launch.grid < 1 || launch.threads < 1) return std::nullopt;
  return launch;
}

std::string stage_of(record::Phase phase) {
  switch (phase) {
    case record::Phase::calibration:
      return "calibrate";
    case record::Phase::warm_up:
      return "warm-up";
    case record::Phase::measure:
    case record::Phase::canary:
      return "block";
  }
  return "block";
}

}  // namespace

BlockOutcome run_block(Session& session, Crew& crew, const BlockRequest& request,
                       const std::vector<Contender>& order) {
  BlockOutcome outcome;
  outcome.call_ns.assign(order.size(), Missing{"failed", "the subject gave no sample"});
  std::vector<bool> renewed(session.plan().builds.size(), false);
  std::uint32_t position = request.first_position;
  bool device_is_lost = false;
  for (std::size_t first = 0; first < order.size();) {
    // Neighbours in the order that run in one build go in one request.
    const std::size_t build = order[first].build;
    std::size_t last = first;
    wire::Block block;
    while (last < order.size() && order[last].build == build)
      block.order.push_back(order[last++].name);
    block.iterations = request.iterations;
    block.content_key = renewed[build] ? 0 : request.content_key;
    block.keep_outputs = request.keep_outputs;
    block.phase = record::to_string(request.phase);
    block.block = request.block;
    renewed[build] = true;

    const std::int64_t asked_ns = monotonic_ns();
    auto asked = crew.ask(build, block, stage_of(request.phase), request.cell);
    const double elapsed_ns = static_cast<double>(monotonic_ns() - asked_ns);
    if (asked.step != Step::done) {
      session.flush();
      outcome.step = asked.step;
      return outcome;
    }
    if (asked.answer) {
      const auto& done = std::get<wire::BlockDone>(*asked.answer);
      outcome.memory = done.memory;
      if (done.device) add_telemetry(session, crew, request, build, *done.device, position);
      for (const wire::SampleTaken& sample : done.samples) {
        const auto place =
            std::find_if(order.begin() + static_cast<std::ptrdiff_t>(first),
                         order.begin() + static_cast<std::ptrdiff_t>(last),
                         [&](const Contender& each) { return each.name == sample.subject; });
        if (place == order.begin() + static_cast<std::ptrdiff_t>(last)) continue;
        // A negative time cannot even be written down; a zero can, and is as little a sample.
        if (sample.interval_ns >= 0 && sample.start_ns >= 0) {
          if (session.plan().cells[request.cell].is_cold_start()) {
            keep_startup(session, crew, build, done.startup);
          }
          session.add(row_of(session, crew, request, *place, sample, position++));
          session.add_kernels(sample.kernels);
          add_launches(outcome.launches, sample.kernels);
        }
        if (request.may_be_too_short && !(sample.interval_ns > 0)) {
          outcome.call_ns[static_cast<std::size_t>(place - order.begin())] =
              Missing{too_short, "so few calls took no time by this timer"};
          continue;
        }
        if (!is_plausible(sample, has_real_time(session) ? elapsed_ns : sample.interval_ns)) {
          session.fail(implausible(*place, session.plan().builds[build].name, sample, elapsed_ns),
                       crew.trial(), request.cell);
          continue;
        }
        outcome.call_ns[static_cast<std::size_t>(place - order.begin())] =
            sample.interval_ns / static_cast<double>(request.iterations);
      }
      for (Failure failure : done.failures) {
        failure.build = session.plan().builds[build].name;
        failure.stage = stage_of(request.phase);
        device_is_lost = device_is_lost || failure.kind == experiment::failure::device_lost;
        session.fail(std::move(failure), crew.trial(), request.cell);
      }
      if (device_is_lost) {
        session.flush();
        crew.abandon(experiment::failure::device_lost);
        outcome.step = Step::worker_lost;
        return outcome;
      }
      if (done.samples.size() + done.failures.size() < last - first) {
        Failure failure;
        failure.kind = experiment::failure::protocol;
        failure.stage = stage_of(request.phase);
        failure.build = session.plan().builds[build].name;
        failure.message =
            "the worker left subjects of a block without a sample and without a failure";
        session.fail(std::move(failure), crew.trial(), request.cell);
      }
    }
    first = last;
  }
  session.flush();
  return outcome;
}

namespace {

bool is_among(const std::vector<std::string>& only, const std::string& subject) {
  return only.empty() || std::find(only.begin(), only.end(), subject) != only.end();
}

}  // namespace

PreparedCell prepare_cell(Session& session, Crew& crew, std::size_t index,
                          const std::vector<std::string>& only) {
  const experiment::Cell& cell = session.plan().cells[index];
  const auto live = session.live_subjects(index);
  PreparedCell prepared;
  const auto cores = cores_allowed();
  for (std::size_t build = 0; build < session.plan().builds.size(); ++build) {
    if (!crew.has(build)) continue;
    wire::Prepare prepare;
    prepare.cell = {cell.problem, cell.the_case, cell.state, cell.boundary};
    for (const auto& subject : live) {
      const bool is_its = index_of_build(session.plan(), subject.build) == build;
      if (is_its && is_among(only, subject.name)) prepare.subjects.push_back(subject.name);
    }
    if (prepare.subjects.empty()) continue;
    if (index_of_build(session.plan(), live.front().build) == build &&
        is_among(prepare.subjects, live.front().name)) {
      prepare.baseline = live.front().name;
    }
    prepare.content_key = session.key({"content", std::to_string(crew.trial()), cell.id()});
    prepare.timer = cell.timer;
    if (!cores.empty()) prepare.single_core = {crew.core()};
    prepare.all_cores = cores;
    prepare.trial = crew.trial();
    auto asked = crew.ask(build, prepare, "prepare", index);
    if (asked.step != Step::done) {
      prepared.step = asked.step;
      return prepared;
    }
    if (!asked.answer) continue;
    const auto& answer = std::get<wire::Prepared>(*asked.answer);
    if (answer.max_iterations) {
      prepared.max_iterations = prepared.max_iterations.has_value()
                                    ? std::min(*prepared.max_iterations, *answer.max_iterations)
                                    : *answer.max_iterations;
    }
    if (answer.rotation) prepared.rotation = answer.rotation;
    session.generated.keep(session.writer, answer.generated, session.plan().builds[build].name,
                           cell.problem, cell.the_case.id(), crew.trial());
    for (const wire::Generated& generated : answer.generated) {
      const experiment::SubjectId subject{session.plan().builds[build].name, generated.subject};
      if (const auto launch = launch_of(generated)) {
        prepared.source_launches.insert_or_assign(subject.text(), *launch);
      }
    }
    for (Failure failure : answer.failures) {
      failure.build = session.plan().builds[build].name;
      failure.stage = "prepare";
      session.fail(std::move(failure), crew.trial(), index);
    }
  }
  return prepared;
}

std::vector<Contender> contenders(const Session& session, std::size_t cell) {
  std::vector<Contender> all;
  const auto live = session.live_subjects(cell);
  for (const auto& subject : live) {
    all.push_back({index_of_build(session.plan(), subject.build), subject.name});
  }
  if (!live.empty()) all.push_back({all.front().build, std::string(experiment::control_name)});
  return all;
}

namespace {

// A subject that did not live through its check has not passed it, in any state of the case.
void keep_lost_check(Session& session, std::size_t cell, const std::string& kind,
                     const experiment::SubjectId& subject) {
  const Failure& failure = session.evidence.checks.failures.back();
  if (failure.subject != subject.name) return;
  const experiment::Cell& planned = session.plan().cells[cell];
  experiment::CheckResult result;
  result.kind = kind;
  result.problem = planned.problem;
  result.case_id = planned.the_case.id();
  result.subject = subject.name;
  result.content = "ordinary";
  result.reason = failure.message;
  result.detail = {{"failure", failure.kind}};
  session.keep_checks({result}, subject.build);
}

Step check_subjects(Session& session, Crew& crew, std::size_t cell, const wire::Check& check,
                    std::size_t build) {
  auto asked = crew.ask(build, check, "check", cell);
  if (asked.step == Step::done && asked.answer) {
    auto results = std::get<wire::Checked>(*asked.answer).results;
    if (check.kind == "timed") {
      // A result names its case, and a case has a cell for each state: which of them was checked is
      // what a resumed run goes on from.
      for (experiment::CheckResult& result : results) {
        if (!result.detail.is_object()) result.detail = Json::object();
        result.detail["cell"] = session.plan().cells[cell].id();
      }
    }
    session.keep_checks(results, session.plan().builds[build].name);
  }
  return asked.step;
}

}  // namespace

Step check_cell(Session& session, Crew& crew, std::size_t cell, const std::string& kind,
                std::uint64_t content_key, const std::vector<std::string>& only) {
  wire::Check check;
  check.kind = kind;
  check.content_key = content_key;
  const auto live = session.live_subjects(cell);
  if (live.empty()) return Step::done;
  if (kind == "gate-power") {
    // About the reference and the comparison, which all subjects share.
    check.subjects = {live.front().name};
    return check_subjects(session, crew, cell, check,
                          index_of_build(session.plan(), live.front().build));
  }
  // One subject a request: each has its own time limit, and one that crashes takes no other's
  // results with it.
  for (const auto& subject : live) {
    const std::size_t build = index_of_build(session.plan(), subject.build);
    if (!crew.has(build) || !is_among(only, subject.name)) continue;
    check.subjects = {subject.name};
    const Step step = check_subjects(session, crew, cell, check, build);
    if (step == Step::worker_lost) keep_lost_check(session, cell, kind, subject);
    if (step != Step::done) return step;
  }
  return Step::done;
}

}  // namespace assay::run
