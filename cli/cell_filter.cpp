// SPDX-License-Identifier: MIT
#include "cli/cell_filter.hpp"

#include <re2/re2.h>

#include <memory>

#include "assay/base/error.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t most_shown_bytes = 80;

std::string shown(const std::string& expression) {
  if (expression.size() <= most_shown_bytes) return "'" + expression + "'";
  return "'" + expression.substr(0, most_shown_bytes) + "…' (" + std::to_string(expression.size()) +
         " bytes)";
}

}  // namespace

experiment::CellFilter cell_filter(const std::string& expression) {
  if (expression.empty()) return {};
  RE2::Options options;
  options.set_log_errors(false);
  const auto regex = std::make_shared<const RE2>(expression, options);
  if (!regex->ok()) {
    throw Error(ErrorKind::usage,
                "cannot read --filter " + shown(expression) +
                    " as a regular expression: " + regex->error().substr(0, 2 * most_shown_bytes) +
                    "; expected one in the syntax of RE2, such as 'n=(64|256)/', to be found in "
                    "the ids that --list prints");
  }
  return {expression, [regex](const std::string& id) { return RE2::PartialMatch(id, *regex); }};
}

}  // namespace assay::cli
