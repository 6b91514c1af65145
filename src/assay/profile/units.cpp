// SPDX-License-Identifier: MIT
#include "assay/profile/units.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "assay/base/error.hpp"

namespace assay::profile {
namespace {

using experiment::Cell;
using experiment::Plan;
using experiment::SubjectId;

constexpr std::size_t most_named = 12;

// The axes in one order, whichever they were written in.
std::string canonical(const Case& the_case) {
  auto entries = the_case.entries();
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return Case(std::move(entries)).id();
}

std::string canonical_of(const std::string& id) {
  try {
    return canonical(Case::parse(id));
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, "--case '" + id + "': " + error.what());
  }
}

bool is_wanted(const std::vector<std::string>& wanted, const std::string& name) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

void expect_known(const char* option, const std::vector<std::string>& wanted,
                  const std::set<std::string>& known, const std::set<std::string>& also = {}) {
  for (const std::string& name : wanted) {
    if (known.contains(name) || also.contains(name)) continue;
    std::string names;
    std::size_t count = 0;
    for (const std::string& each : known) {
      if (++count > most_named) break;
      names += (names.empty() ? "" : ", ") + each;
    }
    throw Error(ErrorKind::usage, std::string(option) + " '" + name +
                                      "': the record has none of that name. It has: " + names +
                                      (count > most_named ? ", …" : ""));
  }
}

const experiment::SubjectDescription* description_of(const Plan& plan, const std::string& problem,
                                                     const SubjectId& id) {
  for (std::size_t i = 0; i < plan.builds.size() && i < plan.descriptions.size(); ++i) {
    if (plan.builds[i].name != id.build) continue;
    for (const auto& described : plan.descriptions[i].problems) {
      if (described.name != problem) continue;
      for (const auto& subject : described.subjects) {
        if (subject.name == id.name) return &subject;
      }
    }
  }
  return nullptr;
}

std::int64_t calls_timed(const experiment::Calibration& calibration, const std::string& cell) {
  for (const auto& each : calibration.cells) {
    if (each.cell == cell && each.iterations) return std::max<std::int64_t>(*each.iterations, 1);
  }
  return 1;
}

}  // namespace

std::vector<Unit> units_of(const Plan& plan, const experiment::Calibration& calibration,
                           const Selection& selection) {
  std::vector<std::string> cases;
  for (const std::string& id : selection.cases) cases.push_back(canonical_of(id));
  std::set<std::string> known_subjects;
  std::set<std::string> known_names;
  std::set<std::string> known_cases;
  std::set<std::string> known_states;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  std::vector<Unit> units;
  bool has_cold_starts = false;
  for (const Cell& cell : plan.cells) {
    // Under a tool the start of a process is the tool's.
    if (cell.is_cold_start()) {
      has_cold_starts = true;
      continue;
    }
    const std::string the_case = canonical(cell.the_case);
    known_cases.insert(the_case);
    known_states.insert(cell.state);
    for (const SubjectId& subject : cell.subjects) {
      known_subjects.insert(subject.text());
      known_names.insert(subject.name);
      const bool is_asked = (is_wanted(selection.subjects, subject.text()) ||
                             is_wanted(selection.subjects, subject.name)) &&
                            is_wanted(cases, the_case) && is_wanted(selection.states, cell.state) &&
                            selection.filter.passes(cell.id());
      if (!is_asked) continue;
      // Of two boundaries the first is as good as the other.
      if (!seen.emplace(cell.problem, the_case, cell.state, subject.text()).second) continue;
      Unit unit{cell.problem,
                cell.the_case,
                cell.state,
                "",
                subject,
                subject == cell.subjects.front(),
                1,
                calls_timed(calibration, cell.id())};
      if (const auto* described = description_of(plan, cell.problem, subject)) {
        unit.threads = described->threads;
        const auto own = described->parameters.find("state");
        if (own != described->parameters.end()) unit.own_state = own->second;
      }
      units.push_back(std::move(unit));
    }
  }
  if (has_cold_starts && known_cases.empty()) {
    throw Error(
        ErrorKind::usage,
        "the record is of cold starts alone, and under a tool the start of a process is the "
        "tool's; measure the same at the boundary call or device, and profile that record");
  }
  expect_known("--subject", selection.subjects, known_subjects, known_names);
  expect_known("--case", cases, known_cases);
  expect_known("--state", selection.states, known_states);
  if (units.empty()) {
    throw Error(ErrorKind::usage,
                "nothing of the record is left to count: --subject, --case, --state and --filter "
                "have no cell in common");
  }
  return units;
}

}  // namespace assay::profile
