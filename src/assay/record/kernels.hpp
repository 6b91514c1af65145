// SPDX-License-Identifier: MIT
//
// kernels.csv: what a device did in each sample, of timers that see it. Every record of the device
// is kept: the sample's interval can be recomputed from them, and what else was seen (a second
// kernel, a gap, one slow call of a hundred) stays.
//
// A row holds the runs of one kernel with one launch shape in one sample, as lists: a sample of
// hundreds of calls is one row, not hundreds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/reading.hpp"
#include "assay/record/columns.hpp"

namespace assay::record {

struct KernelRuns {
  std::uint64_t sample = 0;             // the row of samples.csv, counted from 0
  std::string kernel;                   // as the device's compiler named it; "[memcpy]", "[memset]"
  std::int64_t grid = 0;                // blocks; 0 for what is no kernel
  std::int64_t threads = 0;             // of a block
  std::vector<std::int64_t> begins_ns;  // since the start_ns of the sample, ascending
  std::vector<std::int64_t> durations_ns;  // beside them
};

inline constexpr const char* kernels_name = "kernels.csv";
extern const Table kernels_table;
extern const std::string_view kernels_header;

// Caller's bugs: no run, lists of different lengths, a negative duration. Throws Error{bad_input}
// if the name holds a control character.
void append_csv(std::string& out, const KernelRuns& runs);

// As parse_samples in tables.hpp.
std::vector<KernelRuns> parse_kernels(std::string_view text, std::string_view where,
                                      bool allow_cut_tail);
std::vector<KernelRuns> read_kernels(const std::filesystem::path& file, bool allow_cut_tail);

// The timer whose intervals are made of the rows of kernels.csv.
inline constexpr std::string_view kernel_timer = "cupti";

// Whether a sample's flags say that its calls did not all do the same.
bool is_uneven(std::string_view flags);

// The interval that follows from all rows of a sample: the sum over its calls of the span from the
// first begin to the last end, where all calls did the same; else the span of all. Missing where
// the calls do not divide the runs.
Reading<double> interval_of(const std::vector<const KernelRuns*>& rows, std::int64_t calls,
                            bool is_uneven);

}  // namespace assay::record
