// SPDX-License-Identifier: MIT
//
// JSON as Assay reads and writes it: Reading<T> as {"value": …} or {"missing": reason, "detail":
// …}, and strict reading that names the file and the place. Internal: a user's program never sees
// it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "assay/base/error.hpp"
#include "assay/base/reading.hpp"

namespace assay {

// Keys keep their order, so that files can be read and compared by people.
using Json = nlohmann::ordered_json;

// Two-space indentation, a newline at the end; the bytes that are hashed.
std::string json_text(const Json& json);

// Throws Error{bad_input} with `where` (a file, a message) in its text. Duplicate keys are an
// error, as are NaN and Infinity.
Json parse_json(std::string_view text, std::string_view where);

template <typename T>
Json json_of(const Reading<T>& reading) {
  if (reading.has_value()) return Json{{"value", *reading}};
  return Json{{"missing", reading.missing().reason}, {"detail", reading.missing().detail}};
}

// Strict access to one JSON object: each member is taken by name and type, and finish() refuses
// members that nobody took.
class ObjectReader {
 public:
  // where: what the object is, for messages: "plan.json: protocol". Throws Error{bad_input} if json
  // is not an object.
  ObjectReader(const Json& json, std::string where);

  // Throw Error{bad_input} when absent or of another type.
  template <typename T>
  T take(std::string_view key) {
    return convert<T>(member(key), key);
  }
  // fallback if the member is absent.
  template <typename T>
  T take_or(std::string_view key, T fallback) {
    const Json* found = optional_member(key);
    return found == nullptr ? fallback : convert<T>(*found, key);
  }
  template <typename T>
  Reading<T> take_reading(std::string_view key) {
    ObjectReader reader(member(key), where_ + "." + std::string(key));
    if (reader.has("value")) {
      T value = reader.take<T>("value");
      reader.finish();
      return value;
    }
    Missing missing{reader.take<std::string>("missing"), reader.take<std::string>("detail")};
    reader.finish();
    return missing;
  }
  const Json& member(std::string_view key);
  const Json* optional_member(std::string_view key);
  bool has(std::string_view key) const;
  const std::string& where() const noexcept { return where_; }

  // Throws Error{bad_input} if there is a member that was not asked for.
  void finish() const;

 private:
  template <typename T>
  T convert(const Json& value, std::string_view key) const {
    if constexpr (std::is_same_v<T, bool>) {
      if (!value.is_boolean()) wrong_type(key, "true or false", value);
    } else if constexpr (std::is_unsigned_v<T>) {
      if (!value.is_number_unsigned()) wrong_type(key, "a non-negative integer", value);
      if (!fits<T>(value)) wrong_type(key, "an integer of this field's range", value);
    } else if constexpr (std::is_integral_v<T>) {
      if (!value.is_number_integer()) wrong_type(key, "an integer", value);
      if (!fits<T>(value)) wrong_type(key, "an integer of this field's range", value);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!value.is_number()) wrong_type(key, "a number", value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!value.is_string()) wrong_type(key, "a string", value);
    }
    try {
      return value.get<T>();
    } catch (const nlohmann::json::exception&) {
      wrong_type(key, "another type", value);
    }
  }
  // The library's own conversion wraps around silently.
  template <typename T>
  static bool fits(const Json& value) {
    return value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                      : std::in_range<T>(value.get<std::int64_t>());
  }
  [[noreturn]] void wrong_type(std::string_view key, std::string_view expected,
                               const Json& value) const;

  const Json* json_;
  std::string where_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace assay
