// SPDX-License-Identifier: MIT
#include "assay/run/temporary_log.hpp"

#include <fstream>
#include <sstream>

namespace assay::run {

std::string TemporaryLog::text() const {
  std::ostringstream text;
  const std::ifstream stream(path(), std::ios::binary);
  text << stream.rdbuf();
  return text.str();
}

}  // namespace assay::run
