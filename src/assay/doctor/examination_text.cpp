// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "assay/doctor/doctor.hpp"

namespace assay::doctor {
namespace {

using env::Fitness;
using env::FitnessCheck;

std::string_view mark(Fitness fitness) {
  switch (fitness) {
    case Fitness::fit:
      return "ok";
    case Fitness::unknown:
      return "?";
    case Fitness::reservation:
      return "!";
    case Fitness::unfit:
      return "UNFIT";
  }
  return "";
}

void add(std::string& text, const FitnessCheck& check, std::size_t width) {
  text += fmt::format("  {:<5}  {:<{}}  {}\n", mark(check.fitness), check.slug, width, check.found);
  if (check.fitness == Fitness::fit) return;
  const std::string indent(9 + width + 2, ' ');
  if (check.fitness != Fitness::unknown) text += indent + check.why + "\n";
  if (!check.advice.empty()) text += indent + "→ " + check.advice + "\n";
}

}  // namespace

std::string examination_text(const Examination& examination) {
  std::size_t width = 0;
  for (const FitnessCheck& check : examination.checks) width = std::max(width, check.slug.size());
  std::string text;
  for (const Fitness fitness :
       {Fitness::unfit, Fitness::reservation, Fitness::unknown, Fitness::fit}) {
    for (const FitnessCheck& check : examination.checks) {
      if (check.fitness == fitness) add(text, check, width);
    }
  }
  return text + "\nThis machine is " + env::summary(examination.checks) + ".\n";
}

Json to_json(const Examination& examination) {
  Json checks = Json::array();
  for (const FitnessCheck& check : examination.checks) checks.push_back(to_json(check));
  Json timers = Json::array();
  for (const experiment::TimerDescription& timer : examination.timers) {
    timers.push_back(Json{{"name", timer.name},
                          {"resolution_ns", json_of(timer.resolution_ns)},
                          {"floor_ns", json_of(timer.floor_ns)}});
  }
  return Json{{"format", "assay-doctor/1"},
              {"fitness", env::name(examination.fitness())},
              {"summary", env::summary(examination.checks)},
              {"checks", std::move(checks)},
              {"timers", std::move(timers)}};
}

}  // namespace assay::doctor
