// SPDX-License-Identifier: MIT
#include "assay/record/new_directory.hpp"

#include <algorithm>
#include <cerrno>

#include "assay/record/files.hpp"

namespace assay::record {

namespace fs = std::filesystem;

std::string safe_name(const std::string& name) {
  constexpr std::size_t longest = 80;
  std::string safe = name.substr(0, longest);
  const auto is_safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  std::replace_if(
      safe.begin(), safe.end(), [&](char c) { return !is_safe(c); }, '-');
  safe.erase(0, std::min(safe.find_first_not_of(".-"), safe.size()));
  return safe.empty() ? "record" : safe;
}

fs::path new_directory(const fs::path& parent, const std::string& name) {
  constexpr int most = 1000;
  make_directories(parent);
  for (int i = 1; i <= most; ++i) {
    const fs::path path = parent / (i == 1 ? name : name + "-" + std::to_string(i));
    if (make_directory(path)) return path;
  }
  throw write_error("create the directory", parent / name, EEXIST);
}

}  // namespace assay::record
