// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/experiment/command_output.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/detail/readers.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::experiment::detail {
namespace {

// A run is its own fresh process, so that one discarded run fills the page cache and no more is
// gained by others.
constexpr std::int64_t warm_up_runs = 1;

// Unlike TableReader::texts: an argument may be empty, and stand there twice.
std::vector<std::string> words_of(const TableReader& reader) {
  const std::string expected =
      "a list of texts, the program first, such as [\"./tool\", \"--fast\"]";
  const Node* list = reader.find("command");
  if (list == nullptr) reader.fail("command", "missing", expected);
  if (list->kind != Node::Kind::array || list->items.empty()) {
    reader.fail("command", "this is " + list->words(), expected);
  }
  std::vector<std::string> words;
  for (const Node& item : list->items) {
    if (item.kind != Node::Kind::text) {
      reader.fail_at(item.line, "command", item.words() + " stands in the list", expected);
    }
    if (item.text.find('\0') != std::string::npos) {
      reader.fail_at(item.line, "command", "a zero byte stands in the list", expected);
    }
    words.push_back(item.text);
  }
  if (words.front().empty()) reader.fail("command", "the program's name is empty", expected);
  return words;
}

std::string output_of(const TableReader& reader) {
  const std::string expected =
      "output = \"FILE\" (or \"-\" for what the command prints), or unchecked = true";
  const auto output = reader.text("output");
  const Node* unchecked = reader.find("unchecked");
  if (unchecked != nullptr && unchecked->kind != Node::Kind::boolean) {
    reader.fail("unchecked", "this is " + unchecked->words(), "true or false");
  }
  const bool is_unchecked = unchecked != nullptr && unchecked->text == "true";
  if (output && is_unchecked) {
    reader.fail("unchecked", "true beside an output to check", "one of the two");
  }
  if (!output && !is_unchecked) reader.fail("output", "missing", expected);
  const std::string trouble = trouble_with_output(output.value_or(""));
  if (!trouble.empty()) {
    reader.fail("output", "\"" + *output + "\": " + trouble,
                "a file below the folder of the experiment file, as it is removed before every "
                "run, or \"-\"");
  }
  return output.value_or("");
}

int threads_of(const TableReader& reader, Experiment& experiment, const std::string& key) {
  const Node* node = reader.find("threads");
  if (node == nullptr) {
    experiment.defaults_used.push_back(key + ".threads");
    return -1;
  }
  if (node->kind == Node::Kind::text && node->text == "all") return -1;
  if (node->kind == Node::Kind::integer && node->integer == 1) return 1;
  reader.fail("threads", "this is " + node->words(),
              "1, for a command that runs on one core, or \"all\"");
}

Command read_command(const Node& table, const std::string& file, Experiment& experiment) {
  const TableReader reader(table, file, "subject",
                           {"name", "command", "output", "unchecked", "threads"});
  Command command;
  command.name = reader.needed_text("name", "name = \"NAME\", what the subject is called");
  if (!can_stand_in_id(command.name) || command.name.find('@') != std::string::npos) {
    reader.fail("name", "\"" + command.name + "\" cannot name a subject",
                "a name without blanks, commas, quotes, equals signs, slashes and @");
  }
  if (command.name == control_name) {
    reader.fail("name", "\"control\" is the label of the second baseline", "another name");
  }
  for (const Command& other : experiment.commands) {
    if (other.name == command.name) {
      reader.fail("name", "there are two subjects \"" + command.name + "\"", "another name");
    }
  }
  command.words = words_of(reader);
  command.output = output_of(reader);
  command.threads =
      threads_of(reader, experiment, "subject[" + std::to_string(experiment.commands.size()) + "]");
  return command;
}

// A case with some value for each axis.
Case any_case(const Cases& cases) {
  if (!cases.tuples.empty()) return cases.tuples.front();
  std::vector<Case::Entry> entries;
  for (const auto& [name, values] : cases.axes) entries.emplace_back(name, values.front());
  return Case(std::move(entries));
}

void check_placeholders(const TableReader& document, const std::vector<Node>& tables,
                        const Experiment& experiment) {
  const Case the_case = any_case(experiment.cases);
  std::string all_texts;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Command& command = experiment.commands[i];
    std::vector<std::string> texts = command.words;
    texts.push_back(command.output);
    for (std::size_t word = 0; word < texts.size(); ++word) {
      try {
        // The program is one and the same in all cases: it is hashed.
        expand(texts[word], word == 0 ? Case() : the_case);
      } catch (const Error& error) {
        throw Error(ErrorKind::bad_input,
                    document.place(tables[i].line, "subject") + ": " + error.what() +
                        (word == 0 ? " (in the program's own name: no axis)" : ""));
      }
      all_texts += texts[word] + "\n";
    }
  }
  for (const auto& [axis, value] : the_case.entries()) {
    if (all_texts.find("{" + axis + "}") == std::string::npos) {
      throw Error(ErrorKind::bad_input, experiment.place_of("cases." + axis) +
                                            ": no command uses the axis '" + axis +
                                            "', so all its values would be the same; expected {" +
                                            axis + "} in the arguments of a subject");
    }
  }
}

// One rule for all: a claim about a comparison says how its outputs were checked, and half a check
// is none.
void check_outputs(const TableReader& document, const std::vector<Node>& tables,
                   const Experiment& experiment) {
  const bool first_is_checked = !experiment.commands.front().output.empty();
  for (std::size_t i = 1; i < tables.size(); ++i) {
    if (experiment.commands[i].output.empty() != first_is_checked) continue;
    document.fail_at(tables[i].line, "subject",
                     "\"" + experiment.commands[i].name + "\" is " +
                         (first_is_checked ? "unchecked" : "checked") + " and \"" +
                         experiment.commands.front().name + "\" is not",
                     "an output for every subject, or unchecked = true for every one: outputs are "
                     "compared with the baseline's");
  }
}

}  // namespace

void read_commands(const TableReader& document, Experiment& experiment) {
  for (const std::string_view key : {"program", "build"}) {
    if (document.find(key) == nullptr) continue;
    document.fail(key, "this experiment's subjects are commands ([[subject]])",
                  "either a program that declares its subjects, or commands");
  }
  if (experiment.layout_replicates > 1) {
    document.fail("layout", "commands have no layouts", "no [layout] beside [[subject]]");
  }
  const auto& tables = tables_of(*document.find("subject"), document.file(), "subject");
  for (const Node& table : tables) {
    experiment.commands.push_back(read_command(table, document.file(), experiment));
  }
  check_outputs(document, tables, experiment);
  check_placeholders(document, tables, experiment);
  for (Command& command : experiment.commands) {
    command.words.front() = expand(command.words.front(), Case());
  }
  if (document.find("protocol") != nullptr) {
    const Node& protocol = *document.find("protocol");
    for (const Node::Member& entry : protocol.members) {
      if (entry.key == "sample") {
        document.fail_at(entry.line, "protocol.sample",
                         "a sample of a command is one run of it, however long", "no such key");
      }
    }
  }
  auto& defaults = experiment.defaults_used;
  if (std::find(defaults.begin(), defaults.end(), "protocol.warmup_blocks_max") != defaults.end()) {
    experiment.protocol.warmup_blocks_max = warm_up_runs;
  }
}

}  // namespace assay::experiment::detail
