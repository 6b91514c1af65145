// SPDX-License-Identifier: MIT
//
// The checks that a record's files agree with each other, by the file that each is about. No number
// of the result is computed from what they compare, so that recomputing it would not notice.
// Internal to judge/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "assay/record/reader.hpp"

namespace assay::judge::detail {

// Of each kind of difference in a file the first one is named, the others are counted: what was
// changed in one place often shows in a thousand rows.
class Differences {
 public:
  explicit Differences(std::string file) : file_(std::move(file)) {}
  void add(const std::string& kind, std::string first);
  void write(std::vector<std::string>& differences) const;

 private:
  std::string file_;
  std::map<std::string, std::pair<std::string, std::size_t>> by_kind_;
};

// A process by its trial and number, with its row in trials.csv; of a number that stands there
// twice the first.
using ProcessRows = std::map<std::pair<std::int64_t, std::int64_t>, const record::Trial*>;
ProcessRows process_rows(const std::vector<record::Trial>& trials);

std::string process_text(std::int64_t trial, std::int64_t process);
std::string cell_text(const std::string& problem, const std::string& case_id,
                      const std::string& state, const std::string& boundary);
// The cell that a sample belongs to.
std::string cell_text(const record::Sample& row, const record::Dictionary& names);

// A fact of environment.json; missing where the file or the fact is.
Reading<std::int64_t> fact_of(const record::Record& record, const char* section, const char* name);

void check_trials(const record::Record& record, std::vector<std::string>& differences);
void check_samples(const record::Record& record, std::vector<std::string>& differences);
void check_kernels(const record::Record& record, std::vector<std::string>& differences);
void check_startup(const record::Record& record, std::vector<std::string>& differences);
void check_telemetry(const record::Record& record, std::vector<std::string>& differences);
void check_command_runs(const record::Record& record, std::vector<std::string>& differences);
void check_environment(const record::Record& record, std::vector<std::string>& differences);
void check_checks(const record::Record& record, std::vector<std::string>& differences);

}  // namespace assay::judge::detail
