// SPDX-License-Identifier: MIT
//
// command-runs.csv against samples.csv and trials.csv: a row for each run, in the same order, and
// no more processor time, memory, faults and switches than the run and the machine had.
#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "assay/base/counted.hpp"
#include "assay/judge/consistency_parts.hpp"

namespace assay::judge::detail {
namespace {

using record::CommandRun;
using record::Sample;

// Where a run stands: trial, process, cell, phase, block and position within it.
using Place =
    std::tuple<std::int64_t, std::int64_t, std::string, record::Phase, std::int64_t, std::int64_t>;

Place place_of(const CommandRun& run) {
  return {run.trial, run.process, cell_text(run.problem, run.case_id, run.state, run.boundary),
          run.phase, run.block,   run.position};
}

Place place_of(const Sample& row, const record::Dictionary& names) {
  return {row.trial, row.process, cell_text(row, names), row.phase, row.block, row.position};
}

std::string text_of(const Place& place, const std::string& subject) {
  const auto& [trial, process, cell, phase, block, position] = place;
  return fmt::format("{} at place {} of block {} ({}) of {}, in trial {}, process {}", subject,
                     position, block, record::to_string(phase), cell, trial, process);
}

// On some machines the kernel counts a process's time by ticks, of at most 10 ms: one for the
// program's own time, one for the kernel's.
constexpr double kTicks_ns = 20e6;

void check_time(const CommandRun& run, const Sample& row, std::int64_t cores,
                const std::string& text, Differences& found) {
  const double charged_ns = static_cast<double>(run.user_ns) + static_cast<double>(run.system_ns);
  if (cores < 1 || charged_ns <= row.interval_ns * static_cast<double>(cores) + kTicks_ns) return;
  found.add("time", fmt::format("{} was charged {:.0f} ns of processor time; samples.csv "
                                "has an interval of {:.0f} ns, on {}",
                                text, charged_ns, row.interval_ns, counted(cores, "core")));
}

// What each of them costs at least: it enters the kernel and returns, which no processor does in
// less. Far below what is usual, so that no honest row comes near.
constexpr double kLeastOfAnEvent_ns = 20;

void check_counts(const CommandRun& run, const Sample& row, std::int64_t cores,
                  const std::string& text, Differences& found) {
  if (cores < 1) return;
  const double most =
      (row.interval_ns * static_cast<double>(cores) + kTicks_ns) / kLeastOfAnEvent_ns;
  const std::pair<const char*, std::int64_t> counts[] = {
      {"minor faults", run.minor_faults},
      {"major faults", run.major_faults},
      {"voluntary switches", run.voluntary_switches},
      {"involuntary switches", run.involuntary_switches}};
  for (const auto& [name, count] : counts) {
    if (static_cast<double>(count) <= most) continue;
    found.add(name, fmt::format("{} has {} {}; no more than {:.0f} are possible in an interval of "
                                "{:.0f} ns, on {}",
                                text, count, name, most, row.interval_ns, counted(cores, "core")));
  }
}

void check_memory(const CommandRun& run, const Reading<std::int64_t>& memory_bytes,
                  const std::string& text, Differences& found) {
  if (!run.max_rss_bytes) {
    const std::string& reason = run.max_rss_bytes.missing().reason;
    if (reason != "below-the-parents" && reason != "not-measured") {
      found.add("memory",
                text + " lacks its memory for the reason '" + reason + "', which there is none of");
    }
  } else if (*run.max_rss_bytes < 1) {
    found.add("memory", text + " had no memory at all");
  } else if (memory_bytes && *run.max_rss_bytes > *memory_bytes) {
    found.add("memory", fmt::format("{} had {} bytes of memory; environment.json has {} in all",
                                    text, *run.max_rss_bytes, *memory_bytes));
  }
}

}  // namespace

void check_command_runs(const record::Record& record, std::vector<std::string>& differences) {
  const record::Evidence& evidence = record.evidence;
  if (!evidence.plan.is_of_commands()) {
    if (!record.command_runs.empty()) {
      differences.push_back(record::command_runs_name +
                            std::string(": runs of commands, though the plan has none"));
    }
    return;
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> cores;  // by trial and process
  for (const record::Trial& row : evidence.trials) {
    cores[{row.trial, row.process}] = row.cores_allowed ? *row.cores_allowed : 0;
  }
  const record::Dictionary& names = evidence.samples.names;
  std::map<Place, std::size_t> rows;  // of samples.csv
  for (std::size_t i = 0; i < evidence.samples.rows.size(); ++i) {
    rows.emplace(place_of(evidence.samples.rows[i], names), i);
  }
  const Reading<std::int64_t> memory_bytes = fact_of(record, "memory", "total_bytes");
  Differences found(record::command_runs_name);
  std::size_t next = 0;  // row that a run may belong to: they are in the same order
  for (const CommandRun& run : record.command_runs) {
    const Place place = place_of(run);
    const std::string text = text_of(place, run.subject);
    const auto row = rows.find(place);
    if (row == rows.end()) {
      found.add("surplus", "a row for " + text + ", which samples.csv does not have");
      continue;
    }
    const Sample& sample = evidence.samples.rows[row->second];
    if (const std::string& subject = names.name(sample.subject); subject != run.subject) {
      found.add("subject", "a row for " + text + "; samples.csv has " + subject + " there");
    }
    if (row->second < next) found.add("order", "not in the order of samples.csv: " + text);
    next = row->second + 1;
    const auto of_process = cores.find({run.trial, run.process});
    const std::int64_t allowed = of_process == cores.end() ? 0 : of_process->second;
    check_time(run, sample, allowed, text, found);
    check_counts(run, sample, allowed, text, found);
    check_memory(run, memory_bytes, text, found);
    rows.erase(row);
  }
  for (const auto& [place, row] : rows) {
    // What has no row in trials.csv is told of there.
    if (!cores.contains({std::get<0>(place), std::get<1>(place)})) continue;
    found.add("missing", "no row for " +
                             text_of(place, names.name(evidence.samples.rows[row].subject)) +
                             ", which samples.csv has");
  }
  found.write(differences);
}

}  // namespace assay::judge::detail
