// SPDX-License-Identifier: MIT
#include "assay/base/error.hpp"
#include "assay/experiment/detail/readers.hpp"

namespace assay::experiment::detail {

const std::vector<Node>& tables_of(const Node& list, const std::string& file,
                                   const std::string& name) {
  bool are_tables = list.kind == Node::Kind::array;
  for (const Node& item : list.items) are_tables = are_tables && item.kind == Node::Kind::table;
  if (!are_tables) {
    throw Error(ErrorKind::bad_input, file + ":" + std::to_string(list.line) + ": " + name +
                                          ": this is " + list.words() +
                                          "; expected tables with the header [[" + name + "]]");
  }
  return list.items;
}

void read_question(const Node& table, const std::string& file, Experiment& experiment) {
  const TableReader reader(
      table, file, "question",
      {"decision", "question", "hypothesis", "if_supported", "if_rejected", "alternative"});
  Question& words = experiment.question;
  words.question = reader.needed_text("question", "the question in a sentence");
  words.hypothesis =
      reader.needed_text("hypothesis", "what is thought to be true and why, in a sentence");
  words.decision = reader.text("decision").value_or("");
  words.if_supported = reader.text("if_supported").value_or("");
  words.if_rejected = reader.text("if_rejected").value_or("");
  if (const Node* alternatives = reader.find("alternative")) {
    for (const Node& item : tables_of(*alternatives, file, "question.alternative")) {
      const TableReader one(item, file, "question.alternative",
                            {"explanation", "told_apart_by", "metrics"});
      Alternative alternative;
      alternative.explanation =
          one.needed_text("explanation", "another cause that would give the same times");
      alternative.told_apart_by =
          one.needed_text("told_apart_by", "what would be seen if that were the cause");
      alternative.metrics = one.texts("metrics").value_or(std::vector<std::string>());
      words.alternatives.push_back(std::move(alternative));
    }
  }
}

}  // namespace assay::experiment::detail
