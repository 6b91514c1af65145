// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "assay/base/error.hpp"
#include "assay/experiment/experiment.hpp"

namespace assay::experiment {
namespace {

bool is_executable(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::filesystem::path find_command(const Command& command, const std::filesystem::path& directory) {
  ASSAY_EXPECTS(!command.words.empty());
  const std::string& written = command.words.front();
  if (written.find('/') != std::string::npos) {
    const auto file = std::filesystem::absolute(directory / written).lexically_normal();
    return is_executable(file) ? file : std::filesystem::path();
  }
  const char* variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "/usr/bin:/bin" : variable;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    // An empty entry means the current folder; a program found there would depend on where one
    // stands.
    if (end > start) {
      const auto file = std::filesystem::absolute(
          std::filesystem::path(path.substr(start, end - start)) / written);
      if (is_executable(file)) return file;
    }
    start = end + 1;
  }
  return {};
}

std::string expand(const std::string& text, const Case& the_case) {
  const auto fail = [&](const std::string& trouble) {
    throw Error(ErrorKind::bad_input,
                trouble + " in \"" + text +
                    "\"; expected {AXIS} for the value of an axis, and {{ or }} for a brace");
  };
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      result += c;
    } else if (at + 1 < text.size() && text[at + 1] == c) {
      result += c;
      ++at;
    } else if (c == '}') {
      fail("a closing brace stands alone");
    } else {
      const std::size_t end = text.find('}', at);
      if (end == std::string::npos) fail("an opening brace has no end");
      const std::string axis = text.substr(at + 1, end - at - 1);
      const AxisValue* value = the_case.find(axis);
      if (value == nullptr) fail("there is no axis '" + axis + "'");
      result += to_text(*value);
      at = end;
    }
  }
  return result;
}

}  // namespace assay::experiment
