// SPDX-License-Identifier: MIT
#include "assay/experiment/detail/scaffold_text.hpp"

#include <string_view>

namespace assay::experiment::detail {
namespace {

constexpr std::string_view experiment_template =
    R"(# An experiment: the question, what is expected, and the rules, all written before the first sample.
# Whatever is left out of [protocol] has its default; the plan in the record lists every default that was used.
name = "@NAME@"
program = "@NAME@"          # looked for beside this file, then in build/
baseline = "naive"          # every other subject is compared with this one

[question]
# What will be done differently depending on the answer?
decision = "Use the sum with four accumulators wherever the code sums floats."
# What is asked? One question.
question = "Does the chain of dependent additions limit a sum, and do four chains remove that limit?"
# What is thought to be true, and why?
hypothesis = "Each addition waits for the one before; four independent sums overlap, so the time falls to about a quarter."
if_supported = "Use four accumulators."
if_rejected = "Keep the plain loop and look at the loads."

# What else would give the same times, and what would tell it apart?
[[question.alternative]]
explanation = "The compiler vectorises the four sums, which saves instructions rather than waiting."
told_apart_by = "The number of instructions falls as much as the time does."

# Sealed before the first sample. The comparisons that a prediction names are the primary ones.
[[prediction]]
candidate = "unrolled"
where = "n >= 1024"         # conditions on the axes, joined by `and`; without it every case is meant
ratio = [0.20, 0.45]        # time(candidate) / time(baseline): an interval meant to hold in 80 % of cases
probability = { faster = 0.97, equivalent = 0.02, slower = 0.01 }
because = "An addition takes four cycles and a core can start at least one in each."

[protocol]
state = ["warm"]            # or "cold", or both
looks = [8, 16, 32, 64, 128] # numbers of trials after which a verdict may be given
alpha = 0.05                # how often any verdict of the primary comparisons may be wrong
margin = 0.01               # differences below 1 % do not matter
budget = "2min"             # what is undecided by then stays undecided

[cases]                     # instead of the values that the program declares for these axes
n = [256, 1024, 4095, 4096] # or { pow2 = [8, 12], tails = [-1, 1] }
)";

constexpr std::string_view program_template =
    R"(// The problem (what is computed, and how it is checked) and its subjects (the ways to compute it).
#include <assay/assay.hpp>
#include <cmath>
#include <cstdint>

namespace {

// Each addition waits for the one before.
void naive(assay::Context& context) {
  const auto x = context.input<float>("x");
  float sum = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) sum += x[i];
  context.output<float>("sum")[0] = sum;
}

// Four sums that do not wait for each other.
void unrolled(assay::Context& context) {
  const auto x = context.input<float>("x");
  float sums[4] = {};
  std::int64_t i = 0;
  for (; i + 4 <= x.size(); i += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += x[i + k];
  }
  for (; i < x.size(); ++i) sums[0] += x[i];
  context.output<float>("sum")[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// What every subject is checked against, in a wider type.
void sum_in_double(assay::ReferenceCall& call) {
  double sum = 0;
  double magnitude = 0;
  for (const double x : call.input("x")) {
    sum += x;
    magnitude += std::abs(x);
  }
  call.output("sum")[0] = sum;
  call.magnitude("sum")[0] = magnitude;
}

// The useful work of one call: what a lower bound of its time follows from.
assay::Work work(const assay::Case& c) {
  const auto n = static_cast<double>(c.integer("n"));
  assay::Work work;
  work.bytes_read = 4 * n;
  work.bytes_written = 4;
  work.flop = n;
  work.items = n;
  work.item_name = "elements";
  return work;
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& sum = program.problem("sum");
  sum.axis("n", assay::pow2(8, 12).with_tails());
  sum.input("x", [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); });
  sum.output("sum", [](const assay::Case&) { return assay::Tensor::f32({1}); });
  sum.reference(sum_in_double);
  // However n floats are added, the result is within n · 2^-24 of the sum of magnitudes; n is at most 4097.
  sum.tolerance(assay::Tolerance::relative(2.5e-4).scaled_by_sum_of_magnitudes());
  sum.work(work);
  sum.subject("naive", naive);
  sum.subject("unrolled", unrolled);
  return assay::main(argc, argv, program);
}
)";

constexpr std::string_view cmake_template = R"(cmake_minimum_required(VERSION 3.25)
project(@NAME@ LANGUAGES CXX)

find_package(assay REQUIRED)

# Aligns functions and loops, and records the flags. LAYOUTS 8 would link the program eight times with its parts in another
# order, for [layout] replicates = 8 in experiment.toml.
assay_add_program(@NAME@ SOURCES @NAME@.cpp)
)";

constexpr std::string_view readme_template = R"(# @NAME@

An experiment for Assay: `experiment.toml` holds the question, the prediction and the rules, `@NAME@.cpp` the problem and
its subjects.

```sh
cmake -S . -B build
cmake --build build
assay run experiment.toml
```

The first command needs to find Assay: where it is not installed in a usual place, add `-DCMAKE_PREFIX_PATH=` and the place.

`assay run experiment.toml --dry-run` shows the cells and the time that they will take; `--quick` gives a first look and no
verdict; `build/@NAME@` alone runs every subject once. The record goes to `records/`.
)";

std::string filled(std::string_view text, const std::string& name) {
  constexpr std::string_view gap = "@NAME@";
  std::string result;
  for (std::size_t at = text.find(gap); at != std::string_view::npos; at = text.find(gap)) {
    result += std::string(text.substr(0, at)) + name;
    text.remove_prefix(at + gap.size());
  }
  return result + std::string(text);
}

}  // namespace

std::string scaffold_experiment(const std::string& name) {
  return filled(experiment_template, name);
}
std::string scaffold_program(const std::string& name) { return filled(program_template, name); }
std::string scaffold_cmake(const std::string& name) { return filled(cmake_template, name); }
std::string scaffold_readme(const std::string& name) { return filled(readme_template, name); }

}  // namespace assay::experiment::detail
