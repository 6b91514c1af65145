// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>
#include <set>

#include "assay/base/error.hpp"
#include "assay/experiment/detail/planning.hpp"
#include "assay/experiment/detail/toml_text.hpp"
#include "assay/experiment/scaffold.hpp"

namespace assay::experiment {
namespace {

using detail::duration_text;
using detail::left_out_by_filter;
using detail::toml_list;
using detail::toml_text;
using detail::toml_value;

std::vector<Case> distinct_cases(const Plan& plan) {
  std::vector<Case> cases;
  for (const Cell& cell : plan.cells) {
    if (std::find(cases.begin(), cases.end(), cell.the_case) == cases.end()) {
      cases.push_back(cell.the_case);
    }
  }
  return cases;
}

// Whether all have the axes of the first one, in its order.
bool have_the_same_axes(const std::vector<Case>& cases) {
  const auto& axes = cases.front().entries();
  return std::all_of(cases.begin(), cases.end(), [&](const Case& one) {
    return std::equal(
        one.entries().begin(), one.entries().end(), axes.begin(), axes.end(),
        [](const Case::Entry& a, const Case::Entry& b) { return a.first == b.first; });
  });
}

// Empty if the cases are no product.
std::string product_text(const std::vector<Case>& cases) {
  if (!have_the_same_axes(cases)) return "";
  std::string text = "[cases]\n";
  std::size_t size = 1;
  for (std::size_t axis = 0; axis < cases.front().entries().size(); ++axis) {
    std::vector<AxisValue> values;
    for (const Case& one : cases) {
      const AxisValue& value = one.entries()[axis].second;
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    size *= values.size();
    std::string list;
    for (const AxisValue& value : values) list += (list.empty() ? "" : ", ") + toml_value(value);
    text += toml_text(cases.front().entries()[axis].first) + " = [" + list + "]\n";
  }
  return size == cases.size() ? text : "";
}

// What --filter asked for, if it left any cell out.
std::optional<std::string> filter_of(const Plan& plan) {
  const std::string begin(left_out_by_filter);
  for (const LeftOut& left : plan.left_out) {
    if (left.what.compare(0, begin.size(), begin) == 0) return left.what.substr(begin.size());
  }
  return std::nullopt;
}

// Those of the names that a cell has; all where no filter chose among the cells.
std::vector<std::string> measured(const std::vector<std::string>& names, std::string Cell::*name,
                                  const Plan& plan) {
  if (!filter_of(plan)) return names;
  std::vector<std::string> result;
  for (const std::string& each : names) {
    if (std::any_of(plan.cells.begin(), plan.cells.end(),
                    [&](const Cell& cell) { return cell.*name == each; })) {
      result.push_back(each);
    }
  }
  return result;
}

// Cold starts have a state that no list of states names, unless there is nothing but them.
std::vector<std::string> measured_states(const Plan& plan) {
  const auto states = measured(plan.protocol.states, &Cell::state, plan);
  return states.empty() ? std::vector<std::string>{std::string(fresh_state)} : states;
}

// Whether cases, states and boundaries as they are written make the plan's cells and no more. What
// could not be measured then cannot be now.
bool repeats_the_cells(const Plan& plan) {
  if (plan.descriptions.front().problems.size() != 1) return false;
  std::set<std::string> known;
  for (const Cell& cell : plan.cells) known.insert(cell.id());
  for (const LeftOut& left : plan.left_out) known.insert(left.what);
  Cell cell = plan.cells.front();
  for (const Case& one : distinct_cases(plan)) {
    cell.the_case = one;
    for (const auto& [state, boundary] : states_and_boundaries(
             measured_states(plan), measured(plan.protocol.boundaries, &Cell::boundary, plan))) {
      cell.state = state;
      cell.boundary = boundary;
      if (known.count(cell.id()) == 0) return false;
    }
  }
  return true;
}

std::string filter_text(const Plan& plan) {
  const auto filter = filter_of(plan);
  if (!filter) return "";
  if (repeats_the_cells(plan)) {
    return "# The cases, states and boundaries below are those that --filter " +
           toml_text(*filter) + " left.\n";
  }
  return "# LEFT OUT: the run had --filter " + toml_text(*filter) +
         ", which no file can say here: this one measures more cells. For the\n"
         "# same ones give that --filter to `assay run`.\n";
}

std::string cases_text(const Plan& plan) {
  if (plan.descriptions.front().problems.size() != 1) {
    return "# The program has several problems; each keeps the cases that it declares. An axis "
           "here would replace the\n"
           "# axis of that name in all of them.\n# [cases]\n";
  }
  const auto cases = distinct_cases(plan);
  if (cases.empty() || cases.front().entries().empty()) return "";
  std::string text = product_text(cases);
  if (!text.empty()) return text;
  for (const Case& one : cases) {
    text += "[[case]]\n";
    for (const auto& [name, value] : one.entries()) {
      text += toml_text(name) + " = " + toml_value(value) + "\n";
    }
  }
  return text;
}

std::string protocol_text(const Plan& plan) {
  const Protocol& protocol = plan.protocol;
  std::string looks;
  for (const std::int64_t look : protocol.looks) {
    looks += (looks.empty() ? "" : ", ") + std::to_string(look);
  }
  std::string text = "[protocol]\n";
  text += "boundary = " + toml_list(measured(protocol.boundaries, &Cell::boundary, plan)) + "\n";
  text += "state = " + toml_list(measured_states(plan)) + "\n";
  text += "looks = [" + looks + "]\n";
  text += "alpha = " + to_text(AxisValue(protocol.alpha)) + "\n";
  text += "margin = " + to_text(AxisValue(protocol.margin)) + "\n";
  if (protocol.precision) {
    text += "precision = " + to_text(AxisValue(*protocol.precision)) + "\n";
  }
  if (protocol.ignores_noise_floor) text += "noise_floor = \"ignore\"\n";
  text += "blocks = " + std::to_string(protocol.blocks) + "\n";
  if (!plan.is_of_commands()) {
    text += "sample = " + toml_text(duration_text(protocol.sample_s)) + "\n";
  }
  // A quick look's budget is no budget for an experiment.
  const double budget_s = plan.quick ? Protocol().budget_s : protocol.budget_s;
  text += "budget = " + toml_text(duration_text(budget_s)) + "\n";
  text += "timer = " + toml_text(protocol.timer) + "\n";
  text += "warmup_blocks_max = " + std::to_string(protocol.warmup_blocks_max) + "\n";
  text += "timeout = " + toml_text(duration_text(protocol.timeout_s)) + "\n";
  return text + "# seed: left out, so that a new one is drawn\n\n[layout]\nreplicates = " +
         std::to_string(plan.layout_replicates) + "\n";
}

std::string builds_text(const Plan& plan) {
  if (plan.is_of_commands()) return "";
  if (plan.builds.size() == 1 && plan.builds.front().command.empty()) {
    return "program = " + toml_text(plan.builds.front().program.string()) + "\n";
  }
  return "";
}

// As a command's words are written: a brace stands for itself only where there are two.
std::string with_braces_doubled(const std::string& text) {
  std::string result;
  for (const char c : text) result.append(c == '{' || c == '}' ? 2 : 1, c);
  return result;
}

// A path from the old folder would lead elsewhere from the new one. The program itself is the one
// that was found; a name is looked for in PATH again.
std::vector<std::string> words_from_anywhere(const Command& command) {
  std::vector<std::string> words = command.words;
  const bool is_path = words.front().find('/') != std::string::npos;
  if (is_path && !command.program.empty()) words.front() = command.program.string();
  words.front() = with_braces_doubled(words.front());
  return words;
}

std::string commands_text(const Plan& plan) {
  std::string text = "# The commands ran in " + toml_text(plan.builds.front().directory.string()) +
                     "; their programs' paths lead there still, paths in their arguments do not.\n";
  for (const Command& command : plan.commands) {
    text += "[[subject]]\nname = " + toml_text(command.name) +
            "\ncommand = " + toml_list(words_from_anywhere(command)) + "\n";
    text += command.output.empty() ? "unchecked = true\n"
                                   : "output = " + toml_text(command.output) + "\n";
    text += command.threads == 1 ? "threads = 1\n\n" : "threads = \"all\"\n\n";
  }
  return text;
}

std::string build_tables_text(const Plan& plan) {
  if (plan.is_of_commands()) return commands_text(plan);
  if (!builds_text(plan).empty()) return "";
  std::string text;
  for (const Build& build : plan.builds) {
    text += "[build." + build.name + "]\n";
    if (!build.command.empty()) text += "command = " + toml_text(build.command) + "\n";
    text += "dir = " + toml_text(build.directory.string()) + "\n";
    text += "program = " + toml_text(build.program_as_written) + "\n\n";
  }
  return text;
}

// The words are the author's: what is known of them is a frame in comments.
std::string words_text(const Plan& plan) {
  std::string candidate = "NAME";
  std::string where = "AXIS = VALUE";
  if (!plan.comparisons.empty()) {
    const Comparison& first = plan.comparisons.front();
    const Cell& cell = plan.cells[first.cell];
    candidate = cell.subjects[first.candidate].text();
    if (!cell.the_case.entries().empty()) {
      const auto& [name, value] = cell.the_case.entries().front();
      where = name + " = " + to_text(value);
    }
  }
  return "# To complete, before the next run: remove the '# ' and write the sentences.\n"
         "# [question]\n"
         "# decision = \"\"       # what will be done differently depending on the answer?\n"
         "# question = \"\"       # what is asked?\n"
         "# hypothesis = \"\"     # what is thought to be true, and why?\n"
         "# if_supported = \"\"\n"
         "# if_rejected = \"\"\n"
         "# [[question.alternative]]\n"
         "# explanation = \"\"    # what else would give the same times?\n"
         "# told_apart_by = \"\"  # what would be seen if it were that?\n"
         "\n"
         "# What is expected of the comparisons that matter. A ratio that was read from this "
         "record predicts nothing:\n"
         "# derive it from the work that is saved.\n"
         "# [[prediction]]\n"
         "# candidate = " +
         toml_text(candidate) + "\n# where = " + toml_text(where) +
         "\n# ratio = [LOW, HIGH]  # time(candidate) / time(baseline)\n"
         "# probability = { faster = 0.8, equivalent = 0.1, slower = 0.1 }\n"
         "# because = \"work-model\"\n";
}

}  // namespace

std::string experiment_text_from_plan(const Plan& plan) {
  if (plan.descriptions.empty() || plan.cells.empty()) {
    throw Error(ErrorKind::bad_input,
                "it has no cells: the program could not be asked for them, and `assay show` says "
                "why. Mend that and run again, or begin with `assay new NAME`");
  }
  std::string text = "# Written from the plan of " + toml_text(plan.name) + ", made " +
                     toml_text(plan.created_utc) + ".\n" + filter_text(plan) +
                     "name = " + toml_text(plan.name) + "\n" + builds_text(plan);
  // In a program of several problems the baselines differ: the first one declared stays the rule.
  const bool has_one_problem = plan.descriptions.front().problems.size() == 1;
  if (has_one_problem) {
    text += "baseline = " + toml_text(plan.cells.front().subjects.front().name) + "\n";
  }
  text += "\n" + words_text(plan) + "\n" + protocol_text(plan) + "\n" + build_tables_text(plan) +
          cases_text(plan);
  try {
    parse_experiment(text, "experiment.toml");
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_input,
                std::string("its plan holds what no experiment file can: ") + error.what());
  }
  return text;
}

}  // namespace assay::experiment
