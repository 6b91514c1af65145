// SPDX-License-Identifier: MIT
//
// What happened other than samples: results of checks, and failures. Workers send them, the record
// keeps them, the judge reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/base/json.hpp"

namespace assay::experiment {

// One subject's output against the reference.
struct CheckResult {
  std::string kind;  // "before": fresh inputs, before timing; "timed": a timed output;
                     // "adversarial"; "gate-power"
  std::string problem;
  std::string case_id;
  std::string subject;  // of gate-power: the mutant ("zeros", "copied-input", "truncated",
                        // "one-wrong-element")
  std::string content;  // adversarial: its slug; else "ordinary"
  bool passed = false;  // of gate-power: the mutant was caught
  bool applicable =
      true;  // false: nothing to decide here (a mutant that does not differ from the reference)
  std::string reason;  // when it did not pass or was not applicable: a sentence
  Json detail;         // largest errors, first mismatch, counts: as the check gives them
};

// Something that went wrong with a worker or a subject. kind is one of the slugs below.
struct Failure {
  std::string kind;
  std::string message;  // a sentence: what, where, why
  std::string
      stage;  // "start", "describe", "prepare", "check", "calibrate", "warm-up", "block", "end"
  std::optional<std::int64_t> trial;
  std::string cell;     // id; empty: not of one cell
  std::string subject;  // empty: not known to be of one subject
  std::string build;
};

namespace failure {
inline constexpr const char* missing_program =
    "missing-program";  // the binary is not there or not executable
inline constexpr const char* not_started =
    "not-started";  // the system could not start it now: short of processes, memory, files
inline constexpr const char* not_a_program =
    "not-an-assay-program";                        // it ran but never spoke the protocol
inline constexpr const char* crashed = "crashed";  // killed by a signal of its own making
inline constexpr const char* exited = "exited";    // ended by itself in the middle
inline constexpr const char* timed_out = "timed-out";
inline constexpr const char* device_lost =
    "device-lost";  // the device failed under the subject, and the process with it
inline constexpr const char* protocol =
    "protocol";  // a line that is garbage, truncated, or out of order
inline constexpr const char* wrong_output = "wrong-output";
inline constexpr const char* subject_error =
    "subject-error";  // the subject or its preparation threw
inline constexpr const char* code_refused =
    "code-refused";  // the device's driver does not take the subject's code
inline constexpr const char* input_changed = "input-changed";
inline constexpr const char* out_of_bounds = "out-of-bounds";
inline constexpr const char* too_short =
    "too-short";  // the timer's step is more than a tenth of a call
inline constexpr const char* implausible_time =
    "implausible-time";  // an interval longer than the parent's own clock allows, or none at all
}  // namespace failure

Json to_json(const CheckResult& result);
CheckResult check_result_from_json(const Json& json, const std::string& where);
Json to_json(const Failure& failure);
Failure failure_from_json(const Json& json, const std::string& where);

}  // namespace assay::experiment
