// SPDX-License-Identifier: MIT
//
// The lists of columns against the page that describes the tables: neither can be changed alone.
#include "assay/record/columns.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "assay/record/package.hpp"
#include "assay/record/tables.hpp"

namespace assay::record {
namespace {

struct PageRow {
  std::vector<std::string> names;
  std::string type;
  std::string meaning;
};

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

PageRow page_row(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(trimmed(cell));
  if (cells.size() != 3) return {};
  PageRow row{
      {}, cells[1], std::regex_replace(cells[2], std::regex(R"(\[([^\]]*)\]\([^)]*\))"), "$1")};
  const std::regex name("`([^`]*)`");
  for (std::sregex_iterator at(cells[0].begin(), cells[0].end(), name), end; at != end; ++at) {
    row.names.push_back((*at)[1]);
  }
  return row;
}

// By the heading, "samples.csv": the rows of the first table below it.
std::map<std::string, std::vector<PageRow>> tables_of_page() {
  std::ifstream page(ASSAY_TEST_PAGE);
  std::map<std::string, std::vector<PageRow>> tables;
  std::string heading;
  bool is_below = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#")) {
      heading = line.substr(line.find_first_not_of("# "));
      is_below = true;
    } else if (is_below && line.starts_with("| `")) {
      tables[heading].push_back(page_row(line));
    } else if (line.empty() && !tables[heading].empty()) {
      is_below = false;
    }
  }
  return tables;
}

std::string type_on_page(const Column& column) {
  const std::string least =
      " ≥ " + std::string(column.least < 0 ? "−" : "") + std::to_string(std::abs(column.least));
  std::string text;
  switch (column.type) {
    case Column::Type::text:
      text = "text";
      break;
    case Column::Type::integer:
      text = "integer" + least;
      break;
    case Column::Type::number:
      text = "float" + least;
      break;
    case Column::Type::time:
      text = "time";
      break;
    case Column::Type::integers:
      text = "integers" + least;
      break;
  }
  if (!column.unit.empty()) text += ", " + std::string(column.unit);
  return text + (column.may_be_empty ? ", or empty" : "");
}

const Column& column_named(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [name](const Column& column) { return column.name == name; });
  if (found == table.columns.end()) throw std::runtime_error(std::string(name));
  return *found;
}

void expect_same(const Column& column, const PageRow& row) {
  SCOPED_TRACE(column.name);
  if (row.meaning == "as in `samples.csv`") {
    const Column& there = column_named(samples_table, column.name);
    EXPECT_EQ(column.meaning, there.meaning);
    EXPECT_EQ(type_on_page(column), row.type.empty() ? type_on_page(there) : row.type);
    return;
  }
  EXPECT_EQ(row.names.size(), 1U) << "each column has a meaning of its own";
  EXPECT_EQ(row.type, type_on_page(column));
  EXPECT_EQ(row.meaning, column.meaning);
}

TEST(Columns, StandOnThePageAsInTheCode) {
  const auto page = tables_of_page();
  for (const Table* table : tables_of_records()) {
    SCOPED_TRACE(table->file);
    ASSERT_TRUE(page.contains(std::string(table->file)));
    std::size_t at = 0;
    for (const PageRow& row : page.at(std::string(table->file))) {
      for (const std::string& name : row.names) {
        ASSERT_LT(at, table->columns.size()) << name << " is no column";
        ASSERT_EQ(table->columns[at].name, name);
        expect_same(table->columns[at++], row);
      }
    }
    EXPECT_EQ(at, table->columns.size()) << "the page lacks the last ones";
  }
}

TEST(Columns, HaveNamesOfTheirOwnAndAMeaning) {
  for (const Table* table : tables_of_records()) {
    std::set<std::string_view> names;
    for (const Column& column : table->columns) {
      EXPECT_TRUE(names.insert(column.name).second) << table->file << " has twice " << column.name;
      EXPECT_FALSE(column.meaning.empty()) << table->file << " " << column.name;
      EXPECT_EQ(column.meaning.find_first_of("|\n"), std::string_view::npos) << column.name;
    }
  }
}

TEST(Columns, OfKeysAreColumnsOfBothTables) {
  std::map<std::string, const Table*> tables;
  for (const Table* table : tables_of_records()) {
    tables[std::string(table->file.substr(0, table->file.find('.')))] = table;
  }
  for (const Table* table : tables_of_records()) {
    for (const auto name : table->primary_key) {
      EXPECT_NO_THROW(column_named(*table, name)) << table->file;
    }
    for (const ForeignKey& key : table->foreign_keys) {
      const Table& other = *tables.at(std::string(key.table));
      EXPECT_TRUE(std::equal(key.columns.begin(), key.columns.end(), other.primary_key.begin(),
                             other.primary_key.end()))
          << table->file << " points at something else than rows of " << key.table;
      for (const auto name : key.columns) {
        EXPECT_NO_THROW(column_named(*table, name)) << table->file;
      }
    }
  }
}

}  // namespace
}  // namespace assay::record
