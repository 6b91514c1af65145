// SPDX-License-Identifier: MIT
#include "assay/judge/ceilings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "assay/judge/parts.hpp"
#include "assay/judge/text.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {

model::Ceilings ceilings_of(const experiment::Plan& plan) {
  model::Ceilings ceilings;
  const Missing none{"not-measured", "no ceiling of this machine has been measured"};
  ceilings.read_bytes_per_s = ceilings.write_bytes_per_s = none;
  ceilings.copy_bytes_per_s = ceilings.triad_bytes_per_s = none;
  if (plan.descriptions.empty()) return ceilings;
  const experiment::DeviceDescription& device = plan.descriptions.front().device;
  ceilings.last_level_cache_bytes = device.last_level_cache_bytes;
  for (const experiment::CeilingDescription& ceiling : device.ceilings) {
    if (ceiling.name == "read") ceilings.read_bytes_per_s = ceiling.bytes_per_s;
    if (ceiling.name == "write") ceilings.write_bytes_per_s = ceiling.bytes_per_s;
    if (ceiling.name == "copy") ceilings.copy_bytes_per_s = ceiling.bytes_per_s;
    if (ceiling.name == "triad") ceilings.triad_bytes_per_s = ceiling.bytes_per_s;
  }
  return ceilings;
}

namespace {

// "state" among the parameters is what Subject::in_state leaves there.
std::string state_of(const experiment::Plan& plan, const experiment::Cell& cell, std::size_t slot) {
  const experiment::SubjectId& id = cell.subjects[slot];
  for (std::size_t build = 0; build < plan.builds.size(); ++build) {
    if (plan.builds[build].name != id.build || build >= plan.descriptions.size()) continue;
    for (const auto& problem : plan.descriptions[build].problems) {
      if (problem.name != cell.problem) continue;
      for (const auto& subject : problem.subjects) {
        const auto own = subject.parameters.find("state");
        if (subject.name == id.name && own != subject.parameters.end()) return own->second;
      }
    }
  }
  return cell.state;
}

}  // namespace

Reading<model::MemoryCall> memory_call(const experiment::Plan& plan, const experiment::Cell& cell,
                                       std::size_t slot) {
  return work_of(cell, slot).transform([&](const experiment::WorkDescription& work) {
    return model::MemoryCall{work.bytes_read, work.bytes_written, cell.footprint_bytes,
                             state_of(plan, cell, slot) == "cold"};
  });
}

void refuse_impossible(const Index& index, std::vector<std::vector<Validity>>& validity) {
  const experiment::Plan& plan = index.plan();
  const model::Ceilings ceilings = ceilings_of(plan);
  const Reading<double> best = model::best_of(ceilings);
  if (!best) return;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    for (std::size_t slot = 0; slot < plan.cells[cell].subjects.size(); ++slot) {
      if (!validity[cell][slot].why_invalid.empty()) continue;
      const auto call = memory_call(plan, plan.cells[cell], slot);
      if (!call || !model::comes_from_memory(*call, ceilings)) continue;
      std::vector<double> log_medians;
      for (const TrialPair& pair : index.pairs(cell, slot)) {
        log_medians.push_back(std::log(stats::median(pair.subject->call_ns())));
      }
      if (log_medians.empty()) continue;
      const double call_ns = std::exp(stats::mean(log_medians));
      const Reading<bool> impossible = model::is_impossible(*call, call_ns, ceilings);
      if (!impossible || !*impossible) continue;
      const double bytes = call->bytes_read + call->bytes_written;
      validity[cell][slot].why_invalid = fmt::format(
          "impossible-time: {:.0f} bytes in {} are {:.3g} TB/s, and the fastest simple kernel on "
          "this device moved {:.3g} TB/s: it does not do what its work model says, or its time is "
          "wrong",
          bytes, time_text(call_ns), bytes / call_ns * 1e-3, *best * 1e-12);
    }
  }
}

}  // namespace assay::judge::detail
