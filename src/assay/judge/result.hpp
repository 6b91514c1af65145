// SPDX-License-Identifier: MIT
//
// Result: what the evidence says, as result.json holds it. Everything in it is recomputable from
// plan, calibration, samples, trials and checks; nothing else enters it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/base/memory_use.hpp"
#include "assay/base/reading.hpp"
#include "assay/base/startup.hpp"
#include "assay/experiment/plan.hpp"
#include "assay/judge/estimates.hpp"
#include "assay/judge/steadiness.hpp"
#include "assay/model/limits.hpp"
#include "assay/model/waves.hpp"
#include "assay/stats/verdict.hpp"

namespace assay::judge {

// One mode of a subject's times of one call.
struct ModeResult {
  double location_ns = 0;
  Range range_ns;
  double share_frac = 0;  // of the samples, or of the trials where modes switch between those only
};

// Whether a subject's times have several modes (stats/modality.hpp). A flag: it changes no verdict.
struct ModalityResult {
  bool several = false;
  // "none", "within-trials", "between-trials", "within-and-between", "insufficient"
  std::string seen = "none";
  Reading<double> p_within = Missing{"not-measured", ""};
  Reading<double> p_between = Missing{"not-measured", ""};
  Reading<double> p_pooled = Missing{"not-needed", ""};
  std::vector<ModeResult> modes;  // only where several are seen
};

// What the machine's measured ceilings and the declared work predict for one subject, beside what
// it took (model/limits.hpp).
struct LimitsResult {
  model::Limits predicted;
  Reading<double> share_frac = Missing{"not-measured", ""};  // bound_ns over the time of a call
  Reading<std::string> bound = Missing{"not-measured", ""};  // "memory-bound", …
  Reading<double> items_per_s = Missing{"not-declared", ""};
  std::string item_name;
};

// One launch of a subject, and how it fills the device (model/waves.hpp).
struct LaunchResult {
  experiment::Launch launch;
  model::Waves waves;
};

// One phase of a subject's processes, up to the result of their first call.
struct StartupResult {
  StartupPhase phase = StartupPhase::start;
  std::int64_t trials = 0;                                  // that have it
  Reading<double> median_ns = Missing{"not-measured", ""};  // over them
};

// One subject (or the control) in one cell, over the trials that the cell was judged on.
struct SubjectResult {
  std::string subject;  // SubjectId::text(), or "control"
  bool valid = true;
  std::string why_invalid;
  Reading<double> median_ns =
      Missing{"not-measured", ""};  // of one call: the geometric mean over trials of the median
  Reading<Range> interval_ns = Missing{"not-measured", ""};  // 95 % over trials
  Reading<double> min_ns = Missing{"not-measured", ""};
  Reading<double> p95_ns = Missing{"not-measured", ""};  // over all measured samples: descriptive
  // Over the same samples, and as little more than a description.
  Reading<double> mean_ns = Missing{"not-measured", ""};
  Reading<double> trimmed_mean_ns = Missing{"not-measured", ""};  // a tenth cut from each end
  Reading<double> p5_ns = Missing{"not-measured", ""};
  Reading<double> p99_ns = Missing{"not-measured", ""};
  Reading<double> sd_ns = Missing{"not-measured", ""};
  WithinTrial within_trial;
  std::int64_t samples = 0;
  std::int64_t trials = 0;
  Reading<double> bytes_per_s = Missing{"not-declared", ""};  // useful work over time
  Reading<double> flop_per_s = Missing{"not-declared", ""};
  Reading<double> ceiling_share_frac =
      Missing{"not-measured", "no ceiling of this machine has been measured"};
  Reading<ModalityResult> modality = Missing{"not-measured", ""};
  std::optional<MemoryUse> memory;     // in calibration, where the device told
  std::vector<StartupResult> startup;  // all phases in order, of the boundary cold-start only
  std::optional<LimitsResult> limits;  // where work is declared and the plan speaks of ceilings
  std::vector<LaunchResult> launches;  // in calibration, on devices of multiprocessors
};

enum class PredictionOutcome { supported, contradicted, undecided };

// The same comparison by the estimand that the plan's rule did not choose, from the same trials and
// at the same level. Where times have several modes the two answer different questions: the median
// of ratios is about the typical pair of calls, the ratio of means about many calls in a row.
struct OtherEstimand {
  std::string estimand;  // "mean", "median"
  Reading<double> ratio = Missing{"not-measured", ""};
  Reading<Range> ratio_interval = Missing{"not-measured", ""};
};

struct ComparisonResult {
  std::string cell;
  std::string baseline;
  std::string candidate;
  bool primary = false;
  bool provisional = false;  // one of the others before the end
  stats::Verdict verdict = stats::Verdict::inconclusive;
  std::string reason;  // why it is inconclusive, invalid or void; one sentence
  Reading<double> ratio = Missing{"not-measured", ""};  // time(candidate) / time(baseline)
  Reading<Range> ratio_interval = Missing{"not-measured", ""};
  double confidence_level = 0;  // of that interval
  std::int64_t look = 0;    // trials (or layouts) at the deciding or the last look; 0: none reached
  std::int64_t trials = 0;  // valid trials there are
  Reading<double> sd_log_ratio = Missing{"not-measured", ""};  // between trials
  Reading<double> sign_flip_p = Missing{"not-measured", ""};
  Reading<double> repeated_p = Missing{"not-measured", ""};  // others: before adjustment
  Reading<double> adjusted_p = Missing{"not-measured", ""};  // others: Benjamini–Hochberg
  Reading<std::int64_t> trials_needed = Missing{"not-needed", ""};
  Reading<double> model_ratio =
      Missing{"not-declared", "no work model"};  // bytes(candidate) / bytes(baseline)
  std::optional<Range> predicted_ratio;
  std::optional<PredictionOutcome> prediction;
  std::optional<experiment::Probability> predicted_probability;
  std::optional<PredictionScore> score;    // of a predicted one that is decided
  std::optional<Sensitivity> sensitivity;  // where a look was reached
  std::string estimand;                    // of ratio and verdict, as registered: "median", "mean"
  std::optional<OtherEstimand> other_estimand;  // where one of the two subjects has several modes
};

struct ControlResult {
  Reading<double> ratio = Missing{"not-measured", ""};
  Reading<Range> interval_adjusted = Missing{"not-measured", ""};
  bool voids = false;       // beyond θ/2 at α/(C·L)
  bool is_finding = false;  // beyond θ/2 at α/L
};

// A cell without comparisons: its one subject's time, from the trials at the look that reached the
// precision asked for, or the last one reached.
struct PrecisionResult {
  Reading<Range> interval_ns = Missing{"no-look", "no look has been reached"};  // of one call
  double confidence_level = 0;                                                  // of that interval
  Reading<double> relative_half_width = Missing{"no-look", "no look has been reached"};
  bool is_reached = false;
  std::int64_t look = 0;
};

struct CellResult {
  std::string cell;
  bool left = false;     // decided: it takes part in no further trial
  std::string refused;   // why it was not measured; empty if it was
  std::string estimand;  // "median", "mean"
  std::int64_t iterations = 0;
  std::vector<SubjectResult> subjects;  // baseline, control, candidates
  ControlResult control;
  Steadiness steadiness;
  std::optional<PrecisionResult> precision;  // only of a cell without comparisons
  std::optional<BlocksAdvice> advice;        // where a look was reached
  // As the plan's programs describe them, with the parameters of all subjects.
  std::optional<experiment::CaseDimensions> dimensions;
};

struct Claim {
  std::string id;     // "c1"
  std::string text;   // the one sentence that the evidence supports
  std::string scope;  // machine, build or layouts, level of validation
};

struct Finding {
  std::string slug;  // "layout.single", "control.leaning", "gate.weak"
  std::string text;
  std::string cell;  // empty: the whole record
};

struct GatePower {
  bool applicable = false;
  std::vector<std::string> missed;  // mutants that no case caught
};

// What a fixed kernel of the worker took at the start and the end of the trials.
struct CanaryCore {
  Reading<std::int64_t> core = Missing{"not-pinned", ""};
  std::int64_t trials = 0;
  double time_ns = 0;  // geometric mean over trials
  Range range_ns;      // least and greatest trial
};
struct CanaryResult {
  std::string kernel;    // "canary-compute", "canary-memory"
  std::string boundary;  // of the processes that ran it: each boundary has its own
  std::string timer;
  std::int64_t trials = 0;
  double time_ns = 0;  // of one call: the geometric mean over trials of start and end
  Range range_ns;      // least and greatest trial
  Reading<double> between_trials_sd = Missing{"not-measured", ""};     // of the log, within cores
  std::int64_t end_to_start_trials = 0;                                // that have both
  Reading<double> end_to_start = Missing{"not-measured", ""};          // within trials
  Reading<Range> end_to_start_interval = Missing{"not-measured", ""};  // 99 %
  Reading<double> late_to_early = Missing{"not-measured", ""};  // halves of the run, within cores
  Reading<Range> late_to_early_interval = Missing{"not-measured", ""};  // 99 %
  std::int64_t trials_apart = 0;  // far from the others on their core, from start to end
  std::vector<CanaryCore> cores;
};
struct Canaries {
  struct Gap {
    std::string reason;  // Trial::canary_missing
    std::int64_t trials = 0;
  };
  std::vector<CanaryResult> kernels;  // by name, boundary and timer
  std::vector<Gap> missing;

  bool are_of_several_boundaries() const {
    return std::any_of(kernels.begin(), kernels.end(), [&](const CanaryResult& kernel) {
      return kernel.boundary != kernels.front().boundary;
    });
  }
};

// What the device said of itself before and after the measured blocks. It describes the run and
// changes no verdict.
struct DeviceQuantity {
  std::string name;  // a column of telemetry.csv, with its unit
  std::int64_t readings = 0;
  double least = 0;
  double median = 0;
  double greatest = 0;
};
struct DeviceThrottling {
  std::string reason;           // "sw-power-cap"
  std::int64_t blocks = 0;      // in which its counter advanced
  std::int64_t advance_ns = 0;  // over all of them
};
struct DeviceCount {
  std::string name;
  std::int64_t count = 0;
};
// A counter of a processor's, over the measured blocks.
struct DeviceCounter {
  std::string name;               // a column of telemetry.csv, with its unit
  std::int64_t known_blocks = 0;  // with a value at both ends
  std::int64_t blocks = 0;        // in which it advanced
  std::int64_t advance = 0;       // over all of them
};
// A change in level of what others do to the machine.
struct LoadChange {
  std::int64_t trial = 0;  // in which the later level begins, …
  double after_s = 0;      // … and how long after the first block
  double before = 0;
  double after = 0;
};
struct LoadResult {
  std::string quantity;      // "foreign_load", "steal" (cores' worth); "cpu_pressure", … (shares)
  std::int64_t windows = 0;  // of a tenth of a second and more
  Reading<double> median = Missing{"not-measured", ""};
  Reading<std::vector<LoadChange>> changes = Missing{"not-measured", ""};
};
struct DeviceEnergy {
  std::string meter;  // "GPU", "RAPL"
  double energy_j = 0;
  double uncertainty_j = 0;
  double window_s = 0;
  std::int64_t processes = 0;  // from the first to the last reading of each
};
struct DeviceGap {
  std::string name;  // a column
  std::string reason;
  std::int64_t readings = 0;  // that lack it
};
struct DeviceResult {
  std::int64_t blocks = 0;
  std::int64_t readings = 0;  // two for each build that had subjects in a row in a block
  std::int64_t throttled_blocks = 0;
  std::int64_t shared_blocks = 0;
  std::int64_t unknown_shared_blocks = 0;  // nothing is known of other processes at either end
  std::vector<DeviceQuantity> quantities;
  std::vector<DeviceThrottling> throttling;  // of counters that are known, also where they stood
  std::vector<DeviceCount> clock_reasons;    // readings that gave each
  Reading<DeviceEnergy> energy = Missing{"not-measured", ""};
  std::vector<DeviceCount> flagged;     // measured samples by flag: "shared", "throttled", …
  std::vector<DeviceCounter> counters;  // of processors, as the next one
  std::vector<LoadResult> loads;
  std::vector<DeviceGap> missing;
  double median_reading_ns = 0;  // that one reading took
};

struct Result {
  std::string format = "assay-result/1";
  std::string method;
  std::string status;  // "complete", "budget-spent", "interrupted", "nothing-measured", "quick"
  std::vector<CellResult> cells;
  std::vector<ComparisonResult> comparisons;
  std::vector<Claim> claims;
  std::vector<Finding> findings;
  std::vector<std::string> left_out;  // cells and samples that took no part, and why
  std::string hypothesis;             // always "undecided …" until the bytes have been counted
  GatePower gate;
  std::vector<SuiteResult> suites;
  std::optional<PredictionReview> predictions;  // if the plan has any
  Canaries canaries;
  std::optional<DeviceResult> device;  // if the device tells
  // Whether the machine was one to measure on, as its environment.json tells; empty: there is none.
  std::string machine;
  int exit_status = 0;
};

Json to_json(const Result& result);
Result result_from_json(const Json& json, const std::string& where);

}  // namespace assay::judge
