// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/env/elf.hpp"
#include "assay/env/environment.hpp"
#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

// "7f00-7f10 r-xp 00001000 fe:00 1234      /usr/lib/libc.so.6": the file, of code that is mapped.
std::string mapped_code(const std::string& line) {
  constexpr std::size_t fields_before = 5;
  const auto parts = split(line, ' ');
  if (parts.size() < fields_before || parts[1].size() < 3 || parts[1][2] != 'x') return {};
  const auto at = line.find('/');
  return at == std::string::npos ? std::string() : line.substr(at);
}

// Written by the kernel behind the name of a file that is gone: another may lie there now.
constexpr std::string_view gone = " (deleted)";

}  // namespace

Json loaded_libraries(const Sources& sources, std::int64_t process) {
  const std::string file = "/proc/" + std::to_string(process) + "/maps";
  const auto maps = sources.text(file);
  if (!maps) return sourced(maps, "/proc/PID/maps");
  const auto program = sources.link("/proc/" + std::to_string(process) + "/exe");
  std::vector<std::string> files;
  for (const auto& line : split(*maps, '\n')) {
    std::string code = mapped_code(line);
    if (code.empty() || (program && code == *program)) continue;
    if (std::find(files.begin(), files.end(), code) == files.end())
      files.push_back(std::move(code));
  }
  std::sort(files.begin(), files.end());
  Json list = Json::array();
  for (const auto& each : files) {
    Json entry{{"file", as_utf8(each)}};
    const bool is_gone = each.size() > gone.size() &&
                         each.compare(each.size() - gone.size(), gone.size(), gone) == 0;
    // The digest of every library, of which some have gigabytes, would cost a run more than its
    // trials; the linker's id tells builds apart as well.
    const auto id = is_gone ? Reading<std::string>(Missing{"deleted", "the file is gone"})
                            : elf_facts(sources.root() / each.substr(1)).build_id;
    if (id) entry["build_id"] = *id;
    list.push_back(std::move(entry));
  }
  return sourced(Reading<Json>(std::move(list)), "/proc/PID/maps");
}

}  // namespace assay::env
