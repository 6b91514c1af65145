// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/base/error.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/detail/json_lists.hpp"

namespace assay::experiment {

std::string trouble_with_axis_value(const AxisValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return std::isfinite(*number) ? "" : to_text(value) + " is not finite";
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (!can_stand_in_id(*text)) return "\"" + *text + "\" cannot be part of a case";
    // Its id would read back as a number, and be another case.
    if (axis_value_from_text(*text) != value) {
      return "\"" + *text + "\" is text that reads as a number";
    }
  }
  return "";
}

Json to_json(const Case& the_case) {
  Json json = Json::object();
  for (const auto& [name, value] : the_case.entries()) json[name] = detail::axis_value_json(value);
  return json;
}

Case case_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  std::vector<Case::Entry> entries;
  for (const auto& [name, value] : json.items()) {
    if (!can_stand_in_id(name)) {
      throw Error(ErrorKind::bad_input, where + ": '" + name + "' cannot name an axis");
    }
    entries.emplace_back(name, detail::axis_value_from(value, where + "." + name));
  }
  return Case(std::move(entries));
}

namespace detail {

Json axis_value_json(const AxisValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

AxisValue json_value(const Json& json, const std::string& where) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number_integer() && integer_fits(json)) return json.get<std::int64_t>();
  throw Error(ErrorKind::bad_input,
              where + ": expected an integer of 64 bits, a number or a string");
}

AxisValue axis_value_from(const Json& json, const std::string& where) {
  const AxisValue value = json_value(json, where);
  const std::string trouble = trouble_with_axis_value(value);
  if (!trouble.empty()) throw Error(ErrorKind::bad_input, where + ": " + trouble);
  return value;
}

bool integer_fits(const Json& json) {
  return !json.is_number_unsigned() ||
         json.get<std::uint64_t>() <=
             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

Json work_reading_json(const Reading<WorkDescription>& work) {
  return json_of(work.transform([](const WorkDescription& value) { return to_json(value); }));
}

Reading<WorkDescription> work_reading_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  if (reader.has("value")) {
    WorkDescription work = work_from_json(reader.member("value"), where + ".value");
    reader.finish();
    return work;
  }
  Missing missing{reader.take<std::string>("missing"), reader.take<std::string>("detail")};
  reader.finish();
  return missing;
}

}  // namespace detail
}  // namespace assay::experiment
