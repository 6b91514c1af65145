// SPDX-License-Identifier: MIT
//
// A log for processes that run before there is a record to log into; removed with the object.
#pragma once

#include <filesystem>
#include <string>

namespace assay::run {

class TemporaryLog {
 public:
  TemporaryLog();
  TemporaryLog(const TemporaryLog&) = delete;
  TemporaryLog& operator=(const TemporaryLog&) = delete;
  ~TemporaryLog();

  const std::filesystem::path& path() const noexcept { return path_; }
  std::string text() const;

 private:
  std::filesystem::path path_;
};

}  // namespace assay::run
