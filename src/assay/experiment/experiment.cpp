// SPDX-License-Identifier: MIT
#include "assay/experiment/experiment.hpp"

#include <cctype>

#include "assay/base/error.hpp"
#include "assay/base/small_file.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/detail/readers.hpp"

namespace assay::experiment {
namespace {

using detail::Node;
using detail::TableReader;

// Several times what 100 000 tuples of cases need, which are more than a plan may have.
constexpr std::uintmax_t most_file_bytes = std::uintmax_t{16} << 20;

// The name is part of a directory's.
bool can_name_a_record(const std::string& name) {
  if (name.empty() || name.front() == '.' || name.front() == '-') return false;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                       c == '-' || c == '+';
    if (!plain) return false;
  }
  return true;
}

void read_publication(const Node& table, const std::string& file, Experiment& experiment) {
  const TableReader reader(table, file, "publication", {"author", "affiliation", "licence"});
  Publication publication;
  publication.author = reader.text("author").value_or("");
  publication.affiliation = reader.text("affiliation").value_or("");
  publication.licence = reader.text("licence").value_or("");
  experiment.publication = std::move(publication);
}

void read_baseline(const TableReader& document, Experiment& experiment) {
  if (const auto baseline = document.text("baseline")) {
    experiment.baseline = *baseline;
  } else {
    experiment.defaults_used.push_back("baseline");
  }
  experiment.lines["baseline"] = document.line_of("baseline");
}

}  // namespace

std::string Experiment::place_of(const std::string& key) const {
  const auto found = lines.find(key);
  std::string place = file.string();
  if (found != lines.end()) place += ":" + std::to_string(found->second);
  return place.empty() ? key : place + ": " + key;
}

Experiment parse_experiment(const std::string& text, const std::filesystem::path& file) {
  const std::string file_name = file.string();
  const Node root = detail::parse_document(text, file_name);
  const TableReader document(root, file_name, "",
                             {"name", "program", "baseline", "question", "prediction", "protocol",
                              "layout", "cases", "case", "subject", "build", "publication"});
  Experiment experiment;
  experiment.file = file;
  experiment.file_text = text;
  experiment.name = document.needed_text("name", "name = \"NAME\", the name of the experiment");
  if (!can_name_a_record(experiment.name)) {
    document.fail("name", "\"" + experiment.name + "\" cannot be part of a directory's name",
                  "letters, digits and . _ - +, not beginning with . or -");
  }
  read_builds(document, experiment);
  read_baseline(document, experiment);
  if (const Node* node = document.find("question")) {
    detail::read_question(*node, file_name, experiment);
  }
  if (const Node* node = document.find("prediction")) {
    detail::read_predictions(*node, file_name, experiment);
  }
  Node empty;
  const auto or_empty = [&](const Node* node) -> const Node& { return node ? *node : empty; };
  detail::read_protocol(or_empty(document.find("protocol")), file_name, experiment);
  detail::read_layout(or_empty(document.find("layout")), file_name, experiment);
  const Node* cases = document.find("cases");
  const Node* tuples = document.find("case");
  if (cases != nullptr && tuples != nullptr) {
    document.fail("case", "[[case]] beside [cases]",
                  "one of them: a product of axes, or tuples instead of any product");
  }
  if (cases != nullptr) detail::read_cases(*cases, file_name, experiment);
  if (tuples != nullptr) detail::read_case_tuples(*tuples, file_name, experiment);
  if (const Node* node = document.find("publication")) {
    read_publication(*node, file_name, experiment);
  }
  if (document.find("subject") != nullptr) detail::read_commands(document, experiment);
  return experiment;
}

Experiment read_experiment(const std::filesystem::path& file) {
  const auto text = read_small_file(file, most_file_bytes);
  if (!text) {
    throw Error(ErrorKind::bad_input, "cannot read the experiment file " + file.string() + ": " +
                                          text.missing().detail +
                                          "; expected a file such as `assay new NAME` writes");
  }
  return parse_experiment(*text, file);
}

Experiment experiment_of_program(const std::filesystem::path& program) {
  Experiment experiment;
  for (const char c : program.filename().string()) {
    experiment.name += can_name_a_record("x" + std::string(1, c)) ? c : '_';
  }
  if (!can_name_a_record(experiment.name)) experiment.name = "program" + experiment.name;
  Build build;
  build.name = "program";
  build.directory = program.has_parent_path() ? program.parent_path() : ".";
  build.program_as_written = std::filesystem::absolute(program).lexically_normal().string();
  build.program = program.has_parent_path() ? program : "." / program;
  experiment.builds.push_back(std::move(build));
  experiment.defaults_used.push_back("baseline");
  const Node empty;
  detail::read_protocol(empty, "", experiment);
  detail::read_layout(empty, "", experiment);
  experiment.lines.clear();
  return experiment;
}

}  // namespace assay::experiment
