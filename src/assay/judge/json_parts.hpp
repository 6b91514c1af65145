// SPDX-License-Identifier: MIT
//
// Pieces of result.json that several of its parts use. Internal to judge/.
#pragma once

#include <string>
#include <string_view>

#include "assay/base/json.hpp"
#include "assay/base/json_list.hpp"
#include "assay/judge/estimates.hpp"

namespace assay::judge::detail {

inline Json missing_json(const Missing& missing) {
  return Json{{"missing", missing.reason}, {"detail", missing.detail}};
}

// {"value": …} or what missing_json writes.
template <typename T, typename F>
Reading<T> reading_from(const Json& json, const std::string& where, F from) {
  ObjectReader reader(json, where);
  if (reader.has("value")) {
    T value = from(reader.member("value"), where + ".value");
    reader.finish();
    return value;
  }
  Missing missing{reader.take<std::string>("missing"), reader.take<std::string>("detail")};
  reader.finish();
  return missing;
}

Json range_json(const Range& range);
Json range_json(const Reading<Range>& reading);
Range range_from(const Json& json, const std::string& where);
Reading<Range> take_range(ObjectReader& parent, std::string_view key);

// Throws Error{bad_input} for a word that is no verdict.
stats::Verdict take_verdict(ObjectReader& parent, std::string_view key);

}  // namespace assay::judge::detail
