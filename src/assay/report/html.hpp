// SPDX-License-Identifier: MIT
//
// The record as one page: no script, no font, no picture from elsewhere, so that it can be mailed,
// archived beside the record and printed. What it shows is the record; the result comes from the
// caller, so that a page can be made of a recomputed one.
#pragma once

#include <string>

#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"

namespace assay::report {

// result: of that record's evidence.
std::string html_page(const record::Record& record, const judge::Result& result);

}  // namespace assay::report
