// SPDX-License-Identifier: MIT
//
// What must agree between the files of a record although no number is computed from it.
#include <fmt/format.h>

#include <filesystem>

#include "assay/base/counted.hpp"
#include "assay/base/digest.hpp"
#include "assay/judge/consistency_parts.hpp"
#include "assay/judge/judge.hpp"

namespace assay::judge {
namespace detail {

void Differences::add(const std::string& kind, std::string first) {
  auto& entry = by_kind_[kind];
  if (entry.second++ == 0) entry.first = std::move(first);
}

void Differences::write(std::vector<std::string>& differences) const {
  for (const auto& [kind, entry] : by_kind_) {
    const auto& [first, count] = entry;
    differences.push_back(file_ + ": " + first +
                          (count > 1 ? ", and " + counted(count - 1, "more row") + " alike" : ""));
  }
}

ProcessRows process_rows(const std::vector<record::Trial>& trials) {
  ProcessRows rows;
  for (const record::Trial& row : trials) rows.emplace(std::pair(row.trial, row.process), &row);
  return rows;
}

std::string process_text(std::int64_t trial, std::int64_t process) {
  return fmt::format("process {} in trial {}", process, trial);
}

std::string cell_text(const std::string& problem, const std::string& case_id,
                      const std::string& state, const std::string& boundary) {
  return problem + "/" + case_id + "/" + state + "/" + boundary;
}

std::string cell_text(const record::Sample& row, const record::Dictionary& names) {
  return cell_text(names.name(row.problem), names.name(row.case_id), names.name(row.state),
                   names.name(row.boundary));
}

Reading<std::int64_t> fact_of(const record::Record& record, const char* section, const char* name) {
  const Missing unknown{"not-in-the-record", ""};
  if (!record.evidence.environment || !record.evidence.environment->is_object()) return unknown;
  const auto of_section = record.evidence.environment->find(section);
  if (of_section == record.evidence.environment->end() || !of_section->is_object()) return unknown;
  const auto fact = of_section->find(name);
  if (fact == of_section->end() || !fact->is_object()) return unknown;
  const auto value = fact->find("value");
  if (value == fact->end() || !value->is_number_integer()) return unknown;
  return value->get<std::int64_t>();
}

}  // namespace detail

namespace {

void check_files(const record::Record& record, std::vector<std::string>& differences) {
  const auto data = record.path / "data";
  for (const char* name : {"environment.json", "checks.json", "report.html"}) {
    if (record.is_sealed && !std::filesystem::exists(data / name)) {
      differences.push_back(fmt::format("{}: missing from a sealed record", name));
    }
  }
  const std::string& digest = record.evidence.plan.experiment_digest;
  if (digest.empty()) return;
  const auto file = data / "experiment.toml";
  if (!std::filesystem::exists(file)) {
    differences.push_back("experiment.toml: missing, though the plan was made from it");
  } else if (sha256_hex_of_file(file) != digest) {
    differences.push_back("experiment.toml: not the file that the plan was made from");
  }
}

}  // namespace

std::vector<std::string> consistency_differences(const record::Record& record) {
  std::vector<std::string> differences;
  check_files(record, differences);
  detail::check_trials(record, differences);
  detail::check_samples(record, differences);
  detail::check_kernels(record, differences);
  detail::check_telemetry(record, differences);
  detail::check_startup(record, differences);
  detail::check_command_runs(record, differences);
  detail::check_checks(record, differences);
  detail::check_environment(record, differences);
  return differences;
}

}  // namespace assay::judge
