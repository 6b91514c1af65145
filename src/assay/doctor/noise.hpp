// SPDX-License-Identifier: MIT
//
// The noise floor: assay-probe's kernels against themselves, by an ordinary run, and what that says
// about the differences that this machine can tell (stats/noise_floor.hpp has the definitions;
// docs/explanation/statistics.md, "The noise floor", why these).
//
// The run has one look, at its last trial, so that chance cannot end a kernel's trials early and
// every number comes from the same count. A budget that ends it sooner is no look, but what was
// measured until then still bounds the noise: spending ends it, not the data.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/doctor/noise_trials.hpp"
#include "assay/env/noise_floor.hpp"
#include "assay/experiment/experiment.hpp"
#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"
#include "assay/run/run.hpp"

namespace assay::doctor {

// What the default protocol gives the interval at one look: every number of the floor is at this
// level, so that it means the same for whoever uses the defaults.
double noise_alpha();

// A against A with margin 0, every kernel of the program; alpha is noise_alpha(), so that chance
// alone seldom gives an honest machine a reservation. Without a seed the run draws one. Throws
// Error{usage} for a number of trials outside the limits above.
experiment::Experiment noise_experiment(const std::filesystem::path& probe, std::int64_t trials,
                                        std::optional<std::uint64_t> seed = std::nullopt);

// One kernel, from its record.
struct KernelOfRecord {
  env::KernelNoise noise;
  // After so many trials, expected from this mean and spread.
  struct At {
    std::int64_t trials = 0;
    double equivalence_margin = 0;
    double resolvable = 0;
  };
  std::vector<At> at;
  std::string reservation;  // a sentence: A was called different from A here; empty: it was not
};

struct NoiseOfRecord {
  std::vector<KernelOfRecord> kernels;
  std::vector<std::string> not_measured;  // a sentence for each kernel that says nothing, and why
};

// The noise in a record of such a run: recomputable from its files. result: what judge() says of
// that record.
NoiseOfRecord noise_of(const record::Evidence& evidence, const judge::Result& result);

struct NoiseReport {
  run::Outcome outcome;
  NoiseOfRecord noise;
  std::optional<env::NoiseFloor> floor;  // absent: interrupted
  std::filesystem::path file;            // where it was stored; empty: it was not
  std::string why_not_stored;            // a sentence, where something better is there already
  bool is_fit() const;                   // no reservation, every kernel measured
};

// Runs the experiment and stores the floor for this machine in the state directory, unless one of
// more kernels is there: the kernel that is missing may be the one that the margin must not
// undercut. options.records is where the record goes. Throws what run() throws; Error{worker} when
// no kernel says anything; before measuring Error{bad_input} when the stored file is damaged, and
// Error{write} when it cannot be written.
NoiseReport measure_noise(const experiment::Experiment& experiment, const run::Options& options,
                          const std::filesystem::path& state_directory);

// The table, one line that sums it up, the reservations, and where everything lies.
std::string noise_text(const NoiseReport& report);
Json to_json(const NoiseReport& report);

}  // namespace assay::doctor
