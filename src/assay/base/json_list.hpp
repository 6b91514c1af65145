// SPDX-License-Identifier: MIT
//
// Lists in JSON, written and read strictly: an error names the file and the place in it. Internal:
// a user's program never sees it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"

namespace assay {

// An array of to(item).
template <typename T, typename To>
Json list_of(const std::vector<T>& items, To to) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(to(item));
  return json;
}

// A vector of from(item, where) over the array at key. Throws Error{bad_input} if it is no array.
template <typename T, typename From>
std::vector<T> take_list(ObjectReader& reader, std::string_view key, From from) {
  const Json& json = reader.member(key);
  const std::string where = reader.where() + "." + std::string(key);
  if (!json.is_array()) throw Error(ErrorKind::bad_input, where + ": expected an array");
  std::vector<T> items;
  for (const Json& item : json) {
    items.push_back(from(item, where + "[" + std::to_string(items.size()) + "]"));
  }
  return items;
}

// The same of strings.
std::vector<std::string> take_texts(ObjectReader& reader, std::string_view key);

}  // namespace assay
