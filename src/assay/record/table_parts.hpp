// SPDX-License-Identifier: MIT
//
// Fields that the readers of several tables take. Throw Error{bad_input} as csv::Row does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "assay/base/reading.hpp"
#include "assay/record/csv.hpp"
#include "assay/record/tables.hpp"

namespace assay::record::detail {

inline std::string plain(csv::Row& row, std::string_view column) {
  std::string text(row.text(column));
  csv::expect_plain(text);
  return text;
}

inline Phase phase_of(csv::Row& row) {
  const std::string_view text = row.text("phase");
  for (const Phase phase : {Phase::measure, Phase::warm_up, Phase::calibration, Phase::canary}) {
    if (text == to_string(phase)) return phase;
  }
  row.fail("must be calibration, warm-up, measure or canary");
}

// Two columns: the number, or why it is missing. Either is empty.
inline Reading<std::int64_t> number_or_reason(csv::Row& row, std::string_view column,
                                              std::string_view missing_column) {
  const std::string_view text = row.text(column);
  const bool is_missing = text.empty();
  const auto number = is_missing ? 0 : row.to_integer<std::int64_t>(text, 0);
  std::string reason = plain(row, missing_column);
  if (is_missing == reason.empty()) {
    row.fail("must be empty if and only if '" + std::string(column) + "' is given");
  }
  if (is_missing) return Missing{std::move(reason), ""};
  return number;
}

}  // namespace assay::record::detail
