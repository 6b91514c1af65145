// SPDX-License-Identifier: MIT
//
// What judging costs: records of known truth, judged from memory and from their files.
//
//   judging one write FOLDER     one comparison, 128 trials × 2,605 blocks: 1,000,320 samples
//   judging cells write FOLDER   1,000 cells, 64 trials × 20 blocks: 3,840,000 samples
//   judging mixed write FOLDER   30 cells, 64 trials × 60 blocks, of every kind: to compare results
//   judging one memory [TIMES]   judges the same without any file; prints seconds and peak memory
//   judging one file RECORD      opens a record that was written, then judges it
//
// BLOCKS and CELLS override their numbers. In the first two the effect lies on the margin, so that
// no look decides and every look is taken: the dearest case. Samples of canaries come on top, 20 a
// trial. analyse.py does the same analysis with NumPy and SciPy.
#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>
#include <string>

#include "assay/base/random.hpp"
#include "assay/judge/judge.hpp"
#include "assay/record/reader.hpp"
#include "assay/record/writer.hpp"

namespace {

using namespace assay;

constexpr const char* kUtc = "2026-11-29T21:44:05+00:00";
constexpr double kMargin = 0.01;
constexpr double kSdBetweenTrials = 0.01;
constexpr double kSdWithinTrial = 0.005;
constexpr double kCallNs = 10'000;
constexpr std::int64_t kIterations = 100;
constexpr double kTimerStepNs = 1;
constexpr double kCanaryNs = 200'000;
constexpr std::int64_t kTrialCostNs = 30'000'000;  // outside its samples

// What is true of a cell. Times are those of `Truth{}` everywhere but in `mixed`.
struct Truth {
  double effect = std::log1p(kMargin);  // of "after"
  double mode_within_share = 0;         // of the samples, by 10 % slower
  bool modes_between = false;           // every other trial by 10 % slower
  std::uint32_t changes_at_block = 0;   // by 10 % slower before it
  bool slows_down = false;              // … instead of faster
  double step_at_half = 0;              // of all subjects, over the run
  double autocorrelation = 0;           // of a subject's samples
  double autocorrelation_of_trials = 0;
  double lopsided_share = 0;  // of the trials in which "after" is slower by 6 SD
  double control = 0;         // bias of the control
  double timer_step_ns = kTimerStepNs;
};

struct Shape {
  std::size_t cells = 1;
  std::uint32_t trials = 128;
  std::uint32_t blocks = 2605;
  std::vector<std::int64_t> looks = {8, 16, 32, 64, 128};
  std::vector<Truth> kinds = {{}};  // of the cells, in turn
};

std::vector<Truth> kinds() {
  return {{},
          {.effect = std::log1p(0.05)},
          {.effect = 0},
          {.effect = std::log1p(-0.03)},
          {.effect = 0, .mode_within_share = 0.4},
          {.effect = 0, .modes_between = true},
          {.changes_at_block = 15},
          {.changes_at_block = 15, .slows_down = true},
          {.changes_at_block = 45},
          {.step_at_half = 0.03},
          {.autocorrelation = 0.9},
          {.effect = 0, .autocorrelation_of_trials = 0.9},
          {.effect = 0, .lopsided_share = 0.15},
          {.effect = 0, .control = 0.02},
          {.effect = std::log1p(0.02), .timer_step_ns = 10'000}};
}

Shape shape_of(const std::string& word) {
  Shape shape;
  if (word == "cells") shape = {1000, 64, 20, {8, 16, 32, 64}, {{}}};
  if (word == "mixed") shape = {30, 64, 60, {8, 16, 32, 64}, kinds()};
  if (const char* blocks = std::getenv("BLOCKS")) {
    shape.blocks = static_cast<std::uint32_t>(std::stoul(blocks));
  }
  if (const char* cells = std::getenv("CELLS")) shape.cells = std::stoul(cells);
  return shape;
}

// The worker's own word for a moment and the peak memory of this process.
double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double processor_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

double next_normal(Random& random) {
  const double u = 1 - random.next_uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * random.next_uniform());
}

experiment::Plan plan_of(const Shape& shape) {
  experiment::Plan plan;
  plan.name = "judging";
  plan.created_utc = kUtc;
  plan.assay_version = "0.1.0";
  plan.protocol.boundaries = {"call"};
  plan.protocol.looks = shape.looks;
  plan.protocol.margin = kMargin;
  plan.protocol.blocks = shape.blocks;
  plan.protocol.seed = 20261129;
  plan.protocol.timer = "tsc";
  experiment::Build build;
  build.name = "program";
  build.program = "judging";
  plan.builds = {build};
  plan.program_digests = {std::string(64, 'a')};
  experiment::ProgramDescription description;
  description.program = "judging";
  description.device = {"cpu", "a processor"};
  description.boundaries = {"call"};
  plan.descriptions = {description};
  for (std::size_t i = 0; i < shape.cells; ++i) {
    experiment::Cell cell;
    cell.problem = "sum";
    cell.the_case = Case::parse(fmt::format("n={}", 1000 + i));
    cell.state = "warm";
    cell.boundary = "call";
    cell.subjects = {{"program", "before"}, {"program", "after"}};
    cell.subject_work.resize(2);
    plan.cells.push_back(cell);
    plan.comparisons.push_back({i, 1, {}});
  }
  return plan;
}

experiment::Calibration calibration_of(const experiment::Plan& plan, const Shape& shape) {
  experiment::Calibration calibration;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    experiment::CellCalibration of_cell;
    of_cell.cell = plan.cells[i].id();
    of_cell.iterations = kIterations;
    of_cell.samples_per_trial = plan.protocol.blocks;
    of_cell.timer = "tsc";
    of_cell.timer_resolution_ns = shape.kinds[i % shape.kinds.size()].timer_step_ns;
    calibration.cells.push_back(of_cell);
  }
  return calibration;
}

// A stationary series of SD 1 with the autocorrelation `phi` from one value to the next.
struct Neighbours {
  double last = 0;
  bool has_begun = false;

  double next(double phi, Random& random) {
    const double fresh = next_normal(random);
    last = has_begun ? phi * last + std::sqrt(1 - phi * phi) * fresh : fresh;
    has_begun = true;
    return last;
  }
};

class Generator {
 public:
  explicit Generator(const Shape& shape) : shape_(shape), random_(20261129) {
    evidence_.plan = plan_of(shape);
    evidence_.calibration = calibration_of(evidence_.plan, shape);
    record::SampleTable& table = evidence_.samples;
    table.rows.reserve(shape.trials * (shape.cells * shape.blocks * 3 + 20));
    row_.build = table.names.index_of("program");
    row_.timer = table.names.index_of("tsc");
    row_.flags = table.names.index_of("");
    subjects_ = {table.names.index_of("before"), table.names.index_of("control"),
                 table.names.index_of("after")};
    over_trials_.resize(shape.cells);
  }

  // Trial by trial as a run writes them: canaries, every cell in turn, its blocks, in each all
  // subjects, and canaries again.
  record::Evidence operator()() {
    for (std::uint32_t trial = 1; trial <= shape_.trials; ++trial) {
      row_.trial = trial;
      row_.process = trial;
      record::Trial of_trial;
      of_trial.trial = trial;
      of_trial.process = trial;
      of_trial.build = "program";
      of_trial.boundary = "call";
      of_trial.core = trial % 2;
      of_trial.started_utc = kUtc;
      of_trial.outcome = "completed";
      of_trial.start_ns = row_.start_ns;
      row_.start_ns += kTrialCostNs;
      add_canaries(0);
      for (std::size_t cell = 0; cell < shape_.cells; ++cell) add_cell(trial, cell);
      add_canaries(1);
      of_trial.end_ns = row_.start_ns;
      evidence_.trials.push_back(of_trial);
    }
    return std::move(evidence_);
  }

 private:
  void add(double interval_ns) {
    row_.interval_ns = interval_ns;
    row_.start_ns += static_cast<std::int64_t>(interval_ns) + 2'000;
    evidence_.samples.rows.push_back(row_);
  }

  void add_canaries(std::uint32_t moment) {
    record::Dictionary& names = evidence_.samples.names;
    row_.phase = record::Phase::canary;
    row_.problem = row_.case_id = row_.state = row_.boundary = names.index_of("");
    row_.block = moment;
    row_.position = 0;
    row_.iterations = 1;
    for (const char* kernel : {"canary-compute", "canary-memory"}) {
      row_.subject = names.index_of(kernel);
      for (int i = 0; i < 5; ++i) {
        add(std::round(kCanaryNs * std::exp(kSdWithinTrial * next_normal(random_))));
        ++row_.position;
      }
    }
    row_.phase = record::Phase::measure;
    row_.problem = names.index_of("sum");
    row_.state = names.index_of("warm");
    row_.boundary = names.index_of("call");
    row_.iterations = kIterations;
  }

  void add_cell(std::uint32_t trial, std::size_t number) {
    const Truth& truth = shape_.kinds[number % shape_.kinds.size()];
    row_.case_id = evidence_.samples.names.index_of(evidence_.plan.cells[number].the_case.id());
    std::array<double, 3> log_call{};
    for (std::size_t subject = 0; subject < 3; ++subject) {
      log_call[subject] = std::log(kCallNs) + kSdBetweenTrials / std::numbers::sqrt2 *
                                                  over_trials_[number][subject].next(
                                                      truth.autocorrelation_of_trials, random_);
      if (truth.modes_between && trial % 2 == 1) log_call[subject] += std::log(1.1);
      if (2 * trial > shape_.trials) log_call[subject] += truth.step_at_half;
    }
    log_call[1] += truth.control;
    log_call[2] += truth.effect;
    if (truth.lopsided_share > 0 && random_.next_uniform() < truth.lopsided_share) {
      log_call[2] += 6 * kSdBetweenTrials;
    }
    std::array<Neighbours, 3> within;
    for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
      for (std::uint32_t subject = 0; subject < 3; ++subject) {
        double log = log_call[subject] +
                     kSdWithinTrial * within[subject].next(truth.autocorrelation, random_);
        if (truth.mode_within_share > 0 && random_.next_uniform() < truth.mode_within_share) {
          log += std::log(1.1);
        }
        if (block < truth.changes_at_block) log += std::log(truth.slows_down ? 0.9 : 1.1);
        row_.block = block;
        row_.position = subject;
        row_.subject = subjects_[subject];
        // As a timer of that step gives it.
        add(truth.timer_step_ns *
            std::round(static_cast<double>(kIterations) * std::exp(log) / truth.timer_step_ns));
      }
    }
  }

  Shape shape_;
  Random random_;
  record::Evidence evidence_;
  record::Sample row_;
  std::array<std::uint32_t, 3> subjects_{};
  std::vector<std::array<Neighbours, 3>> over_trials_;  // by cell
};

record::Evidence evidence_of(const Shape& shape) { return Generator(shape)(); }

void write(const Shape& shape, const std::string& folder) {
  const record::Evidence evidence = evidence_of(shape);
  auto writer = record::Writer::create(folder, "judging", "20261129T214405Z",
                                       json_text(to_json(evidence.plan)), kUtc, "");
  writer.seal_calibration(to_json(evidence.calibration), kUtc);
  writer.append_samples(evidence.samples, 0);
  for (const record::Trial& trial : evidence.trials) writer.append_trial(trial);
  writer.write_checks(evidence.checks);
  writer.write_json("environment.json", {{"format", record::environment_format}});
  writer.write_json("result.json", to_json(judge::judge(evidence, judge::Ending::complete)));
  writer.write_text("report.html", "");
  writer.seal({});
  fmt::print("{}\n", writer.path().string());
}

void print_line(const char* what, double wall_s, double cpu_s) {
  fmt::print("{:<28} {:8.3f} s   {:8.3f} s of the processor\n", what, wall_s, cpu_s);
}

template <typename F>
auto timed(const char* what, F&& f) {
  const double wall_s = now_s();
  const double cpu_s = processor_s();
  auto result = f();
  print_line(what, now_s() - wall_s, processor_s() - cpu_s);
  return result;
}

void judge_once(const record::Evidence& evidence) {
  const judge::Result result =
      timed("judge", [&] { return judge::judge(evidence, judge::Ending::complete); });
  std::size_t undecided = 0;
  double sum = 0;
  for (const judge::ComparisonResult& comparison : result.comparisons) {
    undecided += comparison.verdict == stats::Verdict::inconclusive ? 1U : 0U;
    sum += comparison.ratio ? *comparison.ratio : 0;
  }
  fmt::print(
      "{} samples, {} comparisons, {} without a verdict, mean ratio {:.6f}, peak {:.1f} MB\n",
      evidence.samples.rows.size(), result.comparisons.size(), undecided,
      sum / static_cast<double>(result.comparisons.size()), peak_mb());
}

int usage() {
  fmt::print(stderr,
             "usage: judging one|cells|mixed write FOLDER | memory [TIMES] | file RECORD\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return usage();
  const std::string what = argv[2];
  const std::string argument = argc > 3 ? argv[3] : "";
  try {
    const Shape shape = shape_of(argv[1]);
    if (what == "write" && !argument.empty()) {
      write(shape, argument);
    } else if (what == "memory") {
      const record::Evidence evidence = evidence_of(shape);
      const int times = argument.empty() ? 1 : std::stoi(argument);
      for (int i = 0; i < times; ++i) judge_once(evidence);
    } else if (what == "file" && !argument.empty()) {
      const record::Record record = timed("open", [&] { return record::open(argument); });
      judge_once(record.evidence);
    } else {
      return usage();
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "judging: {}\n", error.what());
    return 1;
  }
}
