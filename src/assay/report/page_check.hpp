// SPDX-License-Identifier: MIT
//
// Whether the page in a record is the one that its data make. A page is made from the record alone,
// without a clock or a random number, so the same version makes the same bytes; another version may
// word or draw it otherwise, and then only the checksum speaks for it.
#pragma once

#include <string>

#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"

namespace assay::report {

struct PageCheck {
  std::string difference;  // a sentence; empty: none was found
  std::string note;        // a sentence: why the page was not compared; empty: it was
};

// Of data/report.html of a record with this result; version: of this Assay. Neither where there is
// no page.
PageCheck check_page(const record::Record& record, const judge::Result& result,
                     const std::string& version);

}  // namespace assay::report
