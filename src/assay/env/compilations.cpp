// SPDX-License-Identifier: MIT
#include "assay/env/compilations.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>

#include "assay/base/sources.hpp"

namespace assay::env {
namespace {

constexpr std::size_t most_examples = 6;
// Of kinds of compilation: a program that is made of more is told by the most frequent ones.
constexpr std::size_t most_compilations = 64;
constexpr std::size_t longest_flags = 4096;
constexpr std::string_view flag_starts[] = {"-O", "-f", "-g", "-m", "-std", "--param"};

// Closes it at its end.
struct Descriptor {
  explicit Descriptor(int descriptor) : fd(descriptor) {}
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int fd;
};

std::string text_of(Dwarf_Die& unit, unsigned attribute_code) {
  Dwarf_Attribute attribute;
  const char* text = dwarf_formstring(dwarf_attr(&unit, attribute_code, &attribute));
  return text == nullptr ? std::string() : as_utf8(text);
}

bool is_word_of(const std::string& flags, const std::string& start) {
  const auto words = split(flags, ' ');
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word.rfind(start, 0) == 0; });
}

// Whether any compilation has a flag that begins so; not told where flags of some are not known.
Reading<bool> any_has(const std::vector<Compilation>& all, const std::vector<std::string>& starts) {
  const Compilation* unknown = nullptr;
  for (const Compilation& one : all) {
    if (!one.flags) {
      unknown = &one;
      continue;
    }
    for (const std::string& start : starts) {
      if (is_word_of(*one.flags, start)) return true;
    }
  }
  if (unknown != nullptr) return Missing{"not-told", unknown->flags.missing().detail};
  return false;
}

// Of a command the words that decide what code is generated: no definitions and no places, which
// may hold what is nobody's business.
std::string flags_of_code(const std::string& command) {
  std::string flags;
  for (const std::string& word : split(command, ' ')) {
    const bool is_one = std::any_of(
        std::begin(flag_starts), std::end(flag_starts),
        [&](std::string_view start) { return word.compare(0, start.size(), start) == 0; });
    if (!is_one) continue;
    // Where a profile or a plugin lies is a place on somebody's disk.
    const auto value = word.find('=');
    const bool is_path = value != std::string::npos && word.find('/', value) != std::string::npos;
    flags += (flags.empty() ? "" : " ") + (is_path ? word.substr(0, value + 1) + "…" : word);
  }
  return flags;
}

}  // namespace

Compilation compilation_of(const std::string& producer) {
  Compilation compilation;
  // GCC: "GNU C++17 12.2.0 -mtune=generic -O2"; Clang: "Debian clang version 14.0.6", and with
  // -grecord-command-line then its whole command, beginning with its own path.
  const auto flags_at = std::min(producer.find(" -"), producer.find(" /"));
  compilation.compiler = producer.substr(0, flags_at);
  if (flags_at == std::string::npos) {
    compilation.flags = Missing{
        "not-recorded", compilation.compiler +
                            " wrote no flags into the debug information (Clang does it with "
                            "-grecord-command-line, GCC unless -gno-record-gcc-switches)"};
  } else {
    std::string flags = flags_of_code(producer.substr(flags_at));
    if (flags.size() > longest_flags) {
      compilation.flags = Missing{"too-long", std::to_string(flags.size()) + " bytes of flags"};
    } else {
      compilation.flags = std::move(flags);
    }
  }
  return compilation;
}

Compilations together(std::vector<Compilation> all) {
  std::stable_sort(all.begin(), all.end(), [](const Compilation& a, const Compilation& b) {
    return a.sources > b.sources;
  });
  Compilations result;
  result.link_time_optimised = any_has(all, {"-flto"});
  result.profile_guided = any_has(
      all, {"-fprofile-use", "-fprofile-instr-use", "-fauto-profile", "-fbranch-probabilities"});
  if (all.size() > most_compilations) all.resize(most_compilations);
  result.all = std::move(all);
  return result;
}

Reading<Compilations> compilations_of(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.fd < 0) return Missing{"unreadable", path.string() + ": " + std::strerror(errno)};
  const std::unique_ptr<Dwarf, decltype(&dwarf_end)> dwarf(dwarf_begin(file.fd, DWARF_C_READ),
                                                           &dwarf_end);
  if (!dwarf) {
    return Missing{"not-there",
                   "no debug information: build with -g1 or more to have the flags of "
                   "every source on record"};
  }
  std::map<std::string, Compilation> found;  // by producer and flags
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  std::uint8_t type = 0;
  int more = 0;
  while ((more = dwarf_get_units(dwarf.get(), unit, &unit, nullptr, &type, &die, nullptr)) == 0) {
    if (dwarf_tag(&die) != DW_TAG_compile_unit) continue;
    const std::string producer = text_of(die, DW_AT_producer);
    // What was assembled is what its source says, whatever the flags.
    if (producer.rfind("GNU AS", 0) == 0) continue;
    Compilation one = compilation_of(producer.empty() ? "an unnamed compiler" : producer);
    const std::string flags = one.flags ? *one.flags : "?";
    Compilation& compilation = found.try_emplace(one.compiler + "\n" + flags, one).first->second;
    ++compilation.sources;
    const std::string name =
        as_utf8(std::filesystem::path(text_of(die, DW_AT_name)).filename().string());
    if (compilation.examples.size() < most_examples && !name.empty()) {
      compilation.examples.push_back(name);
    }
  }
  if (more < 0) {
    return Missing{"not-understood", std::string("its debug information: ") + dwarf_errmsg(-1)};
  }
  std::vector<Compilation> all;
  for (auto& [key, compilation] : found) all.push_back(std::move(compilation));
  if (all.empty()) return Missing{"not-there", "its debug information names no source"};
  return together(std::move(all));
}

}  // namespace assay::env
