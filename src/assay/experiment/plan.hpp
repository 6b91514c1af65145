// SPDX-License-Identifier: MIT
//
// Plan: the rules and the cells of one run, sealed by hash and time before the first sample; and
// Calibration: what trial 0 found by those rules. Together with samples.csv and checks.json they
// determine the result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/base/ceilings.hpp"
#include "assay/base/json.hpp"
#include "assay/base/memory_use.hpp"
#include "assay/base/rotation.hpp"
#include "assay/base/startup.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/experiment.hpp"

namespace assay::experiment {

inline constexpr std::string_view plan_format = "assay-plan/1";
inline constexpr std::string_view calibration_format = "assay-calibration/1";
inline constexpr std::string_view method_version = "assay-method/3";  // how samples become verdicts

// The label under which the baseline is measured a second time.
inline constexpr std::string_view control_name = "control";

// A measured implementation: a subject of a build. In an experiment of one build the build is
// "program".
struct SubjectId {
  std::string build;
  std::string name;

  std::string text() const { return build == "program" ? name : name + "@" + build; }
  friend bool operator==(const SubjectId&, const SubjectId&) = default;
};

struct Cell {
  std::string problem;
  Case the_case;
  std::string state;
  std::string boundary;
  std::string timer;  // the plan's where it serves the boundary, else the boundary's default
  // Baseline first, then the candidates; the control is implied. Subjects that do not support the
  // case are not here.
  std::vector<SubjectId> subjects;
  std::vector<std::string> unsupported;
  Reading<WorkDescription> work = Missing{"not-declared", "the problem declares no work model"};
  std::vector<std::optional<WorkDescription>>
      subject_work;  // beside subjects: where it differs from the problem's
  std::int64_t footprint_bytes = 0;
  bool checked = false;

  // "sum/n=1024 dtype=f32/warm/call"
  std::string id() const;
  // Each subject is measured in a process of its own, once a trial.
  bool is_cold_start() const { return boundary == cold_start_boundary; }
};

// State and boundary of the cells of a case: each with each, but a cold start has a state of its
// own and no other.
std::vector<std::pair<std::string, std::string>> states_and_boundaries(
    const std::vector<std::string>& states, const std::vector<std::string>& boundaries);

struct Comparison {
  std::size_t cell = 0;                   // index in Plan::cells
  std::size_t candidate = 0;              // index in Cell::subjects, ≥ 1
  std::optional<std::size_t> prediction;  // index in Plan::predictions: then it is a primary
};

// What will not be measured although it was declared, and why.
struct LeftOut {
  std::string what;  // the id of a cell, or "problem NAME", or "prediction N"
  std::string reason;
};

// Where a plan's noise floor came from: the file of the machine's state that it was copied from may
// be gone tomorrow.
struct NoiseFloorSource {
  std::string measured_utc;
  std::int64_t age_days = 0;  // when the plan was made
  std::int64_t trials = 0;
  std::string cell;  // the kernel that it comes from
  std::string assay_version;
  std::string record;         // where the record of A against A was written
  std::string record_digest;  // SHA-256 of its tagmanifest-sha256.txt

  friend bool operator==(const NoiseFloorSource&, const NoiseFloorSource&) = default;
};

// Where a plan's ceilings came from, in the same way.
struct CeilingsSource {
  std::string measured_utc;
  std::int64_t age_days = 0;  // when the plan was made
  std::string assay_version;

  friend bool operator==(const CeilingsSource&, const CeilingsSource&) = default;
};

struct Plan {
  std::string name;
  std::string created_utc;
  std::string assay_version;
  Question question;
  std::vector<Prediction> predictions;
  Protocol protocol;  // all resolved: boundaries, timer, seed
  std::int64_t layout_replicates = 1;
  Reading<double> noise_floor =
      Missing{"not-measured", "no noise floor of this machine is on record"};  // relative
  std::optional<NoiseFloorSource> noise_floor_source;
  // Of the machine. "not-recorded": the plan is older than they are, and says nothing of them.
  Reading<MachineCeilings> ceilings = Missing{"not-recorded", "the plan says nothing of ceilings"};
  std::optional<CeilingsSource> ceilings_source;
  std::string device = "cpu";  // as it was asked for: what resuming opens again
  std::vector<Build> builds;
  std::vector<Command> commands;                 // the subjects, where they are commands
  std::vector<std::string> program_digests;      // SHA-256 per build (and layout, build by build),
                                                 // or per command
  std::vector<ProgramDescription> descriptions;  // per build
  std::vector<Cell> cells;
  std::vector<Comparison> comparisons;
  std::vector<LeftOut> left_out;
  std::vector<std::string> defaults_used;
  std::string experiment_digest;  // SHA-256 of the experiment file; empty on the light path
  std::optional<Publication> publication;
  bool quick = false;

  // The margin in force: the larger of the declared one and the noise floor.
  double margin_in_force() const;
  bool is_noise_floor_in_force() const;
  std::size_t primaries() const;
  bool speaks_of_ceilings() const {
    return ceilings || ceilings.missing().reason != "not-recorded";
  }
  bool is_of_commands() const { return !commands.empty(); }
};

// The cases per problem to ask the program for: what the file's [cases] or [[case]] and --axis make
// of the program's axes. A problem that is not in the map keeps its own cases; one with an empty
// list has none that was asked for. Throws Error{bad_input} for an axis or a value that no problem
// can have, Error{usage} where --axis names it.
std::map<std::string, std::vector<Case>> cases_asked(const Experiment& experiment,
                                                     const ProgramDescription& description);

// The plan of an experiment over the builds that described themselves (one description per
// Experiment::builds, in order). Throws Error{bad_input} for combinations that make no sense: a
// look at which the exact test cannot reach the level, a candidate or axis that no problem has, a
// prediction that matches no case, one subject without `precision` …; Error{worker} if a
// description lacks what was asked for; Error{nothing} if no cell is left.
//
// What it leaves to the caller: protocol.seed where defaults_used holds "protocol.seed" (it is 0),
// device, and noise_floor with its source.
Plan make_plan(const Experiment& experiment, const std::vector<ProgramDescription>& descriptions,
               const std::vector<std::string>& program_digests, const std::string& created_utc);

// The seed is written as a string of decimal digits: readers that know only doubles would round it.
Json to_json(const Plan& plan);
Plan plan_from_json(const Json& json, const std::string& where);

// Equal for records that may be compared: everything of the protocol but seed, budget and timeout.
std::string protocol_hash(const Plan& plan);

enum class Estimand { median, mean };

// A kernel of a subject as trial 0 saw it launched. Occupancy is known of kernels that Assay
// compiled.
struct Launch {
  std::string kernel;        // as the device's compiler named it
  std::int64_t grid = 0;     // blocks
  std::int64_t threads = 0;  // of a block
  // Theoretical, of a multiprocessor's warps, and what keeps one more block out.
  Reading<double> occupancy_frac = Missing{"not-asked", ""};
  Reading<std::string> occupancy_limited_by = Missing{"not-asked", ""};
  // Of a thread, in memory that is the thread's own: the stack, and the registers that the compiler
  // had no room for.
  Reading<std::int64_t> stack_bytes = Missing{"not-asked", ""};
  Reading<std::int64_t> spill_store_bytes = Missing{"not-asked", ""};
  Reading<std::int64_t> spill_load_bytes = Missing{"not-asked", ""};

  // Takes over what is known of the same kernel as it was compiled.
  void take_resources_of(const Launch& compiled) {
    occupancy_frac = compiled.occupancy_frac;
    occupancy_limited_by = compiled.occupancy_limited_by;
    stack_bytes = compiled.stack_bytes;
    spill_store_bytes = compiled.spill_store_bytes;
    spill_load_bytes = compiled.spill_load_bytes;
  }
  // These three, where anything is known of them: launches of other kernels, and older records,
  // have none.
  void write_spills(Json& json) const;
  void take_spills(ObjectReader& reader);
  bool has_shape_of(const Launch& other) const {
    return kernel == other.kernel && grid == other.grid && threads == other.threads;
  }
};

struct CellCalibration {
  std::string cell;
  Reading<std::int64_t> iterations =
      Missing{"not-calibrated", ""};  // missing: the cell is refused, with the reason
  Estimand estimand = Estimand::median;
  std::int64_t samples_per_trial = 0;
  std::string timer;
  // The timer's step, as far as it is one of a sample.
  Reading<double> timer_resolution_ns = Missing{"not-calibrated", ""};
  std::vector<std::pair<std::string, double>>
      call_ns;  // SubjectId::text() → time of one call seen in trial 0
  // SubjectId::text() → what it needed, of devices that tell.
  std::vector<std::pair<std::string, MemoryUse>> memory = {};
  std::optional<Rotation> rotation = {};  // of cells that rotate
  // SubjectId::text() → its different launches, in the order in which they began, where a timer
  // sees them or the subject is given as source.
  std::vector<std::pair<std::string, std::vector<Launch>>> launches = {};
};

struct Calibration {
  std::vector<CellCalibration> cells;  // in the order of Plan::cells
};

Json to_json(const Calibration& calibration);
Calibration calibration_from_json(const Json& json, const std::string& where);

}  // namespace assay::experiment
