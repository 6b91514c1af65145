// SPDX-License-Identifier: MIT
//
// A TOML document as a plain tree that knows its lines and keeps the order in which things are
// written. It keeps toml++ (a large header, with tables sorted by name) in one source file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::experiment::detail {

struct Node {
  enum class Kind { text, integer, number, boolean, date, array, table };
  struct Member;

  Kind kind = Kind::table;
  std::size_t line = 1;  // of the value; of a [table], its header
  std::string text;
  std::int64_t integer = 0;
  double number = 0;
  std::vector<Node> items;
  std::vector<Member> members;

  // What the value is, for messages: "the text 'abc'", "a table".
  std::string words() const;
};

struct Node::Member {
  std::string key;
  std::size_t line;  // of the key
  Node value;
};

// file stands in messages. Throws Error{bad_input} "FILE:LINE: …".
Node parse_document(const std::string& text, const std::string& file);

}  // namespace assay::experiment::detail
