// SPDX-License-Identifier: MIT
#include "assay/experiment/detail/document.hpp"

#include <algorithm>

#include "assay/base/case.hpp"
#include "assay/base/error.hpp"
#include "assay/experiment/detail/toml_guard.hpp"

namespace assay::experiment::detail {
// Text that toml++ holds to be impossible.
struct TomlAssertion {};
[[noreturn]] inline void fail_toml_assertion() { throw TomlAssertion(); }
}  // namespace assay::experiment::detail

// Some malformed keys break assertions of toml++ 3.3: in a debug build they would end the process,
// and in an optimised one clang is told to assume that they hold. Here they throw, in every build.
#undef NDEBUG
#define TOML_ASSERT(expression) \
  ((expression) ? static_cast<void>(0) : ::assay::experiment::detail::fail_toml_assertion())
// Header-only whatever the distribution built: a user's program then needs no libtomlplusplus.so.
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#undef TOML_SHARED_LIB
#include <toml++/toml.h>

namespace assay::experiment::detail {
namespace {

[[noreturn]] void fail(const std::string& file, std::size_t line, const std::string& trouble) {
  throw Error(ErrorKind::bad_input, file + ":" + std::to_string(line) + ": " + trouble);
}

std::size_t line_of(const toml::source_region& region) { return region.begin.line; }

// At most 60 bytes, and no part of a character: messages end in JSON, which is UTF-8.
std::string beginning_of(const std::string& text) {
  std::size_t length = 60;
  if (text.size() <= length) return text;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  return text.substr(0, length) + "…";
}

Node converted(const toml::node& node);

void add_members(const toml::table& table, Node& to) {
  struct Place {
    toml::source_position position;
    const toml::key* key;
    const toml::node* value;
  };
  std::vector<Place> places;
  for (auto&& [key, value] : table) places.push_back({key.source().begin, &key, &value});
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.position < b.position; });
  for (const Place& place : places) {
    to.members.push_back({std::string(place.key->str()),
                          static_cast<std::size_t>(place.position.line), converted(*place.value)});
  }
}

Node converted(const toml::node& node) {
  Node result;
  result.line = std::max<std::size_t>(line_of(node.source()), 1);
  if (const auto* table = node.as_table()) {
    add_members(*table, result);
  } else if (const auto* array = node.as_array()) {
    result.kind = Node::Kind::array;
    for (const toml::node& item : *array) result.items.push_back(converted(item));
  } else if (const auto* text = node.as_string()) {
    result.kind = Node::Kind::text;
    result.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    result.kind = Node::Kind::integer;
    result.integer = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    result.kind = Node::Kind::number;
    result.number = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    result.kind = Node::Kind::boolean;
    result.text = boolean->get() ? "true" : "false";
  } else {
    result.kind = Node::Kind::date;
  }
  return result;
}

}  // namespace

std::string Node::words() const {
  switch (kind) {
    case Kind::text:
      return "the text \"" + beginning_of(text) + "\"";
    case Kind::integer:
      return "the integer " + std::to_string(integer);
    case Kind::number:
      return "the number " + to_text(AxisValue(number));
    case Kind::boolean:
      return text;
    case Kind::date:
      return "a date or time";
    case Kind::array:
      return items.empty() ? "an empty list" : "a list";
    case Kind::table:
      return "a table";
  }
  return "something else";
}

Node parse_document(const std::string& text, const std::string& file) {
  const TomlTrouble trouble = trouble_before_toml(text);
  if (!trouble.words.empty()) fail(file, trouble.line, trouble.words);
  try {
    const toml::table table = toml::parse(std::string_view(text));
    return converted(table);
  } catch (const toml::parse_error& error) {
    fail(file, line_of(error.source()), "not TOML: " + std::string(error.description()));
  } catch (const TomlAssertion&) {
    fail(file, 1, "not TOML: a key is malformed, and its line is not known");
  }
}

}  // namespace assay::experiment::detail
