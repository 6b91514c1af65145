// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::experiment {
namespace {

// More cells than anybody can measure are a slip in the file, such as one nought too many.
constexpr std::size_t most_cases = 100'000;

[[noreturn]] void fail_at(const std::string& place, const std::string& trouble) {
  const bool is_option = place.compare(0, 6, "--axis") == 0;
  throw Error(is_option ? ErrorKind::usage : ErrorKind::bad_input, place + ": " + trouble);
}

std::string axes_text(const ProgramDescription& description) {
  std::string text;
  for (const ProblemDescription& problem : description.problems) {
    for (const AxisDescription& axis : problem.axes) {
      text += (text.empty() ? "" : ", ") + axis.name + " (of " + problem.name + ")";
    }
  }
  return text.empty() ? "none" : text;
}

// The value as the axis would hold it: an integer may stand for a number with a point. A program
// asks a case for one type only, so any other mixture is an error here rather than in the worker.
AxisValue fitted(const AxisValue& value, const AxisDescription& axis, const std::string& place) {
  if (axis.values.empty()) return value;
  const AxisValue& known = axis.values.front();
  if (known.index() == value.index()) return value;
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (integer != nullptr && std::holds_alternative<double>(known)) {
    return static_cast<double>(*integer);
  }
  const char* const types[] = {"integers", "numbers with a point", "texts"};
  fail_at(place, to_text(value) + " is not what the axis " + axis.name + " holds; expected " +
                     types[known.index()] + " such as " + to_text(known));
}

const AxisChoice* find_choice(const std::vector<AxisChoice>& choices, const std::string& name) {
  const auto found = std::find_if(choices.begin(), choices.end(),
                                  [&](const AxisChoice& choice) { return choice.first == name; });
  return found == choices.end() ? nullptr : &*found;
}

void check_names(const Experiment& experiment, const ProgramDescription& description) {
  const auto is_known = [&](const std::string& name) {
    return std::any_of(
        description.problems.begin(), description.problems.end(), [&](const auto& problem) {
          return std::any_of(problem.axes.begin(), problem.axes.end(),
                             [&](const AxisDescription& axis) { return axis.name == name; });
        });
  };
  const auto check = [&](const std::string& name, const std::string& place) {
    if (is_known(name)) return;
    fail_at(place, "no problem has an axis '" + name +
                       "'; expected one of the program's axes: " + axes_text(description));
  };
  for (const auto& choice : experiment.cases.axes) {
    check(choice.first, experiment.place_of("cases." + choice.first));
  }
  const auto& overrides = experiment.cases.axis_overrides;
  for (const auto& choice : overrides) {
    check(choice.first, "--axis");
    // Which of the two is meant cannot be told.
    if (find_choice(overrides, choice.first) != &choice) {
      fail_at("--axis", "the axis '" + choice.first +
                            "' is given twice; expected one --axis with all its values, such as " +
                            choice.first + "=[A, B]");
    }
  }
  for (std::size_t i = 0; i < experiment.cases.tuples.size(); ++i) {
    for (const auto& entry : experiment.cases.tuples[i].entries()) {
      check(entry.first, experiment.place_of("case[" + std::to_string(i) + "]"));
    }
  }
}

std::vector<Case> product(const std::vector<AxisChoice>& axes, const std::string& problem) {
  std::size_t count = 1;
  for (const AxisChoice& axis : axes) {
    count *= axis.second.size();
    if (count > most_cases) {
      fail_at("the cases of " + problem, "the product of the axes has more than " +
                                             std::to_string(most_cases) +
                                             " cases; expected fewer values");
    }
  }
  std::vector<std::vector<Case::Entry>> partial = {{}};
  for (const AxisChoice& axis : axes) {
    std::vector<std::vector<Case::Entry>> longer;
    for (const auto& entries : partial) {
      for (const AxisValue& value : axis.second) {
        longer.push_back(entries);
        longer.back().emplace_back(axis.first, value);
      }
    }
    partial = std::move(longer);
  }
  std::vector<Case> cases;
  for (auto& entries : partial) cases.emplace_back(std::move(entries));
  return cases;
}

std::vector<AxisValue> fitted_all(const std::vector<AxisValue>& values, const AxisDescription& axis,
                                  const std::string& place) {
  std::vector<AxisValue> result;
  for (const AxisValue& value : values) {
    AxisValue one = fitted(value, axis, place);
    if (std::find(result.begin(), result.end(), one) == result.end()) result.push_back(one);
  }
  return result;
}

// The tuple in the order of the problem's axes; nothing if it does not name exactly these.
std::optional<Case> fitted_tuple(const Case& tuple, const ProblemDescription& problem,
                                 const std::string& place) {
  if (tuple.entries().size() != problem.axes.size()) return std::nullopt;
  for (const AxisDescription& axis : problem.axes) {
    if (tuple.find(axis.name) == nullptr) return std::nullopt;
  }
  std::vector<Case::Entry> entries;
  for (const AxisDescription& axis : problem.axes) {
    entries.emplace_back(axis.name, fitted(*tuple.find(axis.name), axis, place));
  }
  return Case(std::move(entries));
}

bool passes_overrides(const Case& the_case, const ProblemDescription& problem,
                      const std::vector<AxisChoice>& overrides) {
  return std::all_of(problem.axes.begin(), problem.axes.end(), [&](const AxisDescription& axis) {
    const AxisChoice* choice = find_choice(overrides, axis.name);
    if (choice == nullptr) return true;
    const auto values = fitted_all(choice->second, axis, "--axis " + axis.name);
    return std::find(values.begin(), values.end(), *the_case.find(axis.name)) != values.end();
  });
}

std::map<std::string, std::vector<Case>> from_tuples(const Experiment& experiment,
                                                     const ProgramDescription& description) {
  std::map<std::string, std::vector<Case>> asked;
  for (const ProblemDescription& problem : description.problems) asked[problem.name] = {};
  for (std::size_t i = 0; i < experiment.cases.tuples.size(); ++i) {
    const std::string place = experiment.place_of("case[" + std::to_string(i) + "]");
    bool fits = false;
    for (const ProblemDescription& problem : description.problems) {
      const auto the_case = fitted_tuple(experiment.cases.tuples[i], problem, place);
      if (!the_case) continue;
      fits = true;
      auto& cases = asked[problem.name];
      if (passes_overrides(*the_case, problem, experiment.cases.axis_overrides)) {
        cases.push_back(*the_case);
      }
    }
    if (!fits) {
      fail_at(place,
              "no problem has exactly the axes of '" + experiment.cases.tuples[i].id() +
                  "'; expected a value for each axis of a problem: " + axes_text(description));
    }
  }
  return asked;
}

}  // namespace

std::map<std::string, std::vector<Case>> cases_asked(const Experiment& experiment,
                                                     const ProgramDescription& description) {
  check_names(experiment, description);
  if (!experiment.cases.tuples.empty()) return from_tuples(experiment, description);
  std::map<std::string, std::vector<Case>> asked;
  for (const ProblemDescription& problem : description.problems) {
    std::vector<AxisChoice> axes;
    bool is_changed = false;
    for (const AxisDescription& axis : problem.axes) {
      const AxisChoice* by_file = find_choice(experiment.cases.axes, axis.name);
      const AxisChoice* by_option = find_choice(experiment.cases.axis_overrides, axis.name);
      const AxisChoice* choice = by_option != nullptr ? by_option : by_file;
      const std::string place =
          by_option != nullptr ? "--axis " + axis.name : experiment.place_of("cases." + axis.name);
      is_changed = is_changed || choice != nullptr;
      axes.emplace_back(axis.name,
                        choice == nullptr ? axis.values : fitted_all(choice->second, axis, place));
    }
    if (is_changed) asked[problem.name] = product(axes, problem.name);
  }
  return asked;
}

}  // namespace assay::experiment
