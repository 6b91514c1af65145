// SPDX-License-Identifier: MIT
//
// A log for processes that run before there is a record to log into; removed with the object.
#pragma once

#include <filesystem>
#include <string>

#include "assay/base/temporary_path.hpp"

namespace assay::run {

class TemporaryLog {
 public:
  const std::filesystem::path& path() const noexcept { return file_.path(); }
  std::string text() const;

 private:
  TemporaryPath file_{TemporaryPath::Kind::file};
};

}  // namespace assay::run
