// SPDX-License-Identifier: MIT
#include "assay/report/startup_words.hpp"

#include <algorithm>
#include <map>

#include "assay/judge/text.hpp"
#include "assay/report/words.hpp"

namespace assay::report {
namespace {

std::string reason_text(const std::string& reason) {
  static const std::map<std::string, std::string> words{
      {no_phase::no_driver, "the device needs none"},
      {no_phase::no_tensors, "the problem declares no inputs and outputs"},
      {no_phase::no_source, "the subjects are linked code"},
      {no_phase::no_preparation, "no subject declares one"},
      {no_phase::not_told, "the worker does not tell"},
      {no_phase::implausible, "what the worker said cannot be"}};
  const auto found = words.find(reason);
  return found == words.end() ? reason : found->second;
}

}  // namespace

StartupTable startup_table(const judge::CellResult& cell) {
  StartupTable table;
  table.header = {"subject"};
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < startup_phases; ++i) {
    const std::string name(to_string(static_cast<StartupPhase>(i)));
    std::string reason;
    bool is_known = false;
    for (const judge::SubjectResult& subject : cell.subjects) {
      if (subject.startup.size() != startup_phases) continue;
      const auto& median_ns = subject.startup[i].median_ns;
      is_known = is_known || median_ns.has_value();
      if (!median_ns) reason = median_ns.missing().reason;
    }
    if (is_known) {
      shown.push_back(i);
      table.header.push_back(name);
    } else if (!reason.empty()) {
      table.notes.push_back(name + ": " + reason_text(reason));
    }
  }
  for (const judge::SubjectResult& subject : cell.subjects) {
    if (subject.startup.size() != startup_phases) continue;
    std::vector<std::string> row{subject.subject};
    for (const std::size_t i : shown) row.push_back(time_or_dash(subject.startup[i].median_ns));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace assay::report
