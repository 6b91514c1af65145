// SPDX-License-Identifier: MIT
#include "assay/run/calibrate.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "assay/base/time.hpp"
#include "assay/judge/rules.hpp"
#include "assay/run/block.hpp"
#include "assay/run/cold_start.hpp"

namespace assay::run {
namespace {

using experiment::CellCalibration;

// What has been checked once and need not be checked again in another state.
struct Checked {
  std::set<std::string> cases;     // "problem/case"
  std::set<std::string> problems;  // adversarial cases
};

// Correctness comes first: who fails it is never timed.
Step check_correctness(Session& session, Crew& crew, std::size_t index, Checked& checked) {
  const experiment::Cell& cell = session.plan().cells[index];
  if (!cell.checked) return Step::done;
  const std::string place = cell.problem + "/" + cell.the_case.id();
  const auto key_for = [&](const char* purpose) { return session.key({purpose, place}); };
  if (!checked.cases.contains(place)) {
    Step step = check_cell(session, crew, index, "before", key_for("check"));
    if (step == Step::done) {
      step = check_cell(session, crew, index, "gate-power", key_for("gate-power"));
    }
    if (step != Step::done) return step;
    checked.cases.insert(place);
  }
  if (!checked.problems.contains(cell.problem)) {
    const Step step = check_cell(session, crew, index, "adversarial", key_for("adversarial"));
    if (step != Step::done) return step;
    checked.problems.insert(cell.problem);
  }
  return Step::done;
}

// What was needed last, with the higher of the peaks.
std::optional<MemoryUse> most_of(const std::optional<MemoryUse>& before,
                                 const std::optional<MemoryUse>& now) {
  std::optional<MemoryUse> most = now;
  if (before && most && before->peak_bytes && most->peak_bytes) {
    most->peak_bytes = std::max(*before->peak_bytes, *most->peak_bytes);
  }
  return most;
}

bool is_too_short(const BlockOutcome& outcome) {
  const Reading<double>& call_ns = outcome.call_ns.front();
  return !call_ns.has_value() && call_ns.missing().reason == too_short;
}

// What was seen, with what is known of a source's kernel; where the timer sees
// nothing, that kernel alone. A driver may add to the name that it loaded a kernel by.
std::vector<experiment::Launch> launches_of(std::vector<experiment::Launch> seen,
                                            const experiment::Launch* of_source) {
  if (of_source == nullptr) return seen;
  if (seen.empty()) return {*of_source};
  for (experiment::Launch& launch : seen) {
    const bool is_it = launch.grid == of_source->grid && launch.threads == of_source->threads &&
                       launch.kernel.find(of_source->kernel) != std::string::npos;
    if (!is_it) continue;
    launch.take_resources_of(*of_source);
  }
  return seen;
}

// Time of one call: more and more iterations until the sample is half as long as it is to be, then
// the least of three.
BlockOutcome time_of_call(Session& session, Crew& crew, std::size_t cell,
                          const Contender& contender, const judge::SampleTimer& timer,
                          const Reading<std::int64_t>& max_iterations, std::int64_t& block) {
  const double wanted_ns = session.protocol().sample_s * 1e9;
  const std::int64_t most = max_iterations.has_value() ? *max_iterations : std::int64_t{1} << 40;
  BlockRequest request;
  request.cell = cell;
  request.phase = record::Phase::calibration;
  BlockOutcome best;
  int at_this_length = 0;
  // A command's run has the length that it has: of a long one, one tells how often to run it.
  constexpr double long_run_ns = 1e9;
  int wanted = 3;
  while (at_this_length < wanted) {
    request.block = block++;
    // A slope over so many calls that is still lost in the scatter is no matter of their number.
    constexpr std::int64_t enough_for_a_slope = 10000;
    request.may_be_too_short =
        timer.is_slope && request.iterations < std::min(most, enough_for_a_slope);
    BlockOutcome outcome = run_block(session, crew, request, {contender});
    if (outcome.step == Step::done && is_too_short(outcome)) {
      request.iterations = std::min(most, request.iterations * 10);
      continue;
    }
    if (outcome.step != Step::done || !outcome.call_ns.front().has_value()) return outcome;
    const double sample_ns = *outcome.call_ns.front() * static_cast<double>(request.iterations);
    if (sample_ns < wanted_ns / 2 && request.iterations < most) {
      // Short samples overstate the call, so that the next length is approached from below.
      const double growth = std::clamp(wanted_ns / std::max(sample_ns, 1.0), 2.0, 10.0);
      request.iterations = std::min(
          most, static_cast<std::int64_t>(static_cast<double>(request.iterations) * growth));
      continue;
    }
    ++at_this_length;
    if (session.plan().is_of_commands() && sample_ns > long_run_ns) wanted = at_this_length;
    // Of the blocks that are as long as samples: lazy work of the first calls is over.
    const auto memory = most_of(best.memory, outcome.memory);
    if (best.call_ns.empty() || *outcome.call_ns.front() < *best.call_ns.front()) best = outcome;
    best.memory = memory;
  }
  return best;
}

Step calibrate_cell(Session& session, Crew& crew, std::size_t index, Checked& checked,
                    CellCalibration& calibration) {
  const experiment::Cell& cell = session.plan().cells[index];
  calibration.cell = cell.id();
  const PreparedCell prepared = prepare_cell(session, crew, index);
  if (prepared.step != Step::done) return prepared.step;
  Step step = check_correctness(session, crew, index, checked);
  if (step != Step::done) return step;

  Reading<std::int64_t> most = prepared.max_iterations;
  if (cell.state == "cold")
    most = std::int64_t{1};  // the second call would find what the first left behind
  std::vector<std::pair<std::string, double>> call_ns;
  std::vector<std::pair<std::string, MemoryUse>> memory;
  std::vector<std::pair<std::string, std::vector<experiment::Launch>>> launches;
  std::int64_t block = 0;
  const judge::SampleTimer timer =
      judge::sample_timer(session.plan(), cell.timer, crew.timer_step_ns());
  for (const Contender& contender : contenders(session, index)) {
    if (contender.name == experiment::control_name) continue;
    const BlockOutcome outcome =
        cell.is_cold_start() ? first_call(session, index, contender, block++)
                             : time_of_call(session, crew, index, contender, timer, most, block);
    // The process that was lost is not the crew's, and who was in it has dropped out.
    if (cell.is_cold_start() && outcome.step == Step::worker_lost) continue;
    if (outcome.step != Step::done) return outcome.step;
    if (!outcome.call_ns.front().has_value()) continue;  // dropped out, which is recorded
    const std::string subject =
        experiment::SubjectId{session.plan().builds[contender.build].name, contender.name}.text();
    call_ns.emplace_back(subject, *outcome.call_ns.front());
    if (outcome.memory) memory.emplace_back(subject, *outcome.memory);
    const auto of_source = prepared.source_launches.find(subject);
    auto launched =
        launches_of(outcome.launches,
                    of_source == prepared.source_launches.end() ? nullptr : &of_source->second);
    if (!launched.empty()) launches.emplace_back(subject, std::move(launched));
  }
  if (session.live_subjects(index).empty() || call_ns.empty()) {
    calibration.iterations = Missing{"no-subject", "no subject of this cell could be measured"};
    return Step::done;
  }
  calibration = judge::calibrate(session.plan(), cell.id(), std::move(call_ns), timer, most);
  calibration.memory = std::move(memory);
  calibration.rotation = prepared.rotation;
  calibration.launches = std::move(launches);
  return Step::done;
}

}  // namespace

Step calibrate(Session& session) {
  const std::size_t count = session.plan().cells.size();
  experiment::Calibration calibration;
  calibration.cells.resize(count);
  Checked checked;
  std::optional<Crew> crew;
  // One boundary after the other: each has processes of its own.
  std::vector<std::size_t> order;
  for (const std::string& boundary : session.protocol().boundaries) {
    for (std::size_t index = 0; index < count; ++index) {
      if (session.plan().cells[index].boundary == boundary) order.push_back(index);
    }
  }
  for (std::size_t done = 0; done < order.size();) {
    const std::size_t index = order[done];
    const std::string& boundary = session.plan().cells[index].boundary;
    if (crew && crew->boundary() != boundary) {
      crew->end();
      crew.reset();
    }
    if (!crew) {
      auto started = Crew::start(session, 0, {boundary});
      if (const auto* step = std::get_if<Step>(&started)) return *step;
      crew.emplace(std::move(std::get<Crew>(started)));
    }
    if (session.budget_is_spent()) {
      if (crew) crew->abandon(record::outcome::budget_spent);
      return Step::budget_spent;
    }
    session.hooks.progress({"calibrating", 0, session.protocol().looks.back(), done, count, 0,
                            session.plan().comparisons.size(), session.budget_left_s(),
                            session.plan().cells[index].id()});
    if (session.live_subjects(index).empty()) {
      calibration.cells[index].cell = session.plan().cells[index].id();
      calibration.cells[index].iterations =
          Missing{"no-subject", "no subject of this cell could be measured"};
      ++done;
      continue;
    }
    switch (const Step step =
                calibrate_cell(session, *crew, index, checked, calibration.cells[index])) {
      case Step::worker_lost:
        crew.reset();  // who caused it has dropped out: the same cell again, without it
        break;
      case Step::done:
        ++done;
        break;
      default:
        // What ended was the process of a first call; this one waits beside it.
        if (session.plan().cells[index].is_cold_start()) {
          crew->abandon(step == Step::interrupted ? record::outcome::interrupted
                                                  : record::outcome::completed);
        }
        return step;
    }
  }
  if (crew) crew->end();
  // Also where nothing was checked: resuming takes a record with a calibration and no checks for
  // one that lost them.
  session.writer.write_checks(session.evidence.checks);
  session.writer.seal_calibration(to_json(calibration), utc_now_text());
  session.evidence.calibration = std::move(calibration);
  return Step::done;
}

}  // namespace assay::run
