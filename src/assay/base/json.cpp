// SPDX-License-Identifier: MIT
#include "assay/base/json.hpp"

#include <vector>

#include "assay/base/json_list.hpp"

namespace assay {

std::string json_text(const Json& json) {
  // Bytes that are no UTF-8 (a path, what a broken worker sent) must not keep a record from being
  // written.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json parse_json(std::string_view text, std::string_view where) {
  // A key written twice would silently keep the last value: what a reader sees would depend on the
  // reader.
  std::vector<std::set<std::string>> keys;
  std::string repeated;
  // Whoever prints or compares it goes down level by level, and no file of Assay's is that deep.
  constexpr int most_levels = 200;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t event, Json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (depth > most_levels) {
      throw Error(ErrorKind::bad_input, "cannot read " + std::string(where) + ": it is nested " +
                                            "more than " + std::to_string(most_levels) +
                                            " levels deep");
    }
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) {
      repeated = parsed.get<std::string>();
    }
    return true;
  };
  Json json;
  try {
    json = Json::parse(text.begin(), text.end(), watch);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::bad_input, "cannot read " + std::string(where) + ": " + error.what());
  }
  if (!repeated.empty()) {
    throw Error(ErrorKind::bad_input, "cannot read " + std::string(where) + ": the key '" +
                                          repeated + "' stands twice in one object");
  }
  return json;
}

ObjectReader::ObjectReader(const Json& json, std::string where)
    : json_(&json), where_(std::move(where)) {
  if (!json.is_object()) {
    throw Error(ErrorKind::bad_input,
                where_ + ": expected an object, found " + std::string(json.type_name()));
  }
}

bool ObjectReader::has(std::string_view key) const {
  return json_->find(std::string(key)) != json_->end();
}

const Json* ObjectReader::optional_member(std::string_view key) {
  taken_.emplace(key);
  const auto found = json_->find(std::string(key));
  return found == json_->end() ? nullptr : &*found;
}

const Json& ObjectReader::member(std::string_view key) {
  const Json* found = optional_member(key);
  if (found == nullptr) {
    throw Error(ErrorKind::bad_input, where_ + ": '" + std::string(key) + "' is missing");
  }
  return *found;
}

void ObjectReader::finish() const {
  for (const auto& [key, value] : json_->items()) {
    if (taken_.find(key) == taken_.end()) {
      throw Error(ErrorKind::bad_input, where_ + ": unknown key '" + key + "'");
    }
  }
}

void ObjectReader::wrong_type(std::string_view key, std::string_view expected,
                              const Json& value) const {
  throw Error(ErrorKind::bad_input,
              where_ + ": '" + std::string(key) + "' must be " + std::string(expected) +
                  ", found " +
                  value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 80));
}

std::vector<std::string> take_texts(ObjectReader& reader, std::string_view key) {
  return take_list<std::string>(reader, key, [](const Json& item, const std::string& place) {
    if (!item.is_string()) throw Error(ErrorKind::bad_input, place + ": expected a string");
    return item.get<std::string>();
  });
}

}  // namespace assay
