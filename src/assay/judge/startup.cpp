// SPDX-License-Identifier: MIT
#include "assay/judge/startup.hpp"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

using Process = std::pair<std::int64_t, std::int64_t>;  // trial and process

// The times of each phase, or the last reason why it has none.
struct Phases {
  std::array<std::vector<double>, startup_phases> interval_ns;
  std::array<std::string, startup_phases> reason;
};

std::string subject_text(const record::Sample& row, const record::Dictionary& names) {
  const std::string& name = names.name(row.subject);
  if (name == experiment::control_name) return name;
  return experiment::SubjectId{names.name(row.build), name}.text();
}

std::vector<StartupResult> result_of(const Phases& phases) {
  std::vector<StartupResult> results;
  for (std::size_t i = 0; i < startup_phases; ++i) {
    StartupResult result;
    result.phase = static_cast<StartupPhase>(i);
    result.trials = static_cast<std::int64_t>(phases.interval_ns[i].size());
    if (result.trials > 0) {
      result.median_ns = stats::median(phases.interval_ns[i]);
    } else {
      const std::string& reason = phases.reason[i];
      result.median_ns = Missing{reason.empty() ? no_phase::not_told : reason, ""};
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace

void add_startup(std::vector<CellResult>& cells, const record::Evidence& evidence,
                 const std::vector<std::uint32_t>& last_trials) {
  if (evidence.startup.empty()) return;
  const record::Dictionary& names = evidence.samples.names;
  std::map<std::string, std::size_t> cell_of;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (evidence.plan.cells[i].is_cold_start()) cell_of[cells[i].cell] = i;
  }
  std::map<Process, std::pair<std::size_t, std::string>> whose;  // cell and subject
  for (const record::Sample& row : evidence.samples.rows) {
    if (row.phase != record::Phase::measure || row.trial == 0) continue;
    if (names.name(row.boundary) != cold_start_boundary) continue;
    const auto cell = cell_of.find(names.name(row.problem) + "/" + names.name(row.case_id) + "/" +
                                   names.name(row.state) + "/" + names.name(row.boundary));
    if (cell == cell_of.end() || row.trial > last_trials[cell->second]) continue;
    whose[{row.trial, row.process}] = {cell->second, subject_text(row, names)};
  }
  std::map<std::pair<std::size_t, std::string>, Phases> all;
  for (const record::StartupRow& row : evidence.startup) {
    const auto found = whose.find({row.trial, row.process});
    if (found == whose.end()) continue;
    Phases& phases = all[found->second];
    const auto phase = static_cast<std::size_t>(row.phase);
    if (row.time) {
      phases.interval_ns[phase].push_back(row.time->interval_ns);
    } else {
      phases.reason[phase] = row.time.missing().reason;
    }
  }
  for (const auto& [place, phases] : all) {
    for (SubjectResult& subject : cells[place.first].subjects) {
      if (subject.valid && subject.subject == place.second) subject.startup = result_of(phases);
    }
  }
}

Json startup_json(const std::vector<StartupResult>& startup) {
  Json list = Json::array();
  for (const StartupResult& each : startup) {
    list.push_back(Json{{"phase", to_string(each.phase)},
                        {"trials", each.trials},
                        {"median_ns", json_of(each.median_ns)}});
  }
  return list;
}

std::vector<StartupResult> startup_from(const Json& json, const std::string& where) {
  if (!json.is_array()) throw Error(ErrorKind::bad_input, where + " must be a list");
  std::vector<StartupResult> startup;
  for (const Json& each : json) {
    ObjectReader reader(each, where);
    const auto phase = startup_phase_of(reader.take<std::string>("phase"));
    if (!phase) throw Error(ErrorKind::bad_input, where + ": there is no such phase");
    StartupResult result;
    result.phase = *phase;
    result.trials = reader.take<std::int64_t>("trials");
    result.median_ns = reader.take_reading<double>("median_ns");
    reader.finish();
    startup.push_back(std::move(result));
  }
  return startup;
}

}  // namespace assay::judge::detail
