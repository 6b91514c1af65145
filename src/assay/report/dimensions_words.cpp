// SPDX-License-Identifier: MIT
#include "assay/report/dimensions_words.hpp"

#include <fmt/format.h>

namespace assay::report {
namespace {

void add(std::string& list, const std::string& name, const std::string& value) {
  list += fmt::format("{}{} {}", list.empty() ? "" : ", ", name, value);
}

}  // namespace

std::vector<std::vector<std::string>> operands_table(const judge::CellResult& cell) {
  std::vector<std::vector<std::string>> rows;
  if (!cell.dimensions || cell.dimensions->operands.empty()) return rows;
  rows.push_back({"tensor", "role", "type", "shape", "layout", "aligned to"});
  for (const experiment::Operand& operand : cell.dimensions->operands) {
    rows.push_back({operand.name, operand.role, operand.dtype, operand.shape_text(),
                    operand.layout(), fmt::format("{} bytes", operand.alignment_bytes)});
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> declared_of(const judge::CellResult& cell) {
  std::vector<std::pair<std::string, std::string>> lists;
  if (!cell.dimensions) return lists;
  std::string dimensions;
  for (const auto& [name, value] : cell.dimensions->declared.entries()) {
    add(dimensions, name, to_text(value));
  }
  if (!dimensions.empty()) lists.emplace_back("Dimensions", dimensions);
  for (const auto& [subject, parameters] : cell.dimensions->parameters) {
    std::string list;
    for (const auto& [name, value] : parameters) add(list, name, value);
    lists.emplace_back("Parameters of " + subject, list);
  }
  return lists;
}

}  // namespace assay::report
