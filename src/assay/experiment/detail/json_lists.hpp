// SPDX-License-Identifier: MIT
//
// Lists and axis values in JSON, for the descriptions and the plan.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/base/json.hpp"
#include "assay/experiment/description.hpp"

namespace assay::experiment::detail {

// An array of to(item).
template <typename T, typename F>
Json list_of(const std::vector<T>& items, F to) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(to(item));
  return json;
}

// A vector of from(item, where) over the array at key. Throws Error{bad_input} if it is no array.
template <typename T, typename F>
std::vector<T> take_list(ObjectReader& reader, std::string_view key, F from) {
  const Json& json = reader.member(key);
  const std::string where = reader.where() + "." + std::string(key);
  if (!json.is_array()) throw Error(ErrorKind::bad_input, where + ": expected an array");
  std::vector<T> items;
  for (const Json& item : json) {
    items.push_back(from(item, where + "[" + std::to_string(items.size()) + "]"));
  }
  return items;
}

std::vector<std::string> take_texts(ObjectReader& reader, std::string_view key);

// False for an unsigned integer above 2^63 − 1, which get<int64_t>() would turn negative.
bool integer_fits(const Json& json);

Json axis_value_json(const AxisValue& value);
AxisValue axis_value_from(const Json& json, const std::string& where);

Json work_reading_json(const Reading<WorkDescription>& work);
Reading<WorkDescription> work_reading_from(const Json& json, const std::string& where);

}  // namespace assay::experiment::detail
