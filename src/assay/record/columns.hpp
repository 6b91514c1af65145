// SPDX-License-Identifier: MIT
//
// What a column of a record's table is: its name, type, unit and meaning. Each table has one list
// of them, beside the code that writes its rows: the header line, data/datapackage.json and, by a
// test, the tables of docs/reference/record.md all follow from that list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay::record {

struct Column {
  enum class Type {
    text,
    integer,
    number,    // a float
    time,      // 2026-11-29T21:44:05+00:00
    integers,  // none of them negative, separated by one blank
  };
  std::string_view name;
  Type type = Type::text;
  std::string_view unit;     // "ns"; empty where there is none
  std::string_view meaning;  // CommonMark, one line, as it stands on the page
  bool may_be_empty = false;
  std::int64_t least = 0;  // of integers and numbers

  constexpr Column or_empty() const {
    Column column = *this;
    column.may_be_empty = true;
    return column;
  }
};

constexpr Column text_column(std::string_view name, std::string_view meaning) {
  return {name, Column::Type::text, "", meaning, false, 0};
}
constexpr Column integer_column(std::string_view name, std::string_view unit,
                                std::string_view meaning, std::int64_t least = 0) {
  return {name, Column::Type::integer, unit, meaning, false, least};
}
constexpr Column number_column(std::string_view name, std::string_view unit,
                               std::string_view meaning) {
  return {name, Column::Type::number, unit, meaning, false, 0};
}

// Columns whose values are names of rows of another table: in a sealed record each of them is
// there.
struct ForeignKey {
  std::string_view table;  // "samples"; there the columns have the same names
  std::span<const std::string_view> columns;
};

struct Table {
  std::string_view file;  // "samples.csv"
  std::string_view meaning;
  // All that it may have, in their order. Only telemetry.csv has not all of them.
  std::span<const Column> columns;
  std::span<const std::string_view> primary_key;
  std::span<const ForeignKey> foreign_keys;
};

namespace detail {

template <const auto& columns>
constexpr std::size_t header_size() {
  std::size_t size = columns.size() - 1;
  for (const Column& column : columns) size += column.name.size();
  return size;
}

template <const auto& columns>
constexpr auto header_text() {
  std::array<char, header_size<columns>()> text{};
  std::size_t at = 0;
  for (const Column& column : columns) {
    if (at > 0) text[at++] = ',';
    for (const char c : column.name) text[at++] = c;
  }
  return text;
}

template <const auto& columns>
inline constexpr auto header = header_text<columns>();

}  // namespace detail

// The header line of a table with all of these columns, without its line end.
template <const auto& columns>
inline constexpr std::string_view header_of{detail::header<columns>.data(),
                                            detail::header<columns>.size()};

// Columns that several tables have, as they are in samples.csv.
namespace column {

inline constexpr Column trial = integer_column("trial", "", "0: calibration, never analysed");
inline constexpr Column process =
    integer_column("process", "",
                   "the worker process, numbered through the record; with `trial` it names a row "
                   "of `trials.csv`");
inline constexpr Column problem = text_column("problem", "the problem");
inline constexpr Column case_id =
    text_column("case",
                "the case, `name=value` pairs separated by one blank; `-` for a problem without "
                "axes");
inline constexpr Column state =
    text_column("state", "`warm`, `cold` or a named one; of a cold start `fresh`");
inline constexpr Column boundary =
    text_column("boundary",
                "what the interval contains: `call`, `device`, …; `cold-start`: the first call of "
                "a process; `command`: a whole process");
inline constexpr Column phase =
    text_column("phase",
                "`calibration`, `warm-up`, `measure` or `canary`: kernels of Assay's own, which "
                "have no problem, case and state");
inline constexpr Column block =
    integer_column("block", "", "number of the block within phase, trial and cell");
inline constexpr Column position = integer_column(
    "position", "", "place within the block: the order in which the samples were taken");
inline constexpr Column subject =
    text_column("subject",
                "the subject's name in its build, or `control`: the baseline measured a second "
                "time");

}  // namespace column

inline constexpr std::array<std::string_view, 2> process_key{"trial", "process"};
inline constexpr std::array<ForeignKey, 1> of_a_process{{{"trials", process_key}}};
inline constexpr std::array<std::string_view, 9> sample_key{
    "trial", "process", "problem", "case", "state", "boundary", "phase", "block", "position"};

}  // namespace assay::record
