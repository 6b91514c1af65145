// SPDX-License-Identifier: MIT
//
// What is wrong with a plan, and where: the message of every refusal of one.
#pragma once

#include <string>

#include "assay/base/error.hpp"

namespace assay::experiment::detail {

[[noreturn]] inline void fail(const std::string& where, const std::string& trouble) {
  throw Error(ErrorKind::bad_input, where + ": " + trouble);
}

}  // namespace assay::experiment::detail
