// SPDX-License-Identifier: MIT
//
// What judging costs: records of known truth, judged from memory and from their files.
//
//   judging one write FOLDER     one comparison, 128 trials × 2,605 blocks: 1,000,320 samples
//   judging cells write FOLDER   1,000 cells, 64 trials × 20 blocks: 3,840,000 samples
//   judging one memory [TIMES]   judges the same without any file; prints seconds and peak memory
//   judging one file RECORD      opens a record that was written, then judges it
//
// BLOCKS overrides the number of blocks. The effect lies on the margin, so that no look decides and
// every look is taken: the dearest case. analyse.py does the same analysis with NumPy and SciPy.
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

struct Shape {
  std::size_t cells = 1;
  std::uint32_t trials = 128;
  std::uint32_t blocks = 2605;
  std::vector<std::int64_t> looks = {8, 16, 32, 64, 128};
};

Shape shape_of(const std::string& word) {
  Shape shape;
  if (word == "cells") shape = {1000, 64, 20, {8, 16, 32, 64}};
  if (const char* blocks = std::getenv("BLOCKS")) {
    shape.blocks = static_cast<std::uint32_t>(std::stoul(blocks));
  }
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

experiment::Calibration calibration_of(const experiment::Plan& plan) {
  experiment::Calibration calibration;
  for (const experiment::Cell& cell : plan.cells) {
    experiment::CellCalibration of_cell;
    of_cell.cell = cell.id();
    of_cell.iterations = kIterations;
    of_cell.samples_per_trial = plan.protocol.blocks;
    of_cell.timer = "tsc";
    of_cell.timer_resolution_ns = 1;
    calibration.cells.push_back(of_cell);
  }
  return calibration;
}

// Trial by trial as a run writes them: every cell in turn, its blocks, in each all subjects.
record::Evidence evidence_of(const Shape& shape) {
  record::Evidence evidence;
  evidence.plan = plan_of(shape);
  evidence.calibration = calibration_of(evidence.plan);
  record::SampleTable& table = evidence.samples;
  table.rows.reserve(shape.cells * shape.trials * shape.blocks * 3);
  record::Sample row;
  row.build = table.names.index_of("program");
  row.problem = table.names.index_of("sum");
  row.state = table.names.index_of("warm");
  row.boundary = table.names.index_of("call");
  row.timer = table.names.index_of("tsc");
  row.flags = table.names.index_of("");
  row.iterations = kIterations;
  const std::array<std::uint32_t, 3> subjects = {table.names.index_of("before"),
                                                 table.names.index_of("control"),
                                                 table.names.index_of("after")};
  Random random(evidence.plan.protocol.seed);
  for (std::uint32_t trial = 1; trial <= shape.trials; ++trial) {
    row.trial = trial;
    row.process = trial;
    for (const experiment::Cell& cell : evidence.plan.cells) {
      row.case_id = table.names.index_of(cell.the_case.id());
      std::array<double, 3> log_call{};
      for (double& log : log_call) {
        log = std::log(kCallNs) + kSdBetweenTrials / std::numbers::sqrt2 * next_normal(random);
      }
      log_call[2] += std::log1p(kMargin);
      for (std::uint32_t block = 0; block < shape.blocks; ++block) {
        for (std::uint32_t subject = 0; subject < 3; ++subject) {
          row.block = block;
          row.position = subject;
          row.subject = subjects[subject];
          // To the nanosecond, as a timer of that step gives it.
          row.interval_ns =
              std::round(static_cast<double>(kIterations) *
                         std::exp(log_call[subject] + kSdWithinTrial * next_normal(random)));
          row.start_ns += static_cast<std::int64_t>(row.interval_ns) + 2'000;
          table.rows.push_back(row);
        }
      }
    }
    record::Trial of_trial;
    of_trial.trial = trial;
    of_trial.process = trial;
    of_trial.build = "program";
    of_trial.boundary = "call";
    of_trial.started_utc = kUtc;
    of_trial.outcome = "completed";
    evidence.trials.push_back(of_trial);
  }
  return evidence;
}

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
  fmt::print(stderr, "usage: judging one|cells write FOLDER | memory [TIMES] | file RECORD\n");
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
