// SPDX-License-Identifier: MIT
#include "assay/base/time.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace assay {
namespace {

std::chrono::system_clock::time_point at(std::time_t seconds) {
  return std::chrono::system_clock::from_time_t(seconds);
}

TEST(UtcText, IsAlwaysUtcWithItsOffset) {
  EXPECT_EQ(utc_text(at(0)), "1970-01-01T00:00:00+00:00");
  EXPECT_EQ(utc_text(at(951782399)), "2000-02-28T23:59:59+00:00");
  EXPECT_EQ(utc_text(at(951782400)), "2000-02-29T00:00:00+00:00");
}

TEST(UtcText, DoesNotFollowTheLocalTimeZone) {
  const char* set = std::getenv("TZ");
  const std::string before = set == nullptr ? "" : set;
  ASSERT_EQ(setenv("TZ", "Asia/Kathmandu", 1), 0);
  tzset();
  EXPECT_EQ(utc_text(at(0)), "1970-01-01T00:00:00+00:00");
  EXPECT_EQ(utc_compact_text(at(0)), "19700101T000000Z");
  if (set == nullptr) {
    unsetenv("TZ");
  } else {
    setenv("TZ", before.c_str(), 1);
  }
  tzset();
}

TEST(UtcText, IsCompactForNamesOfDirectories) {
  EXPECT_EQ(utc_compact_text(at(1795988645)), "20261129T214405Z");
}

TEST(UtcText, OfNowHasTheSameForm) {
  EXPECT_THAT(utc_now_text(),
              testing::MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9]+:[0-9]+:[0-9]+\\+00:00"));
  EXPECT_EQ(utc_now_text().size(), 25U);
}

TEST(MonotonicClock, NeverGoesBack) {
  std::int64_t last = monotonic_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t now = monotonic_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(MonotonicClock, IsTheClockThatOtherProcessesSee) {
  std::timespec before{};
  ASSERT_EQ(clock_gettime(CLOCK_MONOTONIC, &before), 0);
  EXPECT_GE(monotonic_ns(), std::int64_t{before.tv_sec} * 1'000'000'000 + before.tv_nsec);
}

}  // namespace
}  // namespace assay
