// SPDX-License-Identifier: MIT
#include "cli/output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "assay/base/error.hpp"

namespace assay::cli {

report::TerminalStyle stdout_style() {
  report::TerminalStyle style;
  style.width = 100;
  style.colour = false;
  if (isatty(STDOUT_FILENO) == 1) {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
    const char* no_color = std::getenv("NO_COLOR");
    style.colour = no_color == nullptr || *no_color == '\0';
  }
  return style;
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    if (errno == EPIPE) return;
    throw Error(ErrorKind::write,
                std::string("cannot write to standard output: ") + std::strerror(errno), errno);
  }
}

void refuse_inside_record(const std::filesystem::path& file) {
  auto folder = std::filesystem::absolute(file).lexically_normal().parent_path();
  for (; !folder.empty() && folder != folder.root_path(); folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / "bagit.txt")) {
      throw Error(ErrorKind::usage, file.string() + " would lie inside the record " +
                                        folder.string() + ", which is sealed: name another place");
    }
  }
}

void check_json_target(const JsonTarget& target) {
  if (!target.is_wanted() || target.is_stdout()) return;
  refuse_inside_record(*target.file);
  if (!std::ofstream(*target.file, std::ios::app)) {
    throw Error(ErrorKind::write,
                "cannot write the JSON result to " + *target.file + ": " + std::strerror(errno),
                errno);
  }
}

void print_json(const JsonTarget& target, const Json& json) {
  const std::string text = json_text(json);
  if (target.is_stdout()) {
    print(text);
    return;
  }
  std::ofstream file(*target.file, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) {
    throw Error(ErrorKind::write,
                "cannot write the JSON result to " + *target.file + ": " + std::strerror(errno),
                errno);
  }
}

}  // namespace assay::cli
