// SPDX-License-Identifier: MIT
//
// plan.sha256: what was fixed before data could have an influence on it, and when. Lines as
// sha256sum writes them, each followed by a comment with the time, so `sha256sum -c plan.sha256`
// checks it:
//
//   HASH  plan.json
//   # sealed 2026-11-29T21:44:05+00:00
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::record {

inline constexpr const char* seals_name = "plan.sha256";

struct Seal {
  std::string file;
  std::string sha256;
  std::string sealed_utc;
};

std::string seal_text(const std::string& file, const std::string& content,
                      const std::string& sealed_utc);

// Throws Error{bad_input}: unreadable, or not of that form.
std::vector<Seal> read_seals(const std::filesystem::path& data);

// A sentence for each sealed file of data/ that is missing or was changed, or for a plan.sha256
// that says nothing about the plan.
std::vector<std::string> seal_differences(const std::filesystem::path& data);

}  // namespace assay::record
