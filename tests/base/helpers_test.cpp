// SPDX-License-Identifier: MIT
#include "assay/base/helpers.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "assay/base/error.hpp"

namespace assay {
namespace {

TEST(Helpers, TakesEveryNumberOnce) {
  for (const int threads : {1, 2, 3, 16}) {
    for (const std::int64_t count : {0, 1, 15, 16, 33, 1000}) {
      std::vector<int> taken(static_cast<std::size_t>(count), 0);
      Helpers::of_threads(threads).share(count, 4, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) ++taken[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(taken, std::vector<int>(static_cast<std::size_t>(count), 1));
    }
  }
}

TEST(Helpers, HasNoRangeBelowTheSmallest) {
  std::mutex mutex;
  std::vector<std::int64_t> lengths;
  Helpers::of_threads(16).share(100, 30, [&](std::int64_t first, std::int64_t last) {
    const std::lock_guard lock(mutex);
    lengths.push_back(last - first);
  });
  EXPECT_EQ(lengths.size(), 3U);
  for (const std::int64_t length : lengths) EXPECT_GE(length, 30);
}

TEST(Helpers, PassesOnWhatIsThrownByAnyThreadAfterAllHaveEnded) {
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{999}}) {
    std::mutex mutex;
    std::int64_t seen = 0;
    EXPECT_THROW(Helpers::of_threads(4).share(1000, 1,
                                              [&](std::int64_t first, std::int64_t last) {
                                                {
                                                  const std::lock_guard lock(mutex);
                                                  seen += last - first;
                                                }
                                                if (first <= bad && bad < last) {
                                                  throw Error(ErrorKind::bug, "of one range");
                                                }
                                              }),
                 Error);
    EXPECT_EQ(seen, 1000);
  }
}

TEST(Helpers, WithoutThreadsIsTheCallingOne) {
  std::set<std::thread::id> threads;
  Helpers().share(1'000'000, 1,
                  [&](std::int64_t, std::int64_t) { threads.insert(std::this_thread::get_id()); });
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
}

// A worker is bound to one core when it fills its tensors.
TEST(Helpers, KeepsTheCoresThatItWasMadeFor) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  const Helpers helpers = Helpers::of_threads(2);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &before)) continue;
    CPU_SET(core, &one);
    break;
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  std::mutex mutex;
  std::vector<int> allowed;
  helpers.share(2, 1, [&](std::int64_t first, std::int64_t) {
    cpu_set_t mine;
    sched_getaffinity(0, sizeof mine, &mine);
    const std::lock_guard lock(mutex);
    if (first > 0) allowed.push_back(CPU_COUNT(&mine));
  });
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(allowed, std::vector<int>{CPU_COUNT(&before)});
}

}  // namespace
}  // namespace assay
