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
    throw Error(ErrorKind::write,
                std::string("cannot write to standard output: ") + std::strerror(errno), errno);
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
