// SPDX-License-Identifier: MIT
#include "assay/doctor/ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "assay/base/counted.hpp"
#include "assay/base/time.hpp"
#include "assay/env/environment.hpp"
#include "assay/judge/text.hpp"
#include "assay/run/crew.hpp"

namespace assay::doctor {
namespace {

namespace fs = std::filesystem;

constexpr double kKib = 1024;

std::string bytes_text(double bytes) {
  for (const char* unit : {"B", "KiB", "MiB"}) {
    if (bytes < kKib) return fmt::format("{:.4g} {}", bytes, unit);
    bytes /= kKib;
  }
  return fmt::format("{:.4g} GiB", bytes);
}

// How much worse the middle pass was than the best.
std::string spread_text(const Passes& passes) {
  const double worse =
      passes.best > passes.median ? passes.best / passes.median : passes.median / passes.best;
  return fmt::format("{:.1f} %", 100 * (worse - 1));
}

std::string levels_text(const MachineCeilings& ceilings) {
  std::string text;
  for (const MemoryLevel& level : ceilings.levels) {
    text += text.empty() ? "" : ", ";
    if (level.count > 1) text += fmt::format("{} × ", level.count);
    text += level.name + " ";
    text += level.bytes ? bytes_text(static_cast<double>(*level.bytes))
                        : "(" + level.bytes.missing().detail + ")";
  }
  return text;
}

using Row = std::vector<std::string>;

// Left-aligned texts, then right-aligned numbers.
std::string table(const std::vector<Row>& rows, std::size_t texts) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += i < texts ? fmt::format(" {:<{}}", row[i], widths[i])
                        : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

void add_number(Row& row, const Reading<Passes>& reading, std::string (*rate)(double)) {
  row.push_back(reading ? rate(reading->best) : reading.missing().reason);
  row.push_back(reading ? spread_text(*reading) : "");
  row.push_back(reading ? std::to_string(reading->count) : "");
}

// A device's rows are of all of it: it has no column for threads.
void add_threads(Row& row, const MachineCeilings& ceilings, const std::string& threads) {
  if (!ceilings.are_of_device()) row.push_back(threads);
}

void add_head(Row& row) {
  for (const char* name : {"best", "median off by", "passes"}) row.emplace_back(name);
}

std::string bandwidths_text(const MachineCeilings& ceilings) {
  std::vector<Row> rows{{"level", "kernel", "stores"}};
  add_threads(rows.front(), ceilings, "threads");
  rows.front().emplace_back("each array");
  add_head(rows.front());
  for (const MemoryLevel& level : ceilings.levels) {
    for (const BandwidthCeiling& ceiling : ceilings.bandwidths) {
      if (ceiling.level != level.name) continue;
      Row row{level.name, ceiling.kernel, ceiling.stores};
      add_threads(row, ceilings, std::to_string(ceiling.threads));
      row.push_back(bytes_text(static_cast<double>(ceiling.array_bytes)));
      add_number(row, ceiling.bytes_per_s, judge::bytes_rate_text);
      rows.push_back(std::move(row));
    }
  }
  return table(rows, 3);
}

std::string compute_text(const MachineCeilings& ceilings) {
  const bool is_device = ceilings.are_of_device();
  std::vector<Row> rows{is_device ? Row{"arithmetic", "kernel"} : Row{"multiply-add"}};
  add_threads(rows.front(), ceilings, "threads");
  add_head(rows.front());
  for (const ComputeCeiling& ceiling : ceilings.compute) {
    Row row{ceiling.dtype};
    if (is_device) {
      row.push_back(ceiling.kernel + (ceiling.library.empty() ? "" : " by " + ceiling.library));
    }
    add_threads(row, ceilings, std::to_string(ceiling.threads));
    add_number(row, ceiling.flop_per_s, judge::flop_rate_text);
    rows.push_back(std::move(row));
  }
  return table(rows, is_device ? 2 : 1);
}

std::string ns_text(double ns) { return judge::time_text(ns); }

std::string calls_text(const MachineCeilings& ceilings) {
  std::vector<Row> rows{{"call", "best", "median off by", "passes"}};
  for (const CallCost& cost : ceilings.calls) {
    Row row{cost.name};
    add_number(row, cost.ns, ns_text);
    rows.push_back(std::move(row));
  }
  return table(rows, 1);
}

// Every reason why a row is missing, once.
std::vector<std::string> reservations(const MachineCeilings& ceilings) {
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& row, const Reading<Passes>& reading) {
    if (!reading) sentences.push_back(row + ": " + reading.missing().detail);
  };
  const auto of_threads = [&](std::int64_t threads) {
    return ceilings.are_of_device() ? "" : ", " + counted(threads, "thread");
  };
  for (const BandwidthCeiling& row : ceilings.bandwidths) {
    add(fmt::format("{}, {}, {} stores{}", row.level, row.kernel, row.stores,
                    of_threads(row.threads)),
        row.bytes_per_s);
  }
  for (const ComputeCeiling& row : ceilings.compute) {
    add(row.dtype + of_threads(row.threads), row.flop_per_s);
  }
  for (const CallCost& row : ceilings.calls) add(row.name, row.ns);
  for (const MemoryLevel& level : ceilings.levels) {
    if (!level.bytes)
      sentences.push_back("size of " + level.name + ": " + level.bytes.missing().detail);
  }
  if (ceilings.levels.size() == 1) {
    sentences.push_back("caches: their sizes are not known, so the memory alone was measured");
  }
  return sentences;
}

}  // namespace

bool CeilingsReport::is_complete() const { return entry && reservations(entry->ceilings).empty(); }

bool are_stored_of(const std::string& device) { return !device.starts_with("cuda"); }

CeilingsReport measure_ceilings(const run::MeasureCeilings& options,
                                const Reading<fs::path>& state) {
  // A file that cannot be read or written is better found before than after it.
  if (are_stored_of(options.device)) {
    env::read_ceilings(env::to_store_in(state));
    env::expect_writable(env::ceilings_file, *state);
  }
  CeilingsReport report;
  const Json environment = env::environment_of_this_machine();
  auto measured = run::measure_ceilings(options);
  if (!measured) return report;
  env::StoredCeilings entry;
  entry.machine_fingerprint = env::machine_fingerprint(environment);
  const Json& hostname = environment.at("system").at("hostname");
  entry.hostname = hostname.contains("value") ? hostname.at("value").get<std::string>() : "unnamed";
  entry.device = measured->device;
  entry.measured_utc = utc_now_text();
  entry.assay_version = ASSAY_VERSION;
  entry.environment = env::summary_of(environment);
  entry.ceilings = measured->ceilings;
  report.entry = std::move(entry);
  if (report.entry->ceilings.are_of_device() || !are_stored_of(options.device)) {
    report.why_not_stored = "nothing: each plan for this device measures them anew";
    return report;
  }
  const auto kept =
      env::write_ceilings_unless(*state, *report.entry, [&](const env::StoredCeilings& before) {
        // Those that no run on these cores would take are none to keep.
        return env::are_of_cores(before, run::cores_allowed()) &&
               reservations(before.ceilings).empty() && !report.is_complete();
      });
  if (kept) {
    report.why_not_stored =
        "nothing: the ceilings of " + kept->measured_utc + " stay in force, which are complete";
  } else {
    report.file = *state / env::ceilings_name;
  }
  return report;
}

std::string ceilings_text(const CeilingsReport& report) {
  if (!report.entry) {
    return "Interrupted: no ceilings were measured, and what was known before stays.\n";
  }
  const MachineCeilings& ceilings = report.entry->ceilings;
  const std::string what =
      ceilings.are_of_device()
          ? ceilings.instructions
          : fmt::format("{}, vectors of {} bits ({})", counted(ceilings.cores.size(), "core"),
                        ceilings.vector_bits, ceilings.instructions);
  std::string text = fmt::format("Ceilings of {}, device {}: {}, measured in {:.1f} s\n  {}\n\n",
                                 report.entry->hostname, report.entry->device, what,
                                 ceilings.took_s, levels_text(ceilings));
  text += bandwidths_text(ceilings) + "\n" + compute_text(ceilings) + "\n" + calls_text(ceilings);
  text +=
      "\n  Bytes are those that a kernel names: a copy reads and writes, a triad reads two arrays "
      "and "
      "writes one.\n"
      "  best: of all passes; median off by: how much worse the middle one was.\n";
  const auto sentences = reservations(ceilings);
  if (!sentences.empty()) {
    text += "\nNot complete:\n";
    for (const std::string& sentence : sentences) text += "  " + sentence + "\n";
  }
  return text + fmt::format("\nStored:  {}\n", report.why_not_stored.empty()
                                                   ? report.file.string()
                                                   : report.why_not_stored);
}

Json to_json(const CeilingsReport& report) {
  return {{"format", "assay-doctor-ceilings/1"},
          {"file", report.file.string()},
          {"complete", report.is_complete()},
          {"reservations",
           report.entry ? reservations(report.entry->ceilings) : std::vector<std::string>()},
          {"machine", report.entry ? env::to_json(*report.entry) : Json()}};
}

}  // namespace assay::doctor
