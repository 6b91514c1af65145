// SPDX-License-Identifier: MIT
#include "assay/base/telemetry.hpp"

#include <algorithm>
#include <numeric>

namespace assay {
namespace {

constexpr std::size_t gpu_count = static_cast<std::size_t>(Field::used_memory_bytes) + 1;

auto place_of(auto& values, Field field) {
  return std::lower_bound(values.begin(), values.end(), field,
                          [](const auto& value, Field wanted) { return value.first < wanted; });
}

}  // namespace

Reading<Field> telemetry_field(std::string_view name) {
  const auto found =
      std::find_if(telemetry_fields.begin(), telemetry_fields.end(),
                   [name](const TelemetryField& field) { return field.name == name; });
  if (found == telemetry_fields.end()) return Missing{"unknown", std::string(name)};
  return static_cast<Field>(found - telemetry_fields.begin());
}

bool is_reason(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

std::span<const Field> gpu_fields() {
  static const auto fields = [] {
    std::array<Field, gpu_count> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Field>(i);
    return all;
  }();
  return fields;
}

std::span<const Field> processor_fields() {
  static const auto fields = [] {
    std::array<Field, telemetry_fields.size() - gpu_count + 1> all{Field::temperature_c};
    for (std::size_t i = 1; i < all.size(); ++i) all[i] = static_cast<Field>(gpu_count + i - 1);
    return all;
  }();
  return fields;
}

Telemetry::Telemetry(std::span<const Field> fields, const Missing& why) {
  for (const Field field : fields) set(field, why);
}

const Reading<std::int64_t>& Telemetry::of(Field field) const {
  static const Reading<std::int64_t> not_given = Missing{"not-given", ""};
  const auto at = place_of(values_, field);
  return at != values_.end() && at->first == field ? at->second : not_given;
}

bool Telemetry::has(Field field) const {
  const auto at = place_of(values_, field);
  return at != values_.end() && at->first == field;
}

void Telemetry::set(Field field, Reading<std::int64_t> value) {
  const auto at = place_of(values_, field);
  if (at != values_.end() && at->first == field) {
    at->second = std::move(value);
  } else {
    values_.emplace(at, field, std::move(value));
  }
}

std::vector<Field> Telemetry::fields() const {
  std::vector<Field> fields;
  for (const auto& [field, value] : values_) fields.push_back(field);
  return fields;
}

Telemetry Telemetry::with_fields(std::span<const Field> fields) const {
  Telemetry result;
  result.time_ns = time_ns;
  result.took_ns = took_ns;
  result.values_.reserve(fields.size());
  for (const Field field : fields) result.set(field, of(field));
  return result;
}

Reading<std::int64_t> advance_of(Field counter, const Telemetry& before, const Telemetry& after) {
  const Reading<std::int64_t>& first = before.of(counter);
  const Reading<std::int64_t>& last = after.of(counter);
  if (!first) return first.missing();
  if (!last) return last.missing();
  if (*last < *first) {
    return Missing{"went-back", "the counter was " + std::to_string(*first) + " and then " +
                                    std::to_string(*last) + ": it was set back meanwhile"};
  }
  return *last - *first;
}

Reading<std::int64_t> core_advance_of(Field counter, const Telemetry& before,
                                      const Telemetry& after) {
  const auto& first = before.of(Field::core);
  const auto& last = after.of(Field::core);
  if (first && last && *first != *last) {
    return Missing{"other-core", "the thread ran on another core at the end"};
  }
  return advance_of(counter, before, after);
}

}  // namespace assay
