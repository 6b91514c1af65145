// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <set>

#include "assay/base/error.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/detail/readers.hpp"

namespace assay::experiment::detail {
namespace {

constexpr std::int64_t highest_exponent = 62;
constexpr std::int64_t longest_tail = std::int64_t{1} << 31;

[[noreturn]] void fail_case(const std::string& file, std::size_t line, const std::string& path,
                            const std::string& trouble, const std::string& expected) {
  throw Error(ErrorKind::bad_input, file + ":" + std::to_string(line) + ": " + path + ": " +
                                        trouble + "; expected " + expected);
}

AxisValue read_value(const Node& node, const std::string& file, const std::string& path) {
  AxisValue value;
  if (node.kind == Node::Kind::integer) {
    value = node.integer;
  } else if (node.kind == Node::Kind::number) {
    value = node.number;
  } else if (node.kind == Node::Kind::text) {
    value = node.text;
  } else {
    fail_case(file, node.line, path, "this is " + node.words(), "an integer, a number or a text");
  }
  const std::string trouble = trouble_with_axis_value(value);
  if (!trouble.empty()) {
    fail_case(
        file, node.line, path, trouble,
        "a finite number, or a text without blanks, commas, quotes, equals signs and slashes");
  }
  return value;
}

// 2^low … 2^high and each of them plus every tail, in ascending order and once.
std::vector<AxisValue> read_powers(const Node& node, const std::string& file,
                                   const std::string& path) {
  const TableReader reader(node, file, path, {"pow2", "tails"});
  const std::string expected = "pow2 = [low, high] with 0 <= low <= high <= 62";
  const auto ends = reader.integers("pow2");
  if (!ends) reader.fail("pow2", "missing", expected);
  if (ends->size() != 2 || (*ends)[0] < 0 || (*ends)[0] > (*ends)[1] ||
      (*ends)[1] > highest_exponent) {
    reader.fail("pow2", "these are no exponents", expected);
  }
  const auto tails = reader.integers("tails").value_or(std::vector<std::int64_t>());
  std::set<std::int64_t> sizes;
  for (std::int64_t exponent = (*ends)[0]; exponent <= (*ends)[1]; ++exponent) {
    const std::int64_t power = std::int64_t{1} << exponent;
    sizes.insert(power);
    for (const std::int64_t tail : tails) {
      if (tail < -longest_tail || tail > longest_tail || power + tail < 1) {
        reader.fail("tails",
                    "2^" + std::to_string(exponent) + " with the tail " + std::to_string(tail) +
                        " is no size",
                    "sums of at least 1, and tails of at most 2^31");
      }
      sizes.insert(power + tail);
    }
  }
  return {sizes.begin(), sizes.end()};
}

void check_axis_name(const Node::Member& entry, const std::string& file, const std::string& table) {
  if (can_stand_in_id(entry.key)) return;
  fail_case(file, entry.line, table, "\"" + entry.key + "\" cannot name an axis",
            "a name without blanks, commas, quotes, equals signs and slashes");
}

}  // namespace

std::vector<AxisValue> read_axis_values(const Node& node, const std::string& file,
                                        const std::string& path) {
  if (node.kind == Node::Kind::table) return read_powers(node, file, path);
  if (node.kind != Node::Kind::array) return {read_value(node, file, path)};
  if (node.items.empty()) {
    fail_case(
        file, node.line, path, "this is an empty list",
        "at least one value, such as [1024, 4096], or no such key: the program's own values are "
        "then measured");
  }
  std::vector<AxisValue> values;
  for (const Node& item : node.items) {
    AxisValue value = read_value(item, file, path);
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      fail_case(file, item.line, path, to_text(value) + " stands twice in the list",
                "each value once");
    }
    if (!values.empty() && values.front().index() != value.index()) {
      fail_case(file, item.line, path, item.words() + " stands among values of another type",
                "all integers, all numbers with a point, or all texts");
    }
    values.push_back(std::move(value));
  }
  return values;
}

void read_cases(const Node& table, const std::string& file, Experiment& experiment) {
  if (table.kind != Node::Kind::table || table.members.empty()) {
    fail_case(file, table.line, "cases",
              table.kind == Node::Kind::table ? "the table is empty" : "this is " + table.words(),
              "at least one axis, such as n = [1024, 4096]");
  }
  for (const Node::Member& entry : table.members) {
    check_axis_name(entry, file, "cases");
    const std::string path = "cases." + entry.key;
    experiment.cases.axes.emplace_back(entry.key, read_axis_values(entry.value, file, path));
    experiment.lines[path] = entry.line;
  }
}

void read_case_tuples(const Node& list, const std::string& file, Experiment& experiment) {
  for (const Node& item : tables_of(list, file, "case")) {
    const std::string key = "case[" + std::to_string(experiment.cases.tuples.size()) + "]";
    experiment.lines[key] = item.line;
    if (item.members.empty()) {
      fail_case(file, item.line, "case", "the table is empty", "a value for each axis");
    }
    std::vector<Case::Entry> entries;
    for (const Node::Member& entry : item.members) {
      check_axis_name(entry, file, "case");
      entries.emplace_back(entry.key, read_value(entry.value, file, "case." + entry.key));
    }
    Case the_case(std::move(entries));
    for (const Case& other : experiment.cases.tuples) {
      if (other == the_case) {
        fail_case(file, item.line, "case", the_case.id() + " stands twice", "each case once");
      }
    }
    experiment.cases.tuples.push_back(std::move(the_case));
  }
}

}  // namespace assay::experiment::detail
