// SPDX-License-Identifier: MIT
//
// Reader: a record from its files, sealed or not, on any machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/experiment/plan.hpp"
#include "assay/record/checks.hpp"
#include "assay/record/startup_table.hpp"
#include "assay/record/tables.hpp"
#include "assay/record/telemetry_table.hpp"

namespace assay::record {

// What the verdicts are computed from: all of it is in files.
struct Evidence {
  experiment::Plan plan;
  experiment::Calibration calibration;
  SampleTable samples;
  std::vector<Trial> trials;
  std::vector<TelemetryRow> telemetry;  // empty: the device does not tell
  std::vector<StartupRow> startup;      // of the boundary cold-start only
  Checks checks;
  std::optional<Json> environment;  // environment.json; absent where there is none
};

inline constexpr std::string_view result_format = "assay-result/1";
inline constexpr std::string_view environment_format = "assay-environment/1";

struct Record {
  std::filesystem::path path;
  std::string plan_sha256;       // of plan.json as it lies there
  std::string sealed_utc;        // when the plan was sealed
  bool is_sealed = false;        // has a manifest
  bool has_calibration = false;  // false: it was interrupted before or while calibrating
  Evidence evidence;
  std::optional<Json> result;            // result.json as written; absent in an interrupted record
  std::vector<CommandRun> command_runs;  // of commands only; nothing is computed from them
};

// Throws Error{bad_input}: no such directory, not a record, a file that cannot be read, an unknown
// format version. A record that was interrupted at any moment after its plan was sealed can be
// opened; that files were changed is for integrity_differences to find.
Record open(const std::filesystem::path& path);

// Every difference between the bag and its manifests, each a sentence naming the file: changed,
// missing, added, bad tag file, wrong Payload-Oxum, a plan or calibration that is not the one that
// was sealed. Empty: intact. For a record that was never sealed, a sentence saying so. Throws
// Error{bad_input} if there is no record.
std::vector<std::string> integrity_differences(const std::filesystem::path& path);

}  // namespace assay::record
