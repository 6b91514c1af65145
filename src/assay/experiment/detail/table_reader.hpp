// SPDX-License-Identifier: MIT
//
// Strict reading of one table of an experiment file: what is not known, or is of another type, is
// an Error{bad_input} "FILE:LINE: KEY: what is wrong; expected …". The keys of the table are given
// first, so that a misspelt key is called that, and not another one missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/experiment/detail/document.hpp"

namespace assay::experiment::detail {

// [low, high], or without the ends where open.
struct Range {
  double low;
  double high;
  bool low_open = false;
  bool high_open = false;

  bool contains(double value) const;
  std::string words() const;  // "above 0 and below 0.5"
};

class TableReader {
 public:
  // path: "" for the document, else "protocol". Throws if the node is no table or holds a key that
  // is not known.
  TableReader(const Node& node, const std::string& file, std::string path,
              std::vector<std::string_view> known_keys);

  // nullptr, or nothing, if the key is absent.
  const Node* find(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;  // not blank
  std::optional<std::vector<std::string>> texts(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key, std::int64_t least) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
  std::optional<double> number(std::string_view key, const Range& range) const;  // or an integer
  std::optional<double> duration_s(std::string_view key) const;
  // Throws if the key is absent.
  std::string needed_text(std::string_view key, std::string_view expected) const;

  // "FILE:LINE: PATH.KEY: trouble; expected …", with the line of the key, or of the table if
  // absent.
  [[noreturn]] void fail(std::string_view key, const std::string& trouble,
                         const std::string& expected) const;
  [[noreturn]] void fail_at(std::size_t line, std::string_view key, const std::string& trouble,
                            const std::string& expected) const;
  // "FILE:LINE: PATH.KEY"
  std::string place(std::size_t line, std::string_view key) const;
  std::size_t line_of(std::string_view key) const;
  std::size_t line() const { return node_->line; }
  const Node& node() const { return *node_; }
  const std::string& file() const { return file_; }

 private:
  const Node::Member* member(std::string_view key) const;
  void check_keys() const;

  const Node* node_;
  std::string file_;
  std::string path_;
  std::vector<std::string_view> known_keys_;
};

// The name among `names` that the text most likely means; empty if none is near.
std::string nearest(std::string_view text, const std::vector<std::string_view>& names);
// "a", "b", "c"
std::string quoted_list(const std::vector<std::string_view>& names);

}  // namespace assay::experiment::detail
