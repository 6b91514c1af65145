// SPDX-License-Identifier: MIT
#include "assay/experiment/detail/table_reader.hpp"

#include <algorithm>
#include <cmath>

#include "assay/base/case.hpp"
#include "assay/base/error.hpp"
#include "assay/experiment/experiment.hpp"

namespace assay::experiment::detail {
namespace {

// Levenshtein's distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

std::string nearest(std::string_view text, const std::vector<std::string_view>& names) {
  if (text.size() > 64) return "";
  std::size_t best = 1 + std::max<std::size_t>(1, text.size() / 3);
  std::string_view found;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(text, name);
    if (distance < best) {
      best = distance;
      found = name;
    }
  }
  return std::string(found);
}

std::string quoted_list(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  return text;
}

bool Range::contains(double value) const {
  return std::isfinite(value) && (low_open ? value > low : value >= low) &&
         (high_open ? value < high : value <= high);
}

std::string Range::words() const {
  const auto end = [](double value) {
    return value == std::floor(value) && std::abs(value) < 1e15
               ? std::to_string(static_cast<std::int64_t>(value))
               : to_text(AxisValue(value));
  };
  const std::string from = (low_open ? "above " : "of at least ") + end(low);
  if (std::isinf(high)) return from;
  return from + (high_open ? " and below " : " and at most ") + end(high);
}

TableReader::TableReader(const Node& node, const std::string& file, std::string path,
                         std::vector<std::string_view> known_keys)
    : node_(&node), file_(file), path_(std::move(path)), known_keys_(std::move(known_keys)) {
  if (node.kind != Node::Kind::table) {
    fail_at(node.line, "", "this is " + node.words(), "a table");
  }
  check_keys();
}

void TableReader::check_keys() const {
  for (const Node::Member& entry : node_->members) {
    if (std::find(known_keys_.begin(), known_keys_.end(), entry.key) != known_keys_.end()) continue;
    const std::string meant = nearest(entry.key, known_keys_);
    fail_at(entry.line, entry.key, "unknown key",
            (meant.empty() ? "" : "\"" + meant + "\"? Known here: ") + quoted_list(known_keys_));
  }
}

const Node::Member* TableReader::member(std::string_view key) const {
  ASSAY_EXPECTS(std::find(known_keys_.begin(), known_keys_.end(), key) != known_keys_.end());
  for (const Node::Member& entry : node_->members) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

const Node* TableReader::find(std::string_view key) const {
  const Node::Member* found = member(key);
  return found == nullptr ? nullptr : &found->value;
}

std::size_t TableReader::line_of(std::string_view key) const {
  for (const Node::Member& entry : node_->members) {
    if (entry.key == key) return entry.line;
  }
  return node_->line;
}

std::string TableReader::place(std::size_t line, std::string_view key) const {
  std::string where = path_;
  if (!key.empty()) where += (where.empty() ? "" : ".") + std::string(key);
  return file_ + ":" + std::to_string(line) + (where.empty() ? "" : ": " + where);
}

void TableReader::fail_at(std::size_t line, std::string_view key, const std::string& trouble,
                          const std::string& expected) const {
  throw Error(ErrorKind::bad_input, place(line, key) + ": " + trouble + "; expected " + expected);
}

void TableReader::fail(std::string_view key, const std::string& trouble,
                       const std::string& expected) const {
  fail_at(line_of(key), key, trouble, expected);
}

std::optional<std::string> TableReader::text(std::string_view key) const {
  const Node* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind != Node::Kind::text) fail(key, "this is " + value->words(), "text in quotes");
  if (is_blank(value->text)) fail(key, "the text is empty", "text, or no such key");
  return value->text;
}

std::string TableReader::needed_text(std::string_view key, std::string_view expected) const {
  auto value = text(key);
  if (!value) fail(key, "missing", std::string(expected));
  return *value;
}

std::optional<std::vector<std::string>> TableReader::texts(std::string_view key) const {
  const Node* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::string expected = "a list of texts, such as [\"a\", \"b\"]";
  if (value->kind != Node::Kind::array || value->items.empty()) {
    fail(key, "this is " + value->words(), expected);
  }
  std::vector<std::string> result;
  for (const Node& item : value->items) {
    if (item.kind != Node::Kind::text) {
      fail_at(item.line, key, item.words() + " stands in the list", expected);
    }
    if (is_blank(item.text)) fail_at(item.line, key, "an empty text stands in the list", expected);
    if (std::find(result.begin(), result.end(), item.text) != result.end()) {
      fail_at(item.line, key, "\"" + item.text + "\" stands twice in the list", "it once");
    }
    result.push_back(item.text);
  }
  return result;
}

std::optional<std::int64_t> TableReader::integer(std::string_view key, std::int64_t least) const {
  const Node* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind != Node::Kind::integer || value->integer < least) {
    fail(key, "this is " + value->words(), "an integer of at least " + std::to_string(least));
  }
  return value->integer;
}

std::optional<std::vector<std::int64_t>> TableReader::integers(std::string_view key) const {
  const Node* value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::string expected = "a list of integers";
  if (value->kind != Node::Kind::array || value->items.empty()) {
    fail(key, "this is " + value->words(), expected);
  }
  std::vector<std::int64_t> result;
  for (const Node& item : value->items) {
    if (item.kind != Node::Kind::integer) {
      fail_at(item.line, key, item.words() + " stands in the list", expected);
    }
    result.push_back(item.integer);
  }
  return result;
}

std::optional<double> TableReader::number(std::string_view key, const Range& range) const {
  const Node* value = find(key);
  if (value == nullptr) return std::nullopt;
  double result = value->number;
  if (value->kind == Node::Kind::integer) result = static_cast<double>(value->integer);
  const bool is_number = value->kind == Node::Kind::number || value->kind == Node::Kind::integer;
  if (!is_number || !range.contains(result)) {
    fail(key, "this is " + value->words(), "a number " + range.words());
  }
  return result;
}

std::optional<double> TableReader::duration_s(std::string_view key) const {
  const Node* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind != Node::Kind::text) {
    fail(key, "this is " + value->words(), "a duration with its unit in quotes, such as \"1ms\"");
  }
  return parse_duration_s(value->text, place(line_of(key), key));
}

}  // namespace assay::experiment::detail
