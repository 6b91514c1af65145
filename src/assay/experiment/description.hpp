// SPDX-License-Identifier: MIT
//
// ProgramDescription: what a worker says about itself when asked to describe. The plan is made from
// this and the experiment file, so the parent never needs the user's code.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/base/ceilings.hpp"
#include "assay/base/json.hpp"
#include "assay/base/reading.hpp"
#include "assay/experiment/case_dimensions.hpp"

namespace assay::experiment {

struct SubjectDescription {
  std::string name;
  int threads = 1;  // −1: all cores that the worker may use
  Parameters parameters;
  std::int64_t reuse_count = 0;  // of the preparation; 0: none
};

// Useful work of one call, as the program's model gives it.
struct WorkDescription {
  double bytes_read = 0;
  double bytes_written = 0;
  double flop = 0;
  double items = 0;
  std::string item_name;
  std::map<std::string, double> flop_by_dtype = {};  // together no more than flop

  // All of flop by dtype; "": what it was not said of which.
  std::map<std::string, double> flop_by_any_dtype() const;
};

struct CaseDescription {
  Case the_case;
  std::vector<std::string> supported;  // names of the subjects that apply, in order of declaration
  Reading<WorkDescription> work = Missing{"not-declared", "the problem declares no work model"};
  std::map<std::string, WorkDescription> subject_work;  // where a subject's differs
  std::int64_t footprint_bytes = 0;                     // inputs and outputs together
  std::optional<CaseDimensions> dimensions = {};        // of programs that know of them
};

struct AxisDescription {
  std::string name;
  std::vector<AxisValue> values;
};

struct ProblemDescription {
  std::string name;
  bool checked = false;
  std::string tolerance;  // as text; empty if unchecked, "byte-for-byte" of commands
  bool has_tensors = false;
  bool has_in_place = false;  // an input that calls write: a sample is one call
  std::vector<AxisDescription> axes;
  std::vector<CaseDescription> cases;  // the program's own, or those that were asked for
  std::vector<SubjectDescription> subjects;
  std::vector<std::string> states;  // "warm", "cold", then the problem's own
};

struct TimerDescription {
  std::string name;
  std::vector<std::string> boundaries;                          // those that it can time
  Reading<double> resolution_ns = Missing{"not-measured", ""};  // smallest step seen
  Reading<double> floor_ns = Missing{"not-measured", ""};       // interval around nothing, median
  // Times each iteration apart and adds up: its step enters once an iteration.
  bool is_per_call = false;
  // The interval is how much longer that many more calls take: not for samples of one call, and its
  // floor is that of one call.
  bool is_slope = false;

  bool serves(std::string_view boundary) const;
};

struct BuildDescription {
  std::string compiler;  // "GCC 12.2.0"
  std::string flags;     // as far as the build recorded them; empty if not
  bool optimised = false;
  bool aligned = false;   // functions and loops aligned by assay_add_program
  std::string sanitizer;  // empty if none
  std::string assay_version;
};

struct FactDescription {
  std::string name;  // "compute-capability"
  Reading<std::string> value = Missing{"not-read", ""};
};

struct DeviceDescription {
  std::string id;    // "cpu", "fake", "cuda:0"
  std::string name;  // "Intel(R) Xeon(R) Processor"
  std::vector<FactDescription> facts = {};
  std::optional<MachineCeilings> ceilings = {};  // of devices that measure their own
  Reading<std::int64_t> last_level_cache_bytes = Missing{"not-measured", "the device does not say"};
};

struct ProgramDescription {
  std::string program;  // its file name
  DeviceDescription device;
  BuildDescription build;
  std::vector<std::string> boundaries;
  std::vector<TimerDescription> timers;  // the first that serves a boundary is its default
  std::vector<ProblemDescription> problems;
};

Json to_json(const ProgramDescription& description);
// Throws Error{bad_input}.
ProgramDescription description_from_json(const Json& json, const std::string& where);

// A case as an object with typed members, {"n": 1024, "dtype": "f32"}: the text of an id cannot
// tell whether a program that was asked in another language meant 1024 or "1024".
Json to_json(const Case& the_case);
Case case_from_json(const Json& json, const std::string& where);

// Why the value cannot be in a case; empty if it can.
std::string trouble_with_axis_value(const AxisValue& value);

Json to_json(const WorkDescription& work);
WorkDescription work_from_json(const Json& json, const std::string& where);

}  // namespace assay::experiment
