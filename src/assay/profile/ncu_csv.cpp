// SPDX-License-Identifier: MIT
#include "assay/profile/ncu_csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "assay/base/error.hpp"

namespace assay::profile {
namespace {

constexpr const char* id_column = "ID";
constexpr const char* kernel_column = "Kernel Name";

using Fields = std::vector<std::string>;

// Fields are quoted or not; a quote in a quoted one is doubled. Nothing else is known about them.
Fields fields_of(std::string_view line) {
  Fields fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

// 1,234,567.8 as 1234567.8: groups of three alone, so that a comma for a point is not taken for
// one.
std::optional<std::string> without_groups(const std::string& text) {
  std::string digits;
  std::size_t in_group = 0;
  bool has_group = false;
  const auto point = std::min(text.find('.'), text.size());
  for (std::size_t i = 0; i < point; ++i) {
    if (text[i] != ',') {
      digits += text[i];
      ++in_group;
      continue;
    }
    if (in_group == 0 || in_group > 3 || (has_group && in_group != 3)) return std::nullopt;
    has_group = true;
    in_group = 0;
  }
  if (has_group && in_group != 3) return std::nullopt;
  return digits + text.substr(point);
}

Reading<double> number_of(const std::string& text, double factor) {
  const Missing missing{"not-reported", "ncu says '" + text.substr(0, 40) + "'"};
  const auto plain = without_groups(text);
  if (!plain) return missing;
  double value = 0;
  const char* end = plain->data() + plain->size();
  const auto read = std::from_chars(plain->data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value * factor)) return missing;
  return value * factor;
}

bool is_metric(const std::string& column) { return column.find("__") != std::string::npos; }

// The line after the header, where a kernel's number would be a number.
bool is_row_of_units(const Fields& fields, std::size_t id) {
  return fields[id].empty() || fields[id].find_first_not_of("0123456789") != std::string::npos;
}

std::string plain_text(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return text;
}

class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  std::optional<std::string_view> next() {
    if (at_ >= text_.size()) return std::nullopt;
    const auto end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

BaseUnit base_unit_of(std::string_view unit) {
  // As ncu has them, in versions before and since 2024; prefixes are powers of ten.
  for (const auto& [name, factor] : {std::pair<std::string_view, double>{"nsecond", 1},
                                     {"usecond", 1e3},
                                     {"msecond", 1e6},
                                     {"second", 1e9},
                                     {"ns", 1},
                                     {"us", 1e3},
                                     {"ms", 1e6},
                                     {"s", 1e9}}) {
    if (unit == name) return {"ns", factor};
  }
  for (const auto& [prefix, factor] :
       {std::pair<char, double>{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}}) {
    const bool is_prefixed =
        unit.size() > 1 && unit.front() == prefix && unit[1] >= 'a' && unit[1] <= 'z';
    if (is_prefixed) return {std::string(unit.substr(1)), factor};
  }
  return {std::string(unit), 1};
}

std::vector<KernelMetrics> parse_ncu_csv(std::string_view text, const std::string& where) {
  const auto fail = [&where](const std::string& what) {
    throw Error(ErrorKind::bad_input, where + ": not what ncu --page raw --csv prints: " + what);
  };
  Lines lines(text);
  Fields header;
  std::size_t id = 0;
  std::size_t kernel = 0;
  while (const auto line = lines.next()) {
    header = fields_of(*line);
    const auto at = [&header](const char* name) {
      return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) -
                                      header.begin());
    };
    id = at(id_column);
    kernel = at(kernel_column);
    if (id < header.size() && kernel < header.size()) break;
    header.clear();
  }
  if (header.empty()) fail("it has no line with the columns ID and Kernel Name");

  std::vector<double> factors(header.size(), 1);
  std::vector<KernelMetrics> kernels;
  bool is_first = true;
  while (const auto line = lines.next()) {
    // Lines of the tool's own: "==WARNING== …".
    if (line->empty() || line->starts_with("==")) continue;
    const Fields fields = fields_of(*line);
    if (fields.size() != header.size()) {
      fail("a row has " + std::to_string(fields.size()) + " fields, its header " +
           std::to_string(header.size()));
    }
    const bool is_units = is_first && is_row_of_units(fields, id);
    is_first = false;
    if (is_units) {
      for (std::size_t i = 0; i < fields.size(); ++i) factors[i] = base_unit_of(fields[i]).factor;
      continue;
    }
    KernelMetrics row;
    row.kernel = plain_text(fields[kernel]);
    if (row.kernel.empty()) row.kernel = "unnamed";
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (is_metric(header[i])) row.values.emplace(header[i], number_of(fields[i], factors[i]));
    }
    kernels.push_back(std::move(row));
  }
  return kernels;
}

}  // namespace assay::profile
