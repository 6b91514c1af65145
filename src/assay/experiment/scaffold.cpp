// SPDX-License-Identifier: MIT
#include "assay/experiment/scaffold.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "assay/base/error.hpp"
#include "assay/experiment/detail/scaffold_text.hpp"

namespace assay::experiment {
namespace {

// Targets that CMake keeps for itself, and ours.
constexpr std::array<std::string_view, 12> taken_names = {
    "all",     "assay",   "clean",         "depend", "edit_cache", "help",
    "install", "package", "rebuild_cache", "test",   "experiment", "build"};

void check_name(const std::string& name) {
  const bool begins_well = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
  const bool is_taken =
      std::find(taken_names.begin(), taken_names.end(), name) != taken_names.end();
  if (begins_well && is_plain && !is_taken) return;
  throw Error(ErrorKind::usage, "cannot make an experiment called '" + name + "': " +
                                    (is_taken ? "the name is taken by the build system"
                                              : "the name must be able to name a program") +
                                    "; expected a letter, then letters, digits, _ and -");
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) {
    throw Error(ErrorKind::write, "cannot write " + file.string() + ": " + std::strerror(errno),
                errno);
  }
}

}  // namespace

void write_scaffold(const std::filesystem::path& folder, const std::string& name) {
  check_name(name);
  std::error_code trouble;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder, trouble))) {
    throw Error(ErrorKind::usage, "cannot make the experiment folder " + folder.string() +
                                      ": it exists already, and nothing is overwritten; choose "
                                      "another name, or move it away");
  }
  trouble.clear();
  std::filesystem::create_directories(folder, trouble);
  if (trouble) {
    throw Error(ErrorKind::write,
                "cannot make the folder " + folder.string() + ": " + trouble.message(),
                trouble.value());
  }
  write_file(folder / "experiment.toml", detail::scaffold_experiment(name));
  write_file(folder / (name + ".cpp"), detail::scaffold_program(name));
  write_file(folder / "CMakeLists.txt", detail::scaffold_cmake(name));
  write_file(folder / "README.md", detail::scaffold_readme(name));
}

}  // namespace assay::experiment
