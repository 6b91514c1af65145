// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "assay/base/error.hpp"
#include "assay/experiment/scaffold.hpp"

namespace assay::experiment {
namespace {

std::string toml_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr std::string_view digits = "0123456789ABCDEF";
      result += std::string("\\u00") + digits[byte >> 4] + digits[byte & 15];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) result += (result.empty() ? "" : ", ") + toml_text(text);
  return "[" + result + "]";
}

std::string value_text(const AxisValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? toml_text(*text) : to_text(value);
}

// The shortest "NUMBER UNIT" that reads back as the same double.
std::string duration_text(double seconds) {
  struct Unit {
    const char* name;
    double per_s;
  };
  constexpr std::array<Unit, 5> units = {
      {{"min", 1.0 / 60}, {"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}};
  std::string best;
  for (const Unit& unit : units) {
    char buffer[400];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, seconds * unit.per_s,
                                   std::chars_format::fixed);
    const std::string text = std::string(buffer, end.ptr) + unit.name;
    if (parse_duration_s(text, "duration") != seconds) continue;
    if (best.empty() || text.size() < best.size()) best = text;
  }
  ASSAY_EXPECTS(!best.empty());  // in seconds the number itself reads back
  return best;
}

std::vector<Case> distinct_cases(const Plan& plan) {
  std::vector<Case> cases;
  for (const Cell& cell : plan.cells) {
    if (std::find(cases.begin(), cases.end(), cell.the_case) == cases.end()) {
      cases.push_back(cell.the_case);
    }
  }
  return cases;
}

std::string product_text(const std::vector<Case>& cases) {
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
    for (const AxisValue& value : values) list += (list.empty() ? "" : ", ") + value_text(value);
    text += toml_text(cases.front().entries()[axis].first) + " = [" + list + "]\n";
  }
  return size == cases.size() ? text : "";
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
      text += toml_text(name) + " = " + value_text(value) + "\n";
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
  text += "boundary = " + toml_list(protocol.boundaries) + "\n";
  text += "state = " + toml_list(protocol.states) + "\n";
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

// A path from the old folder would lead elsewhere from the new one. The program itself is the one
// that was found; a name is looked for in PATH again.
std::vector<std::string> words_from_anywhere(const Command& command) {
  std::vector<std::string> words = command.words;
  const bool is_path = words.front().find('/') != std::string::npos;
  if (!is_path || command.program.empty()) return words;
  words.front() = command.program.string();
  return words;
}

std::string commands_text(const Plan& plan) {
  std::string text = "# The commands ran in " + plan.builds.front().directory.string() +
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
  ASSAY_EXPECTS(!plan.descriptions.empty() && !plan.cells.empty());
  std::string text = "# Written from the plan of " + plan.name + ", made " + plan.created_utc +
                     ".\nname = " + toml_text(plan.name) + "\n" + builds_text(plan);
  // In a program of several problems the baselines differ: the first one declared stays the rule.
  const bool has_one_problem = plan.descriptions.front().problems.size() == 1;
  if (has_one_problem) {
    text += "baseline = " + toml_text(plan.cells.front().subjects.front().name) + "\n";
  }
  return text + "\n" + words_text(plan) + "\n" + protocol_text(plan) + "\n" +
         build_tables_text(plan) + cases_text(plan);
}

}  // namespace assay::experiment
