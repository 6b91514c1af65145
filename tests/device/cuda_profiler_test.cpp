// SPDX-License-Identifier: MIT
//
// What the profiler says where there is no GPU, and what of its records can be checked without one.
#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>

#include "assay/device/cuda/driver.hpp"
#include "assay/device/cuda/profiler.hpp"

namespace {

using namespace assay;
using namespace assay::device::cuda;
using testing::HasSubstr;

TEST(Profiler, ExpectsTheLibraryOfItsHeaders) {
  EXPECT_EQ(expected_profiler_version(), CUPTI_API_VERSION);
  EXPECT_GT(expected_profiler_version(), 0);
}

TEST(Profiler, ReadsTheRecordsWhereTheHeadersPutThem) {
  // A library of the same major version may know later records, which begin like these.
  EXPECT_EQ(offsetof(CUpti_ActivityKernel10, kind), 0U);
  EXPECT_EQ(offsetof(CUpti_ActivityMemcpy6, kind), 0U);
  EXPECT_EQ(offsetof(CUpti_ActivityMemset4, kind), 0U);
}

// What starting it gives: in a process of its own, since it is once a process, and since a library
// that crashes must not take the tests along.
std::string started(const char* library, int& status) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(60);
    if (library != nullptr) setenv("ASSAY_CUPTI_LIBRARY", library, 1);
    const Reading<Profiler*>& profiler = Profiler::start();
    const std::string text = profiler
                                 ? "started " + (*profiler)->version()
                                 : profiler.missing().reason + ": " + profiler.missing().detail;
    const bool is_written =
        write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const bool is_same = &Profiler::start() == &profiler;
    _exit(is_written && is_same ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[512];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  waitpid(child, &status, 0);
  return text;
}

TEST(Profiler, SaysWhyItDoesNotStartOrStarts) {
  int status = -1;
  const std::string text = started(nullptr, status);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << ": " << text;
  const std::string reason = text.substr(0, text.find_first_of(": "));
  EXPECT_THAT((std::set<std::string>{"not-found", "version", "busy", "refused", "started"}),
              testing::Contains(reason))
      << text;
  EXPECT_GT(text.size(), reason.size() + 2) << "no detail: " << text;
  if (!driver()) std::printf("without a driver: %s\n", text.c_str());
}

TEST(Profiler, IsMissingWhereTheLibraryIsAnother) {
  int status = -1;
  const std::string text = started(FAKE_DRIVER_OLD, status);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status << ": " << text;
  EXPECT_THAT(text, testing::StartsWith("version: "));
  EXPECT_THAT(text, HasSubstr("has no cuptiGetVersion"));
}

}  // namespace
