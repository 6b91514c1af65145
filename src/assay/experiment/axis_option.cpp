// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/detail/readers.hpp"

namespace assay::experiment {
namespace {

using detail::Node;

Node node_of_word(std::string word) {
  word.erase(0, std::min(word.find_first_not_of(' '), word.size()));
  word.erase(word.find_last_not_of(' ') + 1);
  const AxisValue value = axis_value_from_text(word);
  Node node;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    node.kind = Node::Kind::integer;
    node.integer = *integer;
  } else if (const auto* number = std::get_if<double>(&value)) {
    node.kind = Node::Kind::number;
    node.number = *number;
  } else {
    node.kind = Node::Kind::text;
    node.text = std::move(word);
  }
  return node;
}

// Bare words, as a shell leaves them: a list in brackets, or one value.
Node node_of_words(const std::string& text) {
  const bool is_list = text.size() >= 2 && text.front() == '[' && text.back() == ']';
  if (!is_list && (text.front() == '[' || text.back() == ']')) {
    throw Error(ErrorKind::usage, "a bracket is missing");
  }
  const std::string inner = is_list ? text.substr(1, text.size() - 2) : text;
  Node list;
  list.kind = Node::Kind::array;
  for (std::size_t start = 0; start <= inner.size();) {
    const std::size_t comma = std::min(inner.find(',', start), inner.size());
    list.items.push_back(node_of_word(inner.substr(start, comma - start)));
    start = comma + 1;
  }
  return list;
}

}  // namespace

AxisChoice parse_axis_option(const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equals);
  const std::string values = equals == text.size() ? "" : text.substr(equals + 1);
  if (!can_stand_in_id(name) || values.empty()) {
    throw Error(ErrorKind::usage,
                "cannot read --axis '" + text +
                    "'; expected NAME=VALUE, NAME=[VALUE, VALUE] or NAME={ pow2 = [LOW, HIGH] }");
  }
  try {
    const bool is_toml = values.front() == '{' || values.find('"') != std::string::npos;
    Node node;
    if (is_toml) {
      Node document = detail::parse_document("values = " + values, "--axis");
      if (document.members.size() != 1) throw Error(ErrorKind::usage, "this is more than one axis");
      node = std::move(document.members.front().value);
    } else {
      node = node_of_words(values);
    }
    return {name, detail::read_axis_values(node, "--axis", name)};
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, "cannot read --axis '" + text + "': " + error.what());
  }
}

}  // namespace assay::experiment
