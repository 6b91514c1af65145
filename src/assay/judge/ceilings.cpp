// SPDX-License-Identifier: MIT
#include "assay/judge/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/counted.hpp"
#include "assay/experiment/described.hpp"
#include "assay/judge/parts.hpp"
#include "assay/judge/text.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

// "state" among the parameters is what Subject::in_state leaves there.
std::string state_of(const experiment::Plan& plan, const experiment::Cell& cell, std::size_t slot) {
  const auto* subject = experiment::described_subject(plan, cell.subjects[slot], cell.problem);
  if (subject == nullptr) return cell.state;
  const auto own = subject->parameters.find("state");
  return own == subject->parameters.end() ? cell.state : own->second;
}

const experiment::TimerDescription* timer_of(const experiment::Plan& plan,
                                             const experiment::Cell& cell) {
  if (plan.descriptions.empty()) return nullptr;
  const auto& timers = plan.descriptions.front().timers;
  const auto found = std::find_if(timers.begin(), timers.end(),
                                  [&](const auto& timer) { return timer.name == cell.timer; });
  return found == timers.end() ? nullptr : &*found;
}

// The interval around nothing, as far as a call has a share in it, and the loop around the call. A
// device's timers are measured around a kernel that does nothing: there the interval has the call
// in it, and each call begins one.
Reading<double> launch_ns(const Index& index, std::size_t cell, const model::Ceilings& ceilings) {
  const experiment::TimerDescription* timer = timer_of(index.plan(), index.plan().cells[cell]);
  const experiment::CellCalibration* calibration = index.calibration(cell);
  if (timer == nullptr || calibration == nullptr || !calibration->iterations) {
    return Missing{"not-measured", "the timer's floor is not known"};
  }
  if (ceilings.are_of_device) return timer->floor_ns;
  if (!ceilings.call_ns) return ceilings.call_ns.missing();
  const bool is_of_each_call = timer->is_per_call || timer->is_slope;
  const double calls = is_of_each_call ? 1 : static_cast<double>(*calibration->iterations);
  return timer->floor_ns.transform([&](double floor) { return floor / calls + *ceilings.call_ns; });
}

std::string impossible_text(const model::MemoryCall& call, const model::Ceilings& ceilings,
                            const model::LeastTime& least, double call_ns) {
  const double bytes = call.bytes_read + call.bytes_written;
  return fmt::format(
      "impossible-time: {:.0f} bytes in {} are {}, and {:.0f} of them must have come from {}, "
      "where the fastest simple kernel{} moved {}: that takes {} at least, with 5 % to spare. It "
      "does not do what its work model says, or its time is wrong",
      bytes, time_text(call_ns), bytes_rate_text(bytes / (call_ns * 1e-9)), least.bytes,
      least.level, ceilings.are_of_device ? "" : " of " + counted(ceilings.threads, "thread"),
      bytes_rate_text(least.bytes_per_s), time_text(least.ns));
}

}  // namespace

model::Ceilings ceilings_of(const experiment::Plan& plan, const experiment::Cell& cell,
                            std::size_t slot) {
  if (plan.ceilings) {
    const auto* subject = experiment::described_subject(plan, cell.subjects[slot], cell.problem);
    return model::ceilings_for(*plan.ceilings, subject == nullptr ? -1 : subject->threads);
  }
  // Where older plans have a device's own.
  if (plan.descriptions.empty() || !plan.descriptions.front().device.ceilings) return {};
  return model::ceilings_for(*plan.descriptions.front().device.ceilings, 1);
}

Missing why_no_ceilings(const experiment::Plan& plan) {
  if (plan.ceilings || !plan.speaks_of_ceilings()) {
    return {"not-measured", "no ceiling of this machine has been measured"};
  }
  return plan.ceilings.missing();
}

Reading<model::MemoryCall> memory_call(const experiment::Plan& plan, const experiment::Cell& cell,
                                       std::size_t slot) {
  return work_of(cell, slot).transform([&](const experiment::WorkDescription& work) {
    model::MemoryCall call{work.bytes_read, work.bytes_written, cell.footprint_bytes,
                           state_of(plan, cell, slot) == "cold"};
    call.flop = work.flop_by_any_dtype();
    return call;
  });
}

LimitsResult limits_result(const Index& index, std::size_t cell, const model::MemoryCall& call,
                           const model::Ceilings& ceilings, double call_ns) {
  LimitsResult result;
  result.predicted = model::limits_of(call, ceilings, launch_ns(index, cell, ceilings));
  result.share_frac = model::share_of_bound(result.predicted, call_ns);
  result.bound = model::bound_word(result.predicted, call_ns);
  return result;
}

void refuse_impossible(const Index& index, std::vector<std::vector<Validity>>& validity) {
  const experiment::Plan& plan = index.plan();
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    for (std::size_t slot = 0; slot < plan.cells[cell].subjects.size(); ++slot) {
      if (!validity[cell][slot].why_invalid.empty()) continue;
      const auto call = memory_call(plan, plan.cells[cell], slot);
      if (!call) continue;
      const model::Ceilings ceilings = ceilings_of(plan, plan.cells[cell], slot);
      const Reading<model::LeastTime> least = model::least_time(*call, ceilings);
      if (!least) continue;
      std::vector<double> log_medians;
      for (const TrialPair& pair : index.pairs(cell, slot)) {
        log_medians.push_back(std::log(stats::median(pair.subject->call_ns())));
      }
      if (log_medians.empty()) continue;
      const double call_ns = std::exp(stats::mean(log_medians));
      if (call_ns >= least->ns) continue;
      validity[cell][slot].why_invalid = impossible_text(*call, ceilings, *least, call_ns);
    }
  }
}

}  // namespace assay::judge::detail
