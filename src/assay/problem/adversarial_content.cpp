// SPDX-License-Identifier: MIT
#include "assay/problem/detail/adversarial_content.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/base/random.hpp"

namespace assay::detail {
namespace {

using Value = std::function<double(std::uint64_t key, std::uint64_t index)>;

struct Drawn {
  double unit;  // [0, 1)
  double sign;
};
Drawn draw(std::uint64_t key, std::uint64_t index, bool positive) {
  const std::uint64_t bits = Random(key).at(index);
  return {static_cast<double>(bits >> 11) * 0x1p-53, positive || (bits & 1) == 0 ? 1.0 : -1.0};
}

double smallest_normal_of(const DType& dtype) { return std::ldexp(1.0, dtype.min_exponent); }

// A quarter of the room is used: several inputs may be added to each other.
Value large(const Tensor& tensor, SpecialValues::Range range, bool positive) {
  const double terms = static_cast<double>(std::max<std::int64_t>(tensor.element_count(), 1));
  const double room = tensor.dtype().largest / (4 * terms);
  const double top = range == SpecialValues::Range::sums ? room : std::sqrt(room);
  return [top, positive](std::uint64_t key, std::uint64_t index) {
    const Drawn drawn = draw(key, index, positive);
    return drawn.sign * top * (0.25 + 0.75 * drawn.unit);
  };
}

Value small(const Tensor& tensor, SpecialValues::Range range, bool positive) {
  const double smallest = smallest_normal_of(tensor.dtype());
  const double bottom = range == SpecialValues::Range::sums ? smallest : std::sqrt(smallest);
  return [bottom, positive](std::uint64_t key, std::uint64_t index) {
    const Drawn drawn = draw(key, index, positive);
    return drawn.sign * bottom * (1 + 3 * drawn.unit);
  };
}

// Values in the first half, their negatives mirrored in the second: partial sums grow before they
// cancel. Every eighth pair, and a middle element, hold what remains: a few units in the last place
// of 1.
Value cancellation(const Tensor& tensor) {
  const auto elements = static_cast<std::uint64_t>(tensor.element_count());
  const double tiny = std::ldexp(1.0, 1 - tensor.dtype().significand_digits);
  return [elements, tiny](std::uint64_t key, std::uint64_t index) {
    const std::uint64_t mirrored = elements - 1 - index;
    const std::uint64_t pair = std::min(index, mirrored);
    if (pair % 8 == 7 || index == mirrored) return tiny * (1 + draw(key, index, true).unit);
    const Drawn drawn = draw(key, pair, false);
    const double value = drawn.sign * (0.5 + 7.5 * drawn.unit);
    return index < mirrored ? value : -value;
  };
}

Value subnormal(const Tensor& tensor, bool positive) {
  const double smallest = smallest_normal_of(tensor.dtype());
  const double step = ulp_at(tensor.dtype(), 0.0);
  return [smallest, step, positive](std::uint64_t key, std::uint64_t index) {
    const Drawn drawn = draw(key, index, positive);
    return drawn.sign * std::max(step, drawn.unit * (smallest - step));
  };
}

// Ordinary values with `special` about every 61st place, at least once.
Value sprinkled(const Tensor& tensor, double special) {
  const auto elements =
      static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.element_count(), 1));
  const Generator ordinary = tensor.generator();
  return [elements, special, ordinary](std::uint64_t key, std::uint64_t index) {
    const std::uint64_t shift = Random(key ^ 0x5EEDU).at(0) % std::min<std::uint64_t>(elements, 61);
    return index % 61 == shift ? special : ordinary.value(key, index);
  };
}

}  // namespace

bool is_replaceable(const InputSpec& spec, const Tensor& tensor) {
  if (tensor.dtype().kind != DType::Kind::floating || spec.renewal == Renewal::mutate) return false;
  switch (tensor.generator().kind()) {
    case Generator::Kind::uniform:
    case Generator::Kind::normal:
    case Generator::Kind::log_uniform:
    case Generator::Kind::arithmetic_pattern:
      return true;
    case Generator::Kind::integers:
    case Generator::Kind::constant:
    case Generator::Kind::custom:
      return false;
  }
  return false;
}

std::optional<Generator> adversarial_generator(AdversarialContent content, const Tensor& tensor,
                                               SpecialValues::Range range) {
  const bool uniform = tensor.generator().kind() == Generator::Kind::uniform;
  const bool non_negative = uniform && tensor.generator().low() >= 0;
  const bool positive = uniform && tensor.generator().low() > 0;
  const auto named = [&](Value value) {
    return Generator::custom(std::string("adversarial_") + slug_of(content), std::move(value))
        .pure();
  };
  switch (content) {
    case AdversarialContent::declared:
      return tensor.generator();
    case AdversarialContent::large:
      return named(large(tensor, range, non_negative));
    case AdversarialContent::small:
      return named(small(tensor, range, non_negative));
    case AdversarialContent::cancellation:
      if (non_negative) return std::nullopt;
      return named(cancellation(tensor));
    case AdversarialContent::subnormal:
      return named(subnormal(tensor, non_negative));
    case AdversarialContent::nan:
      return named(sprinkled(tensor, std::numeric_limits<double>::quiet_NaN()));
    case AdversarialContent::infinity:
      if (!tensor.dtype().has_infinity) return std::nullopt;
      return named(sprinkled(tensor, std::numeric_limits<double>::infinity()));
    case AdversarialContent::equal:
      // Not representable in binary: a sum of many drifts with every rounding in one direction.
      return named([](std::uint64_t key, std::uint64_t) { return 0.1 + draw(key, 0, true).unit; });
    case AdversarialContent::zeros:
      if (positive) return std::nullopt;
      return Generator::zero();
  }
  return std::nullopt;
}

const char* slug_of(AdversarialContent content) {
  switch (content) {
    case AdversarialContent::declared:
      return "declared";
    case AdversarialContent::large:
      return "large";
    case AdversarialContent::small:
      return "small";
    case AdversarialContent::cancellation:
      return "cancellation";
    case AdversarialContent::subnormal:
      return "subnormal";
    case AdversarialContent::nan:
      return "nan";
    case AdversarialContent::infinity:
      return "infinity";
    case AdversarialContent::equal:
      return "equal";
    case AdversarialContent::zeros:
      return "zeros";
  }
  return "";
}

}  // namespace assay::detail
