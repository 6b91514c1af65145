// SPDX-License-Identifier: MIT
#include "assay/record/seals.hpp"

#include <algorithm>

#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

constexpr std::string_view sealed = "# sealed ";

}  // namespace

std::string seal_text(const std::string& file, const std::string& content,
                      const std::string& sealed_utc) {
  return sha256_hex(content) + "  " + file + "\n" + std::string(sealed) + sealed_utc + "\n";
}

std::vector<Seal> read_seals(const std::filesystem::path& data) {
  const auto path = data / seals_name;
  const std::string text = read_file(path);
  std::vector<Seal> seals;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with(sealed) && !seals.empty()) {
      seals.back().sealed_utc = line.substr(sealed.size());
    } else if (line.size() > 66 && line.substr(64, 2) == "  ") {
      seals.push_back(Seal{line.substr(66), line.substr(0, 64), ""});
    } else {
      throw Error(ErrorKind::bad_input,
                  "cannot read " + path.string() +
                      ": expected lines 'SHA-256  FILE', each followed by '# sealed TIME'");
    }
  }
  return seals;
}

std::vector<std::string> seal_differences(const std::filesystem::path& data) {
  std::vector<std::string> differences;
  try {
    const auto seals = read_seals(data);
    for (const auto& [file, digest, time] : seals) {
      const std::string name = "data/" + file;
      if (!std::filesystem::is_regular_file(data / file)) {
        differences.push_back(name + " is missing; data/plan.sha256 sealed it");
      } else if (sha256_hex_of_file(data / file) != digest) {
        differences.push_back(name + " was changed after it was sealed at " + time +
                              ": its SHA-256 is not the one in data/plan.sha256");
      }
    }
    const bool has_plan = std::any_of(seals.begin(), seals.end(),
                                      [](const Seal& seal) { return seal.file == "plan.json"; });
    if (!has_plan) differences.emplace_back("data/plan.sha256 does not seal plan.json");
  } catch (const Error& error) {
    differences.emplace_back(error.what());
  }
  return differences;
}

}  // namespace assay::record
