// SPDX-License-Identifier: MIT
#include "assay/doctor/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/base/counted.hpp"
#include "assay/base/digest.hpp"
#include "assay/base/time.hpp"
#include "assay/env/environment.hpp"
#include "assay/judge/cell_state.hpp"
#include "assay/judge/text.hpp"
#include "assay/record/bag.hpp"
#include "assay/stats/noise_floor.hpp"
#include "assay/stats/summary.hpp"

namespace assay::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kA2 = 1;  // index of the subject in its cell; A is the baseline

std::vector<double> first_differences(const std::vector<judge::TrialPair>& pairs,
                                      std::int64_t trials) {
  std::vector<double> differences;
  for (const judge::TrialPair& pair : pairs) {
    if (std::ssize(differences) == trials) break;
    differences.push_back(pair.log_ratio);
  }
  return differences;
}

std::string reservation_of(const judge::CellResult& cell,
                           const judge::ComparisonResult& comparison) {
  const auto called = [&](const std::string& who, double ratio) {
    return fmt::format(
        "{}: identical code was called different: {} took {}× the time of the same code", cell.cell,
        who, judge::ratio_text(ratio));
  };
  if (comparison.verdict == stats::Verdict::faster ||
      comparison.verdict == stats::Verdict::slower) {
    return called(comparison.candidate, *comparison.ratio);
  }
  if (cell.control.voids) return called("the control", *cell.control.ratio);
  return "";
}

// The comparison of A2 in that cell.
const judge::ComparisonResult* comparison_in(const judge::Result& result, const std::string& cell) {
  const auto found =
      std::find_if(result.comparisons.begin(), result.comparisons.end(),
                   [&](const judge::ComparisonResult& one) { return one.cell == cell; });
  return found == result.comparisons.end() ? nullptr : &*found;
}

// Why a kernel says nothing; empty: it does.
std::string trouble_with(const judge::CellResult& cell, const judge::ComparisonResult* comparison,
                         std::size_t trials) {
  // First what is wrong with a subject: that a cell was refused for want of one says less.
  for (const judge::SubjectResult& subject : cell.subjects) {
    if (!subject.valid) return subject.subject + ": " + subject.why_invalid;
  }
  if (!cell.refused.empty()) return cell.refused;
  if (comparison == nullptr) return "it was not compared with itself";
  if (std::int64_t{kLeastNoiseTrials} > static_cast<std::int64_t>(trials)) {
    return fmt::format("only {}; it takes {}", counted(trials, "complete trial"),
                       kLeastNoiseTrials);
  }
  if (!cell.subjects.front().median_ns) return cell.subjects.front().median_ns.missing().detail;
  return "";
}

std::string reason_for_nothing(const NoiseOfRecord& noise, const record::Checks& checks) {
  std::string text;
  for (const std::string& sentence : noise.not_measured) text += "; " + sentence;
  if (text.empty() && !checks.failures.empty()) text = "; " + checks.failures.front().message;
  return text;
}

env::NoiseFloor floor_of(const NoiseReport& report, const Json& environment) {
  env::NoiseFloor floor;
  floor.machine_fingerprint = env::machine_fingerprint(environment);
  const Json& hostname = environment.at("system").at("hostname");
  floor.hostname = hostname.contains("value") ? hostname.at("value").get<std::string>() : "unnamed";
  floor.device = report.outcome.plan.descriptions.front().device.id;
  floor.measured_utc = report.outcome.plan.created_utc;
  floor.assay_version = ASSAY_VERSION;
  floor.seed = report.outcome.plan.protocol.seed;
  floor.record = fs::absolute(report.outcome.record).lexically_normal().string();
  floor.record_digest = sha256_hex_of_file(report.outcome.record / record::tag_manifest_name);
  floor.trials = report.noise.kernels.front().noise.trials;
  for (const KernelOfRecord& kernel : report.noise.kernels) {
    floor.floor = std::max(floor.floor, kernel.noise.floor);
    floor.resolvable = std::max(floor.resolvable, kernel.noise.resolvable);
    floor.trials = std::min(floor.trials, kernel.noise.trials);
    floor.kernels.push_back(kernel.noise);
  }
  return floor;
}

}  // namespace

double noise_alpha() {
  const experiment::Protocol defaults;
  return defaults.alpha / static_cast<double>(defaults.looks.size());
}

experiment::Experiment noise_experiment(const fs::path& probe, std::int64_t trials,
                                        std::optional<std::uint64_t> seed) {
  if (trials < kLeastNoiseTrials || trials > kMostNoiseTrials) {
    throw Error(ErrorKind::usage, fmt::format("--trials {}: expected {} to {}", trials,
                                              kLeastNoiseTrials, kMostNoiseTrials));
  }
  experiment::Experiment experiment = experiment::experiment_of_program(probe);
  experiment.name = "noise-floor";
  experiment.question.decision = "Which differences may be claimed on this machine.";
  experiment.question.question = "By how much does a kernel differ from itself?";
  experiment.question.hypothesis =
      "A and A2 are the same machine code, so they take the same time.";
  experiment.question.if_supported = "The floor is what these trials could not exclude.";
  experiment.question.if_rejected = "Find out what favours one of two names for the same code.";
  experiment.protocol.looks = {trials};
  experiment.protocol.alpha = noise_alpha();
  experiment.protocol.margin = 0;
  experiment.protocol.ignores_noise_floor = true;
  std::vector<std::string_view> set = {"protocol.looks", "protocol.alpha", "protocol.margin",
                                       "protocol.noise_floor"};
  if (seed) {
    experiment.protocol.seed = *seed;
    set.emplace_back("protocol.seed");
  }
  std::erase_if(experiment.defaults_used, [&](const std::string& key) {
    return std::find(set.begin(), set.end(), key) != set.end();
  });
  return experiment;
}

NoiseOfRecord noise_of(const record::Evidence& evidence, const judge::Result& result) {
  judge::Index index(evidence.plan, evidence.calibration);
  index.update(evidence.samples);
  const std::int64_t last_look = evidence.plan.protocol.looks.back();
  NoiseOfRecord noise;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const judge::CellResult& cell = result.cells[i];
    const judge::ComparisonResult* comparison = comparison_in(result, cell.cell);
    const bool has_a2 = evidence.plan.cells[i].subjects.size() > kA2;
    const auto pairs = has_a2 && index.calibration(i) != nullptr ? index.pairs(i, kA2)
                                                                 : std::vector<judge::TrialPair>();
    const std::vector<double> differences = first_differences(pairs, last_look);
    const std::string trouble = trouble_with(cell, comparison, differences.size());
    if (!trouble.empty()) {
      noise.not_measured.push_back(cell.cell + ": " + trouble);
      continue;
    }
    stats::SelfComparison self;
    self.mean = stats::mean(differences);
    self.standard_deviation = *stats::standard_deviation(differences);
    self.resolution = judge::resolution_of(index, i, pairs, differences.size());
    const auto margin_at = [&](std::size_t trials) {
      return stats::equivalence_margin(self, trials, noise_alpha());
    };
    if (!margin_at(differences.size())) {
      noise.not_measured.push_back(cell.cell + ": " +
                                   margin_at(differences.size()).missing().detail);
      continue;
    }
    KernelOfRecord kernel;
    kernel.noise.cell = cell.cell;
    kernel.noise.call_ns = *cell.subjects.front().median_ns;
    kernel.noise.mean_log_ratio = self.mean;
    kernel.noise.sd_log_ratio = self.standard_deviation;
    kernel.noise.trials = std::ssize(differences);
    kernel.noise.floor = *margin_at(differences.size());
    kernel.noise.resolvable =
        *stats::resolvable_difference(self, differences.size(), noise_alpha());
    for (const std::int64_t trials : experiment::Protocol().looks) {
      const auto count = static_cast<std::size_t>(trials);
      kernel.at.push_back(
          {trials, *margin_at(count), *stats::resolvable_difference(self, count, noise_alpha())});
    }
    kernel.reservation = reservation_of(cell, *comparison);
    noise.kernels.push_back(std::move(kernel));
  }
  return noise;
}

bool NoiseReport::is_fit() const {
  return noise.not_measured.empty() &&
         std::all_of(noise.kernels.begin(), noise.kernels.end(),
                     [](const KernelOfRecord& kernel) { return kernel.reservation.empty(); });
}

NoiseReport measure_noise(const experiment::Experiment& experiment, const run::Options& options,
                          const fs::path& state_directory) {
  // A file that cannot be read or written is better found before the minute than after it.
  env::read_noise_floors(state_directory);
  env::expect_writable(env::noise_floor_file, state_directory);
  NoiseReport report;
  report.outcome = run::run(experiment, options);
  if (!report.outcome.is_sealed) return report;
  const record::Record record = record::open(report.outcome.record);
  report.noise = noise_of(record.evidence, report.outcome.result);
  if (report.noise.kernels.empty()) {
    throw Error(ErrorKind::worker, "the noise floor was not measured" +
                                       reason_for_nothing(report.noise, record.evidence.checks) +
                                       ". The record is " + report.outcome.record.string());
  }
  report.floor = floor_of(report, env::environment_of_this_machine());
  const auto kept = env::write_noise_floor_unless(
      state_directory, *report.floor, [&](const env::NoiseFloor& before) {
        return before.kernels.size() > report.floor->kernels.size();
      });
  if (kept) {
    report.why_not_stored = fmt::format(
        "nothing: the noise floor of {}, over {}, stays in force, because this "
        "run measured {}",
        kept->measured_utc, counted(kept->kernels.size(), "kernel"), report.floor->kernels.size());
  } else {
    report.file = state_directory / env::noise_floor_name;
  }
  return report;
}

}  // namespace assay::doctor
