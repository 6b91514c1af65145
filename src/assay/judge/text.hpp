// SPDX-License-Identifier: MIT
//
// Numbers as sentences and tables print them: units for people, no more digits than carry meaning.
#pragma once

#include <string>

#include "assay/judge/result.hpp"

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

// Of a subject with several modes: "2 modes within trials (dip test, p at most 0.001): 9.980 µs
// (70 %), 10.40 µs (30 %)".
std::string modes_text(const ModalityResult& modality);
// "within trials", "only between trials", "within trials and between them".
std::string modes_place_text(const ModalityResult& modality);
// "p at most 0.001", "p = 0.0042".
std::string dip_p_text(double p);

// "mean": ratios of means; "median": the median of the ratios.
std::string estimand_text(const std::string& estimand);

}  // namespace assay::judge
