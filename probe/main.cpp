// SPDX-License-Identifier: MIT
//
// assay-probe: the built-in kernels, as a worker like any other. `assay doctor` runs it; run by
// hand it shows a quick look, as every program does.
#include <assay/assay.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "assay/measure/worker.hpp"
#include "ceilings.hpp"
#include "noise.hpp"

namespace {

constexpr double kUnitRoundoff = 0x1p-24;        // of float
constexpr double kSubnormalRoundoff = 0x1p-150;  // half the distance of subnormal floats

// The names must stand for one machine code: two subjects of one type share the loop that is made
// of it, and the kernel is a function of its own.
struct Sum {
  void operator()(assay::Context& context) const {
    const auto x = context.input<float>(0);
    context.output<float>(0)[0] = assay::probe::sum(x.data(), static_cast<std::size_t>(x.size()));
  }
};

struct Recurrence {
  void operator()(assay::Context& context) const {
    const auto x = context.input<float>(0);
    assay::probe::recurrence(x.data(), context.output<float>(0).data(),
                             static_cast<std::size_t>(x.size()));
  }
};

// A sum loses at most (depth of its order) · u · Σ|x|; eight chains of four lanes are n/32 deep,
// and joining them takes five more.
void reference_of_sum(assay::ReferenceCall& call) {
  double total = 0;
  double magnitudes = 0;
  const std::vector<double>& x = call.input("x");
  for (const double value : x) {
    total += value;
    magnitudes += std::fabs(value);
  }
  call.output("y")[0] = total;
  const double depth = static_cast<double>(x.size()) / 32 + 5;
  call.magnitude("y")[0] = depth * magnitudes;
}

void reference_of_recurrence(assay::ReferenceCall& call) {
  const std::vector<double>& x = call.input("x");
  for (std::size_t i = 0; i < x.size(); ++i) {
    double value = 0;
    for (int step = 0; step < assay::probe::kRecurrenceSteps; ++step) {
      value = value * static_cast<double>(assay::probe::kRecurrenceFactor) + x[i];
    }
    call.output("y")[i] = value;
    call.magnitude("y")[i] = std::fabs(value);
  }
}

assay::SpecialValues of_sums() {
  assay::SpecialValues special;
  special.non_finite = assay::SpecialValues::NonFinite::propagate;
  special.range = assay::SpecialValues::Range::sums;
  return special;
}

void add_sum(assay::Program& program) {
  auto& problem = program.problem("noise-sum");
  problem.axis("n", {1 << 12, 1 << 16, 1 << 20});
  problem.input("x", [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); });
  problem.output("y", [](const assay::Case&) { return assay::Tensor::f32({1}); });
  problem.reference(reference_of_sum);
  problem.tolerance(assay::Tolerance::relative(kUnitRoundoff).scaled_by_sum_of_magnitudes());
  problem.special_values(of_sums());
  problem.work([](const assay::Case& c) {
    assay::Work work;
    work.bytes_read = 4 * static_cast<double>(c.integer("n"));
    work.bytes_written = 4;
    work.flop = static_cast<double>(c.integer("n") - 1);
    return work;
  });
  problem.subject("A", Sum{});
  problem.subject("A2", Sum{});
}

void add_recurrence(assay::Program& program) {
  constexpr std::int64_t n = 256;
  auto& problem = program.problem("noise-recurrence");
  problem.input("x", [](const assay::Case&) { return assay::Tensor::f32({n}); });
  problem.output("y", [](const assay::Case&) { return assay::Tensor::f32({n}); });
  problem.reference(reference_of_recurrence);
  // A product below the smallest normal number is off by up to half the distance of subnormal ones,
  // whatever its size; every later step takes the error times the factor.
  problem.tolerance(
      assay::Tolerance::relative(assay::probe::kRecurrenceSteps * kUnitRoundoff)
          .or_absolute(kSubnormalRoundoff / (1 - double{assay::probe::kRecurrenceFactor}))
          .scaled_by_sum_of_magnitudes());
  problem.special_values(of_sums());
  problem.work([](const assay::Case&) {
    assay::Work work;
    work.bytes_read = 4.0 * n;
    work.bytes_written = 4.0 * n;
    work.flop = 2.0 * n * assay::probe::kRecurrenceSteps;
    return work;
  });
  problem.subject("A", Recurrence{});
  problem.subject("A2", Recurrence{});
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  add_sum(program);
  add_recurrence(program);
  if (assay::measure::is_started_as_worker()) {
    return assay::measure::serve_as_worker(program, assay::probe::measure_ceilings);
  }
  return assay::main(argc, argv, program);
}
