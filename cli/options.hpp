// SPDX-License-Identifier: MIT
//
// What the command line says, as plain data: one struct a command. main.cpp fills them, the command
// files act on them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/doctor/noise_trials.hpp"

namespace assay::cli {

// --json: absent, "-" for stdout, else a file.
struct JsonTarget {
  std::optional<std::string> file;
  bool is_wanted() const { return file.has_value(); }
  bool is_stdout() const { return file == "-"; }
};

struct RunOptions {
  std::string experiment;  // a file, a folder with experiment.toml, or a program
  std::string program;
  std::string resume;
  std::string device;  // empty: cpu, or the one that the record was begun with
  std::string budget;
  std::string filter;
  std::filesystem::path records = "records";
  std::vector<std::string> axes;
  bool quick = false;
  bool list = false;
  bool dry_run = false;
  bool strict = false;
  bool force_compile = false;
  JsonTarget json;
};

struct NewOptions {
  std::string name;
  std::string from;  // a record
};

struct DoctorOptions {
  bool noise = false;
  bool ceilings = false;
  std::int64_t trials = doctor::kNoiseTrials;
  std::string device = "cpu";
  std::string budget;
  std::optional<std::uint64_t> seed;  // absent: a fresh one
  std::filesystem::path records;      // empty: records/ in the state directory
  JsonTarget json;
};

struct EnvOptions {
  // Each a record, an environment.json, or "now".
  std::string before;
  std::string after;
  JsonTarget json;
};

struct ProfileOptions {
  std::filesystem::path record;
  std::string tool;
  std::string tool_path;
  std::vector<std::string> events;
  std::vector<std::string> metrics;
  std::string replay;
  std::vector<std::string> programs;  // PATH, or BUILD=PATH
  bool other_program = false;
  std::vector<std::string> subjects;
  std::vector<std::string> cases;
  std::vector<std::string> states;
  std::string filter;
  std::optional<std::int64_t> calls;
  std::string timeout;
  std::filesystem::path output;
  JsonTarget json;
};

struct RecordOptions {
  std::vector<std::string> records;
  std::string output;
  bool details = false;
  JsonTarget json;
};

// Each returns the exit status. They throw assay::Error for what went wrong.
int run_command(const RunOptions& options, const std::string& command_line);
int new_command(const NewOptions& options);
int doctor_command(const DoctorOptions& options, const std::string& command_line);
int env_command(const EnvOptions& options);
int env_diff_command(const EnvOptions& options);
int profile_command(const ProfileOptions& options, const std::string& command_line);
int show_command(const RecordOptions& options);
int report_command(const RecordOptions& options);
int verify_command(const RecordOptions& options);

}  // namespace assay::cli
