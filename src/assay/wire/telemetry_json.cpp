// SPDX-License-Identifier: MIT
#include "assay/wire/telemetry_json.hpp"

namespace assay::wire {
namespace {

std::int64_t take_time(ObjectReader& reader, const char* key) {
  const auto time_ns = reader.take<std::int64_t>(key);
  if (time_ns < 0) {
    throw Error(ErrorKind::bad_input, reader.where() + "." + key + ": expected at least 0, found " +
                                          std::to_string(time_ns));
  }
  return time_ns;
}

Reading<std::int64_t> take_value(ObjectReader& reader, const TelemetryField& field) {
  const auto value = reader.take_reading<std::int64_t>(field.name);
  const std::string where = reader.where() + "." + std::string(field.name);
  if (value && *value < field.least) {
    throw Error(ErrorKind::bad_input, where + ": expected at least " + std::to_string(field.least) +
                                          ", found " + std::to_string(*value));
  }
  if (!value && !is_reason(value.missing().reason)) {
    throw Error(ErrorKind::bad_input,
                where + ": 'missing' must be a slug of a to z, 0 to 9 and dashes");
  }
  return value;
}

}  // namespace

Json telemetry_json(const Telemetry& telemetry) {
  Json json{{"time_ns", telemetry.time_ns}, {"took_ns", telemetry.took_ns}};
  for (const auto& [field, value] : telemetry.values()) {
    json[std::string(name_of(field))] = json_of(value);
  }
  return json;
}

Telemetry telemetry_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Telemetry telemetry;
  telemetry.time_ns = take_time(reader, "time_ns");
  telemetry.took_ns = take_time(reader, "took_ns");
  for (std::size_t i = 0; i < telemetry_fields.size(); ++i) {
    const TelemetryField& facts = telemetry_fields[i];
    if (reader.has(facts.name)) telemetry.set(static_cast<Field>(i), take_value(reader, facts));
  }
  reader.finish();
  return telemetry;
}

}  // namespace assay::wire
