// SPDX-License-Identifier: MIT
#include "assay/base/time.hpp"

#include <ctime>

namespace assay {
namespace {

std::string formatted(std::chrono::system_clock::time_point time, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char buffer[40];
  return std::string(buffer, std::strftime(buffer, sizeof buffer, format, &parts));
}

}  // namespace

std::string utc_text(std::chrono::system_clock::time_point time) {
  return formatted(time, "%Y-%m-%dT%H:%M:%S+00:00");
}

std::string utc_now_text() { return utc_text(std::chrono::system_clock::now()); }

std::string utc_compact_text(std::chrono::system_clock::time_point time) {
  return formatted(time, "%Y%m%dT%H%M%SZ");
}

std::int64_t monotonic_ns() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace assay
