// SPDX-License-Identifier: MIT
#include "assay/problem/axis.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "assay/base/error.hpp"

namespace assay {
namespace {

template <typename T, typename Stored = T>
std::vector<AxisValue> as_values(std::initializer_list<T> values) {
  std::vector<AxisValue> list;
  list.reserve(values.size());
  for (const T& value : values) list.emplace_back(static_cast<Stored>(value));
  return list;
}

void add_new(std::vector<AxisValue>& values, const AxisValue& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

bool all_integers(const std::vector<AxisValue>& values) {
  return std::all_of(values.begin(), values.end(), [](const AxisValue& value) {
    return std::holds_alternative<std::int64_t>(value);
  });
}

void expect_integers(const std::vector<AxisValue>& values, const char* what) {
  if (!all_integers(values)) {
    throw Error(ErrorKind::usage, std::string(what) + "() needs an axis of integers");
  }
}

}  // namespace

AxisValues::AxisValues(std::initializer_list<int> values)
    : AxisValues(as_values<int, std::int64_t>(values)) {}
AxisValues::AxisValues(std::initializer_list<std::int64_t> values)
    : AxisValues(as_values(values)) {}
AxisValues::AxisValues(std::initializer_list<double> values) : AxisValues(as_values(values)) {}
AxisValues::AxisValues(std::initializer_list<const char*> values)
    : AxisValues(as_values<const char*, std::string>(values)) {}

AxisValues::AxisValues(std::vector<AxisValue> values) {
  for (const AxisValue& value : values) add_new(values_, value);
  const bool one_type = std::all_of(values_.begin(), values_.end(), [this](const AxisValue& value) {
    return value.index() == values_[0].index();
  });
  if (values_.empty() || !one_type) {
    throw Error(ErrorKind::usage,
                "an axis needs at least one value, and all values of one type: integers, floats "
                "or texts");
  }
}

AxisValues& AxisValues::with_tails(std::vector<std::int64_t> offsets) {
  expect_integers(values_, "with_tails");
  const std::vector<AxisValue> declared = values_;
  values_.clear();
  // In order around each value, negative offsets first: n−1, n, n+1.
  std::sort(offsets.begin(), offsets.end());
  for (const AxisValue& value : declared) {
    const std::int64_t middle = std::get<std::int64_t>(value);
    bool placed = false;
    for (const std::int64_t offset : offsets) {
      if (offset >= 0 && !placed) {
        add_new(values_, middle);
        placed = true;
      }
      const std::int64_t shifted = middle + offset;
      // A size of 0 or less is no neighbour of a size: it must be asked for by may_be_empty().
      if (size_axis_ && shifted < 1) continue;
      add_new(values_, shifted);
    }
    if (!placed) add_new(values_, middle);
  }
  return *this;
}

AxisValues& AxisValues::is_size(bool size) {
  if (size) expect_integers(values_, "is_size");
  size_axis_ = size;
  return *this;
}

AxisValues& AxisValues::may_be_empty() {
  expect_integers(values_, "may_be_empty");
  empty_allowed_ = true;
  return *this;
}

AxisValues pow2(int low, int high) {
  if (low < 0 || high < low || high > 62) {
    throw Error(ErrorKind::usage, "cannot make pow2(" + std::to_string(low) + ", " +
                                      std::to_string(high) + "): 0 ≤ low ≤ high ≤ 62 must hold");
  }
  std::vector<AxisValue> values;
  for (int exponent = low; exponent <= high; ++exponent) {
    values.emplace_back(std::int64_t{1} << exponent);
  }
  return AxisValues(std::move(values)).is_size();
}

std::vector<Case> product(const std::vector<Axis>& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) {
    const std::size_t extent = axis.values.values().size();
    ASSAY_EXPECTS(count <= std::numeric_limits<std::size_t>::max() / extent);
    count *= extent;
  }
  std::vector<Case> cases;
  cases.reserve(count);
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<Case::Entry> entries(axes.size());
    std::size_t rest = n;
    for (std::size_t a = axes.size(); a-- > 0;) {
      const auto& values = axes[a].values.values();
      entries[a] = {axes[a].name, values[rest % values.size()]};
      rest /= values.size();
    }
    cases.emplace_back(std::move(entries));
  }
  return cases;
}

}  // namespace assay
