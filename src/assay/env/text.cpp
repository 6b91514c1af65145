// SPDX-License-Identifier: MIT
#include "assay/env/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

constexpr std::size_t longest_text = 160;

// Longer ones are for files, not for lines; cut between characters of UTF-8. A terminal would take
// control characters for orders.
std::string shortened(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  if (text.size() <= longest_text) return text;
  std::size_t end = longest_text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + " …";
}

bool ends_in(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 6> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string number_text(std::string_view fact, const Json& number) {
  const double value = number.get<double>();
  if (ends_in(fact, "_bytes")) return bytes_text(value);
  if (ends_in(fact, "_hz")) return fmt::format("{:.4g} GHz", value / 1e9);
  if (ends_in(fact, "_frac") || ends_in(fact, "_frac_since_boot")) {
    return fmt::format("{:.3g} %", value * 100);
  }
  if (ends_in(fact, "_ns")) return fmt::format("{:.4g} ms", value / 1e6);
  if (number.is_number_integer()) return number.dump();
  return fmt::format("{:.4g}", value);
}

std::string plain_text(std::string_view fact, const Json& value);

// "level 1, type Data, size_bytes 48 KiB".
std::string object_text(const Json& object) {
  std::string text;
  for (const auto& [key, value] : object.items()) {
    text += (text.empty() ? "" : ", ") + key + " " + plain_text(key, value);
  }
  return text.empty() ? "none" : text;
}

std::string plain_text(std::string_view fact, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) return number_text(fact, value);
  if (value.is_object()) return object_text(value);
  if (!value.is_array()) return value.dump();
  std::string text;
  const bool has_objects =
      std::any_of(value.begin(), value.end(), [](const Json& each) { return each.is_object(); });
  for (const Json& each : value) {
    text += (text.empty() ? "" : has_objects ? "; " : " ") + plain_text(fact, each);
  }
  return text.empty() ? "none" : text;
}

void add_section(std::string& text, const std::string& title, const Json& section) {
  text += (text.empty() ? "" : "\n") + title + "\n";
  std::size_t width = 0;
  for (const auto& [fact, reading] : section.items()) width = std::max(width, fact.size());
  for (const auto& [fact, reading] : section.items()) {
    const std::string value =
        is_reading(reading) ? value_text(fact, reading) : shortened(plain_text(fact, reading));
    text += fmt::format("  {:<{}}  {}\n", fact, width, value);
  }
}

}  // namespace

std::string value_text(std::string_view fact, const Json& reading) {
  if (reading.is_null()) return "not recorded";
  if (reading.contains("missing")) {
    const Json& missing = reading.at("missing");
    const std::string reason = shortened(missing.is_string() ? missing.get<std::string>() : "?");
    return reason == "not-limited" ? "no limit"
           : reason == "not-found" ? "none found"
                                   : "unknown (" + reason + ")";
  }
  const std::string text = shortened(plain_text(fact, reading.at("value")));
  return text.empty() ? "empty" : text;
}

std::string environment_text(const Json& environment) {
  std::string text;
  for (const auto& [name, section] : environment.items()) {
    if (section.is_object()) {
      add_section(text, name, section);
    } else if (section.is_array()) {
      for (const Json& each : section) {
        if (each.is_object()) {
          add_section(text, name + ": " + each.value("build", std::string("unnamed")), each);
        }
      }
    }
  }
  if (environment.contains("machine_fingerprint")) {
    text += "\nfingerprint of the machine: " +
            environment.at("machine_fingerprint").get<std::string>() + "\n";
  }
  return text;
}

}  // namespace assay::env
