// SPDX-License-Identifier: MIT
#include <array>
#include <charconv>
#include <cmath>

#include "assay/base/error.hpp"
#include "assay/experiment/experiment.hpp"

namespace assay::experiment {
namespace {

struct Unit {
  std::string_view name;
  double per_s;  // a quotient, since 1/1000 is the nearest double to 1e-3 and 1·1e-3 need not be
  double s;
};

constexpr std::array<Unit, 7> units = {{{"ns", 1e9, 1},
                                        {"us", 1e6, 1},
                                        {"µs", 1e6, 1},
                                        {"ms", 1e3, 1},
                                        {"s", 1, 1},
                                        {"min", 1, 60},
                                        {"h", 1, 3600}}};

}  // namespace

double parse_duration_s(const std::string& text, const std::string& where) {
  const auto end_of_number = text.find_first_not_of("0123456789.");
  const std::string_view digits = std::string_view(text).substr(0, end_of_number);
  std::string_view unit = std::string_view(text).substr(digits.size());
  if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  double number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number,
                                    std::chars_format::fixed);
  if (read.ec == std::errc() && read.ptr == digits.data() + digits.size()) {
    for (const Unit& known : units) {
      if (unit != known.name) continue;
      const double seconds = number / known.per_s * known.s;
      if (std::isfinite(seconds) && seconds > 0) return seconds;
    }
  }
  throw Error(ErrorKind::bad_input, where + ": '" + text +
                                        "' is no duration; expected a number above 0 with a unit "
                                        "of ns, us, ms, s, min, h, such as \"1ms\" or \"2.5s\"");
}

}  // namespace assay::experiment
