// SPDX-License-Identifier: MIT
#include "assay/run/temporary_log.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "assay/base/error.hpp"

namespace assay::run {

TemporaryLog::TemporaryLog() {
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  if (failure) {
    throw Error(ErrorKind::write,
                "there is no folder for temporary files (TMPDIR): " + failure.message(),
                failure.value());
  }
  std::string name = (folder / "assay-XXXXXX").string();
  const int fd = mkstemp(name.data());
  if (fd < 0) {
    throw Error(ErrorKind::write,
                "cannot make a temporary file like " + name + ": " + std::strerror(errno), errno);
  }
  close(fd);
  path_ = name;
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
