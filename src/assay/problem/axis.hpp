// SPDX-License-Identifier: MIT
//
// Axis values as a program declares them: axis("n", pow2(10, 24).with_tails()).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "assay/base/case.hpp"

namespace assay {

class AxisValues {
 public:
  AxisValues(
      std::initializer_list<int> values);  // NOLINT(google-explicit-constructor): axis("n", {1, 2})
  AxisValues(std::initializer_list<std::int64_t> values);  // NOLINT(google-explicit-constructor)
  AxisValues(std::initializer_list<double> values);        // NOLINT(google-explicit-constructor)
  AxisValues(std::initializer_list<const char*> values);   // NOLINT(google-explicit-constructor)
  explicit AxisValues(std::vector<AxisValue> values);

  // Adds v + offset for every integer v (by default one below and one above): sizes that are not
  // powers of two. Values below 1 are left out of a size axis.
  AxisValues& with_tails(std::vector<std::int64_t> offsets = {-1, 1});
  // Marks an integer axis as a size: adversarial checks then also run lengths 1, 2, 3 and
  // neighbours of powers of two up to 4097, and 0 where may_be_empty() says that the problem is
  // defined there. pow2() marks it already; is_size(false) takes the mark away.
  AxisValues& is_size(bool size = true);
  AxisValues& may_be_empty();

  const std::vector<AxisValue>& values() const noexcept {
    return values_;
  }  // no repeats, in order of declaration
  bool size_axis() const noexcept { return size_axis_; }
  bool empty_allowed() const noexcept { return empty_allowed_; }

 private:
  std::vector<AxisValue> values_;
  bool size_axis_ = false;
  bool empty_allowed_ = false;
};

// 2^low … 2^high, both included; 0 ≤ low ≤ high ≤ 62.
AxisValues pow2(int low, int high);

struct Axis {
  std::string name;
  AxisValues values;
};

// The product of the axes, the last one running fastest. One case without axes if there are none.
std::vector<Case> product(const std::vector<Axis>& axes);

}  // namespace assay
