// SPDX-License-Identifier: MIT
//
// What the profiler says where there is no GPU, and what of its records can be checked without one.
#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "assay/device/cuda/profiler.hpp"

namespace {

using namespace assay;
using namespace assay::device::cuda;

TEST(Profiler, ExpectsTheLibraryOfItsHeaders) {
  EXPECT_EQ(expected_profiler_version(), CUPTI_API_VERSION);
  EXPECT_GT(expected_profiler_version(), 0);
}

// The one type of that name in cupti_activity.h, where the older ones are not.
std::string newest(const std::string& name) {
  std::ifstream stream(ASSAY_CUPTI_ACTIVITY_HEADER);
  std::ostringstream text;
  text << stream.rdbuf();
  const std::regex type("\\} (" + name + "[0-9]*);");
  const std::string all = text.str();
  std::string found;
  for (std::sregex_iterator it(all.begin(), all.end(), type), end; it != end; ++it) {
    found += (found.empty() ? "" : ", ") + (*it)[1].str();
  }
  return found;
}

TEST(Profiler, ReadsTheRecordsThatItsHeadersDescribe) {
  // The library hands out the newest types of its headers, and those are the ones that are read.
  EXPECT_EQ(newest("CUpti_ActivityKernel"), "CUpti_ActivityKernel10");
  EXPECT_EQ(newest("CUpti_ActivityMemcpy"), "CUpti_ActivityMemcpy6");
  EXPECT_EQ(newest("CUpti_ActivityMemset"), "CUpti_ActivityMemset4");
}

// In a process of its own: it is started once a process, before the driver is, and a library that
// crashes must not take the tests along.
[[noreturn]] void start_and_tell(const char* library) {
  alarm(60);
  if (library != nullptr) setenv("ASSAY_CUPTI_LIBRARY", library, 1);
  const Reading<Profiler*>& profiler = Profiler::start();
  const std::string text = profiler ? "started " + (*profiler)->version()
                                    : profiler.missing().reason + ": " + profiler.missing().detail;
  std::fprintf(stderr, "%s\n", text.c_str());
  _exit(&Profiler::start() == &profiler ? 0 : 1);
}

TEST(ProfilerDeathTest, SaysWhyItDoesNotStartOrStarts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(start_and_tell(nullptr), testing::ExitedWithCode(0),
              "(not-found|version|busy|refused): .+|started [0-9]+[.]");
}

TEST(ProfilerDeathTest, IsMissingWhereTheLibraryIsAnother) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(start_and_tell(FAKE_DRIVER_OLD), testing::ExitedWithCode(0),
              "version: .* has no cuptiGetVersion");
}

}  // namespace
