// SPDX-License-Identifier: MIT
#include "assay/problem/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

#include "assay/problem/detail/elements.hpp"
#include "assay/problem/detail/text.hpp"
#include "assay/problem/placement.hpp"

namespace assay {
namespace {

// The rules for one element, with what they need of the declaration.
class Rules {
 public:
  Rules(const DType& dtype, const Tolerance& tolerance, const SpecialValues& special_values)
      : dtype_(dtype),
        tolerance_(tolerance),
        smallest_normal_(dtype.kind == DType::Kind::floating ? std::ldexp(1.0, dtype.min_exponent)
                                                             : 0.0),
        may_flush_(special_values.subnormal != SpecialValues::Subnormal::exact) {}

  double allowed(double expected, double magnitude) const {
    return allowed_error(tolerance_, dtype_, expected, magnitude);
  }

  bool passes(double got, double expected, double bound) const {
    if (std::isfinite(got) && std::isfinite(expected)) {
      if (std::fabs(got - expected) <= bound) return true;
      const double rounded = detail::rounded_to(dtype_, expected);
      if (got == rounded) return true;
      return may_flush_ && got == 0 && std::fabs(rounded) < smallest_normal_;
    }
    // Not finite on at least one side: the same kind of value in the output's dtype, nothing else.
    const double rounded = detail::rounded_to(dtype_, expected);
    if (std::isnan(rounded)) return std::isnan(got);
    return got == rounded;
  }

 private:
  const DType& dtype_;
  const Tolerance& tolerance_;
  double smallest_normal_;
  bool may_flush_;
};

// The largest of some non-negative numbers; stays missing without any.
class Largest {
 public:
  void add(double value) noexcept { value_ = std::max(value_, value); }
  void add(const Largest& other) noexcept { add(other.value_); }
  void report(Reading<double>& reading) const {
    if (value_ >= 0) reading = value_;
  }

 private:
  double value_ = -1;
};

// What a walk over some of the elements has seen. Adding up gives the same in any order.
struct Tally {
  std::int64_t mismatches = 0;
  std::int64_t nonfinite_got = 0;
  std::int64_t unwritten = 0;
  std::optional<Mismatch> first_mismatch;
  double first_bound = 0;  // at the first mismatch
  Largest absolute;
  Largest relative;
  Largest over_bound;

  void add_error(double got, double wanted, double bound) noexcept {
    if (!std::isfinite(got) || !std::isfinite(wanted)) return;
    const double error = std::fabs(got - wanted);
    absolute.add(error);
    if (wanted != 0) relative.add(error / std::fabs(wanted));
    if (bound > 0) over_bound.add(error / bound);
  }

  void add_mismatch(const Mismatch& mismatch, double bound, bool is_unwritten) {
    ++mismatches;
    if (is_unwritten) ++unwritten;
    keep_first(mismatch, bound);
  }

  void add(const Tally& other) {
    mismatches += other.mismatches;
    nonfinite_got += other.nonfinite_got;
    unwritten += other.unwritten;
    if (other.first_mismatch) keep_first(*other.first_mismatch, other.first_bound);
    absolute.add(other.absolute);
    relative.add(other.relative);
    over_bound.add(other.over_bound);
  }

 private:
  void keep_first(const Mismatch& mismatch, double bound) {
    if (first_mismatch && first_mismatch->index <= mismatch.index) return;
    first_mismatch = mismatch;
    first_bound = bound;
  }
};

std::string place_text(const Tensor& tensor, std::int64_t index) {
  if (tensor.shape().size() < 2) return "index " + std::to_string(index);
  std::string text;
  for (std::size_t d = tensor.shape().size(); d-- > 0;) {
    text = std::to_string(index % tensor.shape()[d]) + (text.empty() ? "" : ", ") + text;
    index /= tensor.shape()[d];
  }
  return "index (" + text + ')';
}

std::string passed_text(const OutputComparison& result, const Tolerance& tolerance) {
  if (result.elements == 0) return "'" + result.name + "' is empty: nothing to compare";
  std::string text = "all " + std::to_string(result.elements) + " elements of '" + result.name +
                     "' keep the tolerance (" + tolerance.text() + ')';
  if (result.largest_error_over_bound.has_value()) {
    text += "; the largest error is " + detail::short_text(*result.largest_error_over_bound) +
            " of the bound";
  }
  return text;
}

std::string failed_text(const OutputComparison& result, const Tensor& tensor,
                        const Tolerance& tolerance, double bound) {
  const Mismatch& first = *result.first_mismatch;
  std::string text = std::to_string(result.mismatches) + " of " + std::to_string(result.elements) +
                     " elements of '" + result.name + "' are wrong, the first at " +
                     place_text(tensor, first.index) + ": got " + detail::number_text(first.got) +
                     ", expected " + detail::number_text(first.expected) + " (tolerance " +
                     tolerance.text();
  if (bound > 0) text += ", here ± " + detail::short_text(bound);
  text += ')';
  if (result.unwritten > 0) {
    text += "; " + std::to_string(result.unwritten) + " of them were never written";
  }
  return text;
}

}  // namespace

double allowed_error(const Tolerance& tolerance, const DType& dtype, double expected,
                     double magnitude) {
  double bound = tolerance.absolute_bound();
  if (tolerance.relative_bound() > 0) {
    const double base = tolerance.is_scaled_by_magnitudes() ? magnitude : expected;
    bound = std::max(bound, tolerance.relative_bound() * std::fabs(base));
  }
  if (tolerance.ulp_bound() > 0) {
    bound = std::max(bound, tolerance.ulp_bound() * ulp_at(dtype, expected));
  }
  return bound;
}

OutputComparison compare_output(const ExpectedOutput& expected, const std::byte* payload,
                                const Tolerance& tolerance, const SpecialValues& special_values,
                                const ComparisonOptions& options) {
  const Tensor& tensor = expected.tensor;
  const DType& dtype = tensor.dtype();
  const auto count = static_cast<std::size_t>(tensor.element_count());
  const bool scaled = tolerance.is_scaled_by_magnitudes();
  const bool has_flushed = !expected.flushed_elements.empty();
  ASSAY_EXPECTS(expected.elements.size() == count);
  ASSAY_EXPECTS(!scaled || expected.magnitudes.size() == count);
  ASSAY_EXPECTS(!has_flushed || expected.flushed_elements.size() == count);
  ASSAY_EXPECTS(!has_flushed || !scaled || expected.flushed_magnitudes.size() == count);

  OutputComparison result;
  result.name = expected.name;
  result.elements = tensor.element_count();

  const bool propagates = special_values.non_finite == SpecialValues::NonFinite::propagate;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = expected.elements[i];
    if (std::isfinite(value)) continue;
    ++result.nonfinite_expected;
    const bool allowed = propagates && (options.adversarial_content || std::isinf(value));
    if (allowed || result.reference_failed) continue;
    result.reference_failed = true;
    result.reason = "the reference gives " + detail::number_text(value) + " for '" + result.name +
                    "' at " + place_text(tensor, static_cast<std::int64_t>(i)) +
                    (propagates ? ", although the inputs are ordinary"
                                : ", and the problem does not say that such values propagate");
  }
  if (result.reference_failed) return result;

  const Rules rules(dtype, tolerance, special_values);
  std::vector<std::byte> poison;
  if (options.poison_key) poison = poison_element(dtype, *options.poison_key);
  Tally all;
  std::mutex mutex;
  const auto count_range = [&](std::int64_t first, std::int64_t last) {
    Tally tally;
    detail::for_each_value(tensor, payload, first, last, [&](std::int64_t index, double got) {
      const auto i = static_cast<std::size_t>(index);
      double wanted = expected.elements[i];
      if (!std::isfinite(got)) ++tally.nonfinite_got;
      double bound = std::isfinite(wanted)
                         ? rules.allowed(wanted, scaled ? expected.magnitudes[i] : 0.0)
                         : 0.0;
      bool passes = rules.passes(got, wanted, bound);
      if (!passes && has_flushed) {
        const double flushed = expected.flushed_elements[i];
        const double flushed_bound =
            std::isfinite(flushed)
                ? rules.allowed(flushed, scaled ? expected.flushed_magnitudes[i] : 0.0)
                : 0.0;
        if (rules.passes(got, flushed, flushed_bound)) {
          passes = true;
          wanted = flushed;
          bound = flushed_bound;
        }
      }
      tally.add_error(got, wanted, bound);
      if (passes) return;
      const bool is_unwritten =
          !poison.empty() && std::memcmp(detail::at(payload, dtype, tensor.offset_of(index)),
                                         poison.data(), poison.size()) == 0;
      tally.add_mismatch({index, got, wanted}, bound, is_unwritten);
    });
    const std::lock_guard lock(mutex);
    all.add(tally);
  };
  detail::share_elements(options.helpers, tensor, tensor.element_count(), count_range);
  result.mismatches = all.mismatches;
  result.nonfinite_got = all.nonfinite_got;
  result.unwritten = all.unwritten;
  if (all.first_mismatch) result.first_mismatch = *all.first_mismatch;
  all.absolute.report(result.largest_absolute_error);
  all.relative.report(result.largest_relative_error);
  all.over_bound.report(result.largest_error_over_bound);
  result.passed = result.mismatches == 0;
  result.reason = result.passed ? passed_text(result, tolerance)
                                : failed_text(result, tensor, tolerance, all.first_bound);
  return result;
}

OutputComparison compare_output(const std::string& name, const Tensor& tensor,
                                const std::byte* payload, const std::vector<double>& expected,
                                const std::vector<double>& magnitudes, const Tolerance& tolerance,
                                const SpecialValues& special_values,
                                const ComparisonOptions& options) {
  return compare_output(ExpectedOutput{name, tensor, expected, magnitudes, {}, {}}, payload,
                        tolerance, special_values, options);
}

}  // namespace assay
