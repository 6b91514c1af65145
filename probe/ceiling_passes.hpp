// SPDX-License-Identifier: MIT
//
// How ceilings are measured in a bounded time: each row some passes in a first round, and again in
// later ones, on other cores where there are more than the row needs. Best of all passes: a
// disturbance makes a pass slower, and two rounds are seldom disturbed by the same. The clock and
// the kernels come from outside, so that this can be tested without either.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/base/ceilings.hpp"

namespace assay::probe {

inline constexpr int kRounds = 3;
inline constexpr int kPassesFirst = 10;  // as many as STREAM asks for
inline constexpr int kPassesLater = 5;
// So long that starting together and reading the clock are less than a thousandth of it.
inline constexpr double kLeastPass_s = 1e-3;

// Runs the kernels. All times in seconds.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual double now_s() = 0;
  // Gets cores and arrays ready for rows of so many threads; a round's number.
  virtual void begin(std::int64_t threads, int round) = 0;
  // Gets a row ready; what it takes is not counted.
  virtual void prepare(const BandwidthCeiling& row) = 0;
  virtual double pass_s(const BandwidthCeiling& row, std::int64_t repeats) = 0;
  // Whether the arrays hold what the passes since prepare() must have left there. Throws
  // Error{device} if not.
  virtual void check(const BandwidthCeiling& row) = 0;
  struct Work {
    double s = 0;
    double amount = 0;  // bytes or operations
  };
  // One pass of arithmetic with so many steps; checked on the way.
  virtual Work arithmetic(const ComputeCeiling& row, std::int64_t steps) = 0;
};

// Fills in all rows that are not missing for another reason than "not-measured". One that the
// budget left no time for is missing as "no-time". rows and compute: of all thread counts, in the
// order in which they are to be measured.
void measure_rows(Runner& runner, double budget_s, std::vector<BandwidthCeiling>& rows,
                  std::vector<ComputeCeiling>& compute);

// higher_is_better: rates; else times. values: at least one.
Passes passes_of(std::vector<double> values, bool higher_is_better);

}  // namespace assay::probe
