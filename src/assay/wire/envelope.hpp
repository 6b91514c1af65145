// SPDX-License-Identifier: MIT
//
// What requests and answers have in common: the envelope around them, and strict reading. Internal
// to wire.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/wire/messages.hpp"

namespace assay::wire {

Json sealed(const Envelope& envelope, const char* role, const std::string& kind);
std::string line_of(const Json& json);

// Takes "assay", "nonce" and "id" of the object; throws Error{bad_input} if the version is another.
Envelope take_envelope(ObjectReader& reader);

// A 64-bit number as 16 hexadecimal digits: the numbers of JSON lose bits above 2^53 in many
// languages.
std::string hex_of(std::uint64_t key);
std::uint64_t take_hex(ObjectReader& reader, std::string_view key);

Case take_case(ObjectReader& reader, std::string_view key);
template <typename T>
std::vector<T> take_list(ObjectReader& reader, std::string_view key) {
  const Json& list = reader.member(key);
  if (!list.is_array()) {
    throw Error(ErrorKind::bad_input,
                reader.where() + ": '" + std::string(key) + "' must be a list");
  }
  std::vector<T> result;
  result.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    // One element as an object of one member, so that its type is checked like any other's.
    const Json wrapped{{"element", list[i]}};
    ObjectReader element(wrapped,
                         reader.where() + "." + std::string(key) + "[" + std::to_string(i) + "]");
    result.push_back(element.take<T>("element"));
  }
  return result;
}

// Text from a line that may hold anything, as it can stand in a message: at most `limit` bytes, and
// '?' for each that is not printable ASCII.
std::string printable(std::string_view text, std::size_t limit);

// Throws Error{bad_input} for a text that could not be a field of the record's tables: control
// characters, commas or quotes. what: what it is of.
const std::string& expect_plain(const std::string& text, const char* what);

// f() with every Error turned into Error{worker} that quotes the start of the line.
template <typename F>
auto reading_line(std::string_view line, const char* expected, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    // What the error says may repeat the line's bytes, and all of them.
    throw Error(ErrorKind::worker, "cannot understand the line '" + printable(line, 120) + "' (" +
                                       printable(error.what(), 300) + "); expected " + expected);
  }
}

}  // namespace assay::wire
