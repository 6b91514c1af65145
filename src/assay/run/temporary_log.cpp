// SPDX-License-Identifier: MIT
#include "assay/run/temporary_log.hpp"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <sstream>

namespace assay::run {

TemporaryLog::TemporaryLog() {
  static std::atomic<int> count = 0;
  path_ = std::filesystem::temp_directory_path() /
          ("assay-" + std::to_string(getpid()) + "-" + std::to_string(count++) + ".log");
}

TemporaryLog::~TemporaryLog() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::string TemporaryLog::text() const {
  std::ostringstream text;
  const std::ifstream stream(path_, std::ios::binary);
  text << stream.rdbuf();
  return text.str();
}

}  // namespace assay::run
