// SPDX-License-Identifier: MIT
#include "assay/record/reader.hpp"

#include <algorithm>

#include "assay/base/digest.hpp"
#include "assay/record/bag.hpp"
#include "assay/record/companion.hpp"
#include "assay/record/files.hpp"
#include "assay/record/seals.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

void expect_record(const fs::path& path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) {
    throw Error(ErrorKind::bad_input,
                "cannot open the record " + path.string() + ": there is no such directory");
  }
  if (is_companion(path)) {
    throw Error(ErrorKind::bad_input,
                "cannot open the record " + path.string() +
                    ": it is a companion of a record, with counters and no times. `assay show` and "
                    "`assay verify` take it; for all else give the record that it is about.");
  }
  if (!fs::exists(path / "data" / "plan.json", failure) &&
      fs::is_directory(path / "data", failure)) {
    throw Error(
        ErrorKind::bad_input,
        "cannot open the record " + path.string() +
            ": it has no data/plan.json. A run that was killed before it wrote its plan "
            "leaves such a directory, with nothing measured: remove it and run anew. Else it "
            "is not a record.");
  }
  if (!fs::is_regular_file(path / "data" / "plan.json", failure)) {
    throw Error(ErrorKind::bad_input,
                "cannot open the record " + path.string() +
                    ": it is not a record, as it has no data/plan.json. Give the directory "
                    "that holds 'data'.");
  }
}

Json json_of_file(const fs::path& file, std::string_view format) {
  Json json = parse_json(read_file(file), file.string());
  expect_format(json, format, file.string());
  return json;
}

std::optional<Json> json_if_there(const fs::path& file, std::string_view format) {
  if (!fs::exists(file)) return std::nullopt;
  return json_of_file(file, format);
}

std::string time_of_seal(const fs::path& data) {
  try {
    const auto seals = read_seals(data);
    const auto plan = std::find_if(seals.begin(), seals.end(),
                                   [](const Seal& seal) { return seal.file == "plan.json"; });
    return plan == seals.end() ? std::string() : plan->sealed_utc;
  } catch (const Error&) {
    return {};  // integrity_differences says what is wrong with it
  }
}

Record read(const fs::path& path) {
  const fs::path data = path / "data";
  Record record;
  record.path = path;
  record.is_sealed = is_bag(path);
  record.sealed_utc = time_of_seal(data);

  const std::string plan_text = read_file(data / "plan.json");
  const std::string plan_where = (data / "plan.json").string();
  const Json plan = parse_json(plan_text, plan_where);
  expect_format(plan, experiment::plan_format, plan_where);
  record.plan_sha256 = sha256_hex(plan_text);
  record.evidence.plan = experiment::plan_from_json(plan, plan_where);

  const fs::path calibration = data / "calibration.json";
  if (const auto json = json_if_there(calibration, experiment::calibration_format)) {
    record.has_calibration = true;
    record.evidence.calibration = experiment::calibration_from_json(*json, calibration.string());
  }
  const fs::path checks = data / "checks.json";
  if (const auto json = json_if_there(checks, checks_format)) {
    record.evidence.checks = checks_from_json(*json, checks.string());
  }
  // Only what was never sealed may lack its tables or end in the middle of a row.
  const bool may_be_cut = !record.is_sealed;
  if (record.is_sealed || fs::exists(data / "samples.csv")) {
    record.evidence.samples = read_samples(data / "samples.csv", may_be_cut);
  }
  if (record.is_sealed || fs::exists(data / "trials.csv")) {
    record.evidence.trials = read_trials(data / "trials.csv", may_be_cut);
  }
  if (fs::exists(data / command_runs_name)) {
    record.command_runs = read_command_runs(data / command_runs_name, may_be_cut);
  }
  if (fs::exists(data / "telemetry.csv")) {
    record.evidence.telemetry = read_telemetry(data / "telemetry.csv", may_be_cut);
  }
  if (fs::exists(data / startup_name)) {
    record.evidence.startup = read_startup(data / startup_name, may_be_cut);
  }
  record.result = json_if_there(data / "result.json", result_format);
  record.evidence.environment = json_if_there(data / "environment.json", environment_format);
  return record;
}

// What the library's directory functions throw becomes ours.
template <typename F>
auto as_bad_input(const fs::path& path, F&& f) {
  try {
    return f();
  } catch (const fs::filesystem_error& error) {
    throw Error(ErrorKind::bad_input, "cannot read " + path.string() + ": " + error.what(),
                error.code().value());
  }
}

}  // namespace

Record open(const fs::path& path) {
  expect_record(path);
  return as_bad_input(path, [&] { return read(path); });
}

std::vector<std::string> integrity_differences(const fs::path& path) {
  std::error_code failure;
  // A record without its plan is a difference as long as something says that this was a record.
  if (!is_bag(path) || !fs::is_directory(path / "data", failure)) expect_record(path);
  return as_bad_input(path, [&] {
    std::vector<std::string> differences;
    if (is_bag(path)) {
      differences = bag_differences(path);
    } else if (fs::exists(path / tag_manifest_name)) {
      differences.push_back(std::string(manifest_name) + " is missing");
    } else {
      differences.emplace_back(
          "the record was never sealed: it has no manifests, so nothing says whether its files "
          "were changed");
    }
    for (auto& difference : seal_differences(path / "data")) {
      differences.push_back(std::move(difference));
    }
    return differences;
  });
}

}  // namespace assay::record
