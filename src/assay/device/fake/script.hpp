// SPDX-License-Identifier: MIT
//
// Script: what the fake device's clock shows, and what goes wrong when. JSON, read strictly:
// docs/reference/fake-device.md has the format with an example.
//
// A subject still runs once per sample, so that its outputs are there to be checked; only the time
// comes from the script:
//
//   iterations · call_ns(code) · product of the effects that match
//     · control_bias if the label is "control" · (1 + drift_per_block · block)
//     · (1 + between_trials_sd · z1) · (1 + between_trials_subject_sd · z2)
//     · (1 + within_trial_sd · z3)
//
// with z1 normal per trial and cell, z2 also per label, z3 also per sample, all from the seed; then
// the floor of the timer is added and both ends of the interval are cut to the timer's step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {
struct MachineCeilings;
}

namespace assay::device {

// A factor on the time of a call. Absent: any. '*' in a text stands for any characters.
struct Effect {
  std::optional<std::string> subject;  // the subject whose code runs
  std::optional<std::string> problem;
  std::optional<std::string> case_id;
  std::optional<std::string> state;
  double factor = 1;
};

struct Fault {
  enum class Kind {
    crash,           // killed by `signal`
    exit,            // leaves with `code`
    hang,            // never comes back
    throws,          // the subject throws
    wrong_output,    // one element of the first output is changed after the call
    zero_interval,   // the timer does not move
    garbage_line,    // the answer is not JSON
    truncated_line,  // the answer stops in the middle, and the worker leaves
    slow_answer,     // the answer comes `seconds` late
    lost,            // the device is lost: whatever is asked of it from then on throws DeviceLost
  };
  Kind kind = Kind::crash;
  std::string stage;
  std::optional<std::int64_t> trial;
  std::optional<std::string> subject;  // the label: "control" too. Absent: where it comes first
  std::optional<std::string> problem;
  std::optional<std::string> case_id;
  std::optional<std::string> state;
  std::optional<std::int64_t> block;
  int signal = 0;
  int code = 1;
  double seconds = 0;
};

// What the worker's two canary kernels take: the machine itself, of which subjects know nothing.
struct CanaryScript {
  // A factor from one trial on, up to another; absent: any.
  struct Change {
    std::optional<std::string> kernel;  // "compute", "memory"
    std::optional<std::string> moment;  // "start", "end"
    std::optional<std::int64_t> from;
    std::optional<std::int64_t> to;
    double factor = 1;
  };
  double compute_ns = 60'000;
  double memory_ns = 150'000;
  double between_trials_sd = 0;  // relative, like the next one
  double within_trial_sd = 0;
  std::vector<Change> changes;
};

// What the device says of itself. Fields are those of assay/base/telemetry.hpp by name; one without
// a value is missing.
struct TelemetryScript {
  struct Change {
    std::optional<std::string> stage;  // "calibrate", "warm-up", "block"
    std::optional<std::int64_t> from;  // trials
    std::optional<std::int64_t> to;
    std::optional<std::int64_t> block;
    std::map<std::string, std::int64_t> values;   // instead of the general ones
    std::map<std::string, std::int64_t> advance;  // besides the general one
  };
  std::map<std::string, std::int64_t> values;
  std::map<std::string, std::string> missing;   // reasons
  std::map<std::string, std::int64_t> advance;  // what a counter grows by during each block
  std::vector<Change> changes;
};

struct TimerScript {
  std::string name = "scripted";
  std::vector<std::string> boundaries{"call"};
  double resolution_ns = 1;
  double floor_ns = 0;
  bool is_per_call = false;
  bool is_slope = false;
  bool sees_kernels = false;  // one a call, named like the code; together they are the interval
};

struct Script {
  std::uint64_t seed = 1;
  std::optional<std::int64_t> last_level_cache_bytes;
  std::vector<TimerScript> timers{TimerScript{}};
  // Memory that the host can touch only while a subject runs; else it is read and written by
  // copies, and an access crashes.
  bool has_own_memory = false;
  bool evicts_by_writing = false;
  double call_ns = 1000;                   // of subjects that are not named
  std::map<std::string, double> subjects;  // name → call_ns
  std::vector<Effect> effects;
  double between_trials_sd = 0;  // relative, like the next two
  double between_trials_subject_sd = 0;
  double within_trial_sd = 0;
  double drift_per_block = 0;
  double control_bias = 1;
  CanaryScript canary;
  // What `assay doctor --ceilings` finds; nullptr: it has to measure.
  std::shared_ptr<const MachineCeilings> ceilings;
  // What it measures for each plan, as a GPU does; nullptr: it does not.
  std::shared_ptr<const MachineCeilings> own_ceilings;
  std::optional<TelemetryScript> telemetry;  // absent: the device tells nothing
  std::vector<Fault> faults;
};

// Throw Error{bad_input} that names the file and the key.
Script read_script(const std::filesystem::path& file);
Script parse_script(const std::string& text, const std::string& where);

}  // namespace assay::device
