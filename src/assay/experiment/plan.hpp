// SPDX-License-Identifier: MIT
//
// Plan: the rules and the cells of one run, sealed by hash and time before the first sample; and
// Calibration: what trial 0 found by those rules. Together with samples.csv and checks.json they
// determine the result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/experiment.hpp"

namespace assay::experiment {

inline constexpr std::string_view plan_format = "assay-plan/1";
inline constexpr std::string_view calibration_format = "assay-calibration/1";
inline constexpr std::string_view method_version = "assay-method/1";  // how samples become verdicts

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
};

struct Comparison {
  std::size_t cell = 0;                   // index in Plan::cells
  std::size_t candidate = 0;              // index in Cell::subjects, ≥ 1
  std::optional<std::size_t> prediction;  // index in Plan::predictions: then it is a primary
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
  std::vector<Build> builds;
  std::vector<std::string> program_digests;      // SHA-256 per build (and layout, build by build)
  std::vector<ProgramDescription> descriptions;  // per build
  std::vector<Cell> cells;
  std::vector<Comparison> comparisons;
  std::vector<std::string> defaults_used;
  std::string experiment_digest;  // SHA-256 of the experiment file; empty on the light path
  std::optional<Publication> publication;
  bool quick = false;

  // The margin in force: the larger of the declared one and the noise floor.
  double margin_in_force() const;
  std::size_t primaries() const;
};

// The plan of an experiment over the builds that described themselves (one description per
// Experiment::builds, in order). Throws Error{bad_input} for combinations that make no sense: a
// look at which the exact test cannot reach the level, a candidate or axis that no problem has, a
// prediction that matches no case, one subject without `precision` …
Plan make_plan(const Experiment& experiment, const std::vector<ProgramDescription>& descriptions,
               const std::vector<std::string>& program_digests, const std::string& created_utc);

Json to_json(const Plan& plan);
Plan plan_from_json(const Json& json, const std::string& where);

// Equal for records that may be compared: everything of the protocol but seed, budget and timeout.
std::string protocol_hash(const Plan& plan);

enum class Estimand { median, mean };

struct CellCalibration {
  std::string cell;
  Reading<std::int64_t> iterations =
      Missing{"not-calibrated", ""};  // missing: the cell is refused, with the reason
  Estimand estimand = Estimand::median;
  std::int64_t samples_per_trial = 0;
  std::string timer;
  double timer_resolution_ns = 0;
  std::vector<std::pair<std::string, double>>
      call_ns;  // SubjectId::text() → time of one call seen in trial 0
};

struct Calibration {
  std::vector<CellCalibration> cells;  // in the order of Plan::cells
};

Json to_json(const Calibration& calibration);
Calibration calibration_from_json(const Json& json, const std::string& where);

}  // namespace assay::experiment
