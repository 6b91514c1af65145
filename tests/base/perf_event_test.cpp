// SPDX-License-Identifier: MIT
#include "assay/base/perf_event.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace assay {
namespace {

TEST(PerfEvent, IsTextThatReadsBack) {
  PerfEvent event;
  event.type = 3;
  event.config = 0x10002;
  event.config1 = UINT64_MAX;
  event.in_kernel = false;
  EXPECT_EQ(event.text(), "3:10002:ffffffffffffffff:0:u");
  EXPECT_EQ(PerfEvent::parse(event.text()).text(), event.text());
  EXPECT_EQ(PerfEvent::parse("0:0:0:0:uk").text(), processor_cycles().text());
}

TEST(PerfEvent, RefusesOtherText) {
  for (const char* text :
       {"", "cycles", "0:0:0:0", "0:0:0:0:", "0:0:0:0:ku", "0:0:0:0:x", "0::0:0:u",
        "100000000:0:0:0:u", "0:0:0:0:u:u", "-1:0:0:0:u", "0x0:0:0:0:u"}) {
    EXPECT_THROW(PerfEvent::parse(text), Error) << text;
  }
}

TEST(PerfCounter, SaysWhyItCountsNothing) {
  PerfEvent unknown;
  unknown.type = 1;
  unknown.config = 0xffff;
  const PerfCounter counter = PerfCounter::of(unknown);
  EXPECT_FALSE(counter.is_open());
  EXPECT_FALSE(counter.read().has_value());
  EXPECT_FALSE(counter.missing().reason.empty());
}

TEST(PerfCounter, CountsBetweenStartAndStop) {
  PerfEvent page_faults;
  page_faults.type = 1;
  page_faults.config = 2;
  page_faults.in_kernel = false;
  const PerfCounter counter =
      PerfCounter::stopped(page_faults, PerfCounter::Of::thread_and_its_children, nullptr);
  if (!counter.is_open())
    GTEST_SKIP() << "no event may be counted here: " << counter.missing().detail;
  constexpr std::size_t page_bytes = 4096;
  constexpr std::size_t pages = 256;
  auto* memory = static_cast<volatile char*>(::mmap(
      nullptr, 3 * pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ::madvise(const_cast<char*>(memory), 3 * pages * page_bytes, MADV_NOHUGEPAGE);
  const auto touch_third = [&](std::size_t third) {
    for (std::size_t page = third * pages; page < (third + 1) * pages; ++page)
      memory[page * page_bytes] = 1;
  };
  touch_third(0);
  counter.start();
  touch_third(1);
  counter.stop();
  touch_third(2);
  // More than the pages of the second third: those of the code, and of a sanitizer's own memory.
  EXPECT_GE(counter.read()->count, pages);
  EXPECT_LT(counter.read()->count, 2 * pages);
  EXPECT_EQ(counter.read()->enabled_ns, counter.read()->running_ns);
  ::munmap(const_cast<char*>(memory), 3 * pages * page_bytes);
}

}  // namespace
}  // namespace assay
