// SPDX-License-Identifier: MIT
//
// Numbers as sentences and tables print them: units for people, no more digits than carry meaning.
#pragma once

#include <string>

namespace assay::judge {

// "812.3 ns", "12.34 µs", "1.5 ms", "2.012 s": four significant digits.
std::string time_text(double time_ns);
// The same two values in one unit: "12.3 to 12.4 µs".
std::string time_range_text(double low_ns, double high_ns);

// "0.623", "1.002", "0.0123", "35.3": a ratio of times; the sign × is the caller's.
std::string ratio_text(double ratio);

// "1 %", "0.25 %", "99.67 %" of a fraction.
std::string percent_text(double fraction);

// "12.3 GB/s"; GB = 10⁹. "3.21 GFLOP/s".
std::string bytes_rate_text(double bytes_per_s);
std::string flop_rate_text(double flop_per_s);

}  // namespace assay::judge
