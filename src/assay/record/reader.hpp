// SPDX-License-Identifier: MIT
//
// Reader: a record from its files, sealed or not, on any machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/experiment/outcome.hpp"
#include "assay/experiment/plan.hpp"
#include "assay/record/tables.hpp"

namespace assay::record {

struct Checks {
  std::vector<experiment::CheckResult> results;
  std::vector<experiment::Failure> failures;
};
Json to_json(const Checks& checks);
Checks checks_from_json(const Json& json, const std::string& where);

// What the verdicts are computed from: all of it is in files.
struct Evidence {
  experiment::Plan plan;
  experiment::Calibration calibration;
  SampleTable samples;
  std::vector<Trial> trials;
  Checks checks;
};

struct Record {
  std::filesystem::path path;
  std::string plan_sha256;  // of plan.json as it lies there
  std::string sealed_utc;   // when the plan was sealed
  bool is_sealed = false;   // has manifests
  bool has_calibration = false;
  Evidence evidence;
  std::optional<Json> result;  // result.json as written; absent in an interrupted record
  std::optional<Json> environment;
};

// Throws Error{bad_input}: no such directory, not a record, a file that cannot be read, an unknown
// format version.
Record open(const std::filesystem::path& path);

// Every difference between the bag and its manifests, each a sentence naming the file: changed,
// missing, not listed, bad tag file, plan.sha256 that does not match plan.json. Empty: intact. For
// a record that was never sealed, one sentence saying so.
std::vector<std::string> integrity_differences(const std::filesystem::path& path);

}  // namespace assay::record
