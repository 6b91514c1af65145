// SPDX-License-Identifier: MIT
//
// startup.csv: how each process of the boundary cold-start came to the result of its first call, a
// row for each phase. Which subject it is about, samples.csv says under the same process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/reading.hpp"
#include "assay/base/startup.hpp"
#include "assay/record/columns.hpp"

namespace assay::record {

struct StartupRow {
  std::int64_t trial = 0;
  std::int64_t process = 0;
  StartupPhase phase = StartupPhase::start;
  // The file keeps the reason of a missing one, not its detail.
  Reading<PhaseTime> time = Missing{no_phase::not_told, ""};
};

inline constexpr const char* startup_name = "startup.csv";
extern const Table startup_table;
extern const std::string_view startup_header;

// Caller's bugs: negative or unbounded times.
void append_csv(std::string& out, const StartupRow& row);

// As parse_samples in tables.hpp.
std::vector<StartupRow> parse_startup(std::string_view text, std::string_view where,
                                      bool allow_cut_tail);
std::vector<StartupRow> read_startup(const std::filesystem::path& file, bool allow_cut_tail);

}  // namespace assay::record
