// SPDX-License-Identifier: MIT
#include "assay/problem/tolerance.hpp"

#include <cmath>
#include <utility>

#include "assay/base/error.hpp"
#include "assay/problem/detail/text.hpp"

namespace assay {
namespace {

double checked(double bound, const char* what) {
  // NaN and infinity would accept, or refuse, everything in silence.
  if (!(bound >= 0) || !std::isfinite(bound)) {
    throw Error(ErrorKind::usage, std::string("cannot take ") + detail::number_text(bound) +
                                      " as a bound (" + what +
                                      "): it must be a finite number, 0 or more");
  }
  return bound;
}

}  // namespace

Tolerance Tolerance::exact() { return Tolerance(); }
Tolerance Tolerance::absolute(double bound) { return Tolerance().or_absolute(bound); }
Tolerance Tolerance::relative(double bound) { return Tolerance().or_relative(bound); }
Tolerance Tolerance::ulp(double steps) { return Tolerance().or_ulp(steps); }

Tolerance& Tolerance::or_absolute(double bound) {
  absolute_ = checked(bound, "absolute");
  return *this;
}
Tolerance& Tolerance::or_relative(double bound) {
  relative_ = checked(bound, "relative");
  return *this;
}
Tolerance& Tolerance::or_ulp(double steps) {
  ulp_ = checked(steps, "ulp");
  return *this;
}
Tolerance& Tolerance::scaled_by_sum_of_magnitudes() {
  if (!(relative_ > 0)) {
    throw Error(ErrorKind::usage,
                "cannot scale a tolerance without a relative bound by the sum of magnitudes: "
                "declare it as Tolerance::relative(bound).scaled_by_sum_of_magnitudes()");
  }
  scaled_ = true;
  return *this;
}

std::string Tolerance::text() const {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!text.empty()) text += ", or ";
    text += part;
  };
  if (relative_ > 0) {
    add("relative " + detail::number_text(relative_) +
        (scaled_ ? " of the sum of magnitudes" : ""));
  }
  if (absolute_ > 0) add("absolute " + detail::number_text(absolute_));
  if (ulp_ > 0) add(detail::number_text(ulp_) + " ulp");
  return text.empty() ? "exact" : text;
}

}  // namespace assay
