// SPDX-License-Identifier: MIT
#include "assay/record/kernels.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "support.hpp"

namespace assay::record {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string kernels_with_row(const std::string& row) {
  return std::string(kernels_header) + "\n" + row;
}

std::vector<KernelRuns> parsed(const std::string& row, bool allow_cut_tail = false) {
  return parse_kernels(kernels_with_row(row), "kernels.csv", allow_cut_tail);
}

std::string kernels_refusal(const std::string& row) {
  return refusal_of(ErrorKind::bad_input, [&] { parsed(row); });
}

TEST(KernelsCsv, HasTheColumnsOfTheReference) {
  EXPECT_EQ(kernels_header, "sample,kernel,grid,threads,begins_ns,durations_ns");
}

TEST(KernelsCsv, ARowHoldsTheRunsOfOneKernel) {
  std::string text;
  append_csv(text, {4, "_Z4copyPfPKfl", 132, 256, {0, 1500}, {1210, 1200}});
  append_csv(text, KernelRuns{4, "[memset]", 0, 0, {99}, {0}});
  append_csv(text, {5, "a, \"b\"", 1, 1, {1}, {2}});
  EXPECT_EQ(text,
            "4,_Z4copyPfPKfl,132,256,0 1500,1210 1200\n"
            "4,[memset],0,0,99,0\n"
            "5,\"a, \"\"b\"\"\",1,1,1,2\n");
  const auto all = parsed(text);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].sample, 4U);
  EXPECT_EQ(all[0].kernel, "_Z4copyPfPKfl");
  EXPECT_EQ(all[0].grid, 132);
  EXPECT_EQ(all[0].threads, 256);
  EXPECT_THAT(all[0].begins_ns, ElementsAre(0, 1500));
  EXPECT_THAT(all[0].durations_ns, ElementsAre(1210, 1200));
  EXPECT_EQ(all[1].grid, 0);
  EXPECT_EQ(all[2].kernel, "a, \"b\"");
}

TEST(KernelsCsv, HoldsWhatever64BitsHold) {
  const auto most = std::numeric_limits<std::int64_t>::max();
  std::string text;
  append_csv(text, {std::numeric_limits<std::uint64_t>::max(), "k", most, most, {most}, {most}});
  EXPECT_EQ(parsed(text).at(0).durations_ns.at(0), most);
  EXPECT_EQ(parsed(text).at(0).sample, std::numeric_limits<std::uint64_t>::max());
  EXPECT_THAT(kernels_refusal("1,k,1,1,9223372036854775808,1\n"), HasSubstr("begins_ns"));
}

TEST(KernelsCsv, SaysWhichLineAndColumnIsWrong) {
  EXPECT_THAT(kernels_refusal("-1,k,1,1,0,1\n"), HasSubstr("kernels.csv:2: 'sample'"));
  EXPECT_THAT(kernels_refusal("1,k,-1,1,0,1\n"), HasSubstr("grid"));
  EXPECT_THAT(kernels_refusal("1,k,1,-1,0,1\n"), HasSubstr("threads"));
  EXPECT_THAT(kernels_refusal("1,k,1,1,-5,1\n"), HasSubstr("begins_ns"));
  EXPECT_THAT(kernels_refusal("1,k,1,1,0,-1\n"), HasSubstr("durations_ns"));
  EXPECT_THAT(kernels_refusal("1,k,1,1,0 5,-1 2\n"), HasSubstr("durations_ns"));
  EXPECT_THAT(kernels_refusal("1,k,1,1,0 5,1\n"), HasSubstr("as many numbers as begins_ns"));
  EXPECT_THAT(kernels_refusal("1,k,1,1,0,1 2\n"), HasSubstr("as many numbers as begins_ns"));
  for (const char* list : {"", " ", "0 ", " 0", "0  1", "0;1", "0x1", "1.5", "1e3", "nan"}) {
    EXPECT_THAT(kernels_refusal("1,k,1,1," + std::string(list) + ",1\n"), HasSubstr("begins_ns"))
        << list;
  }
}

TEST(KernelsCsv, RefusesLinesOfAnotherForm) {
  kernels_refusal("1,k,1,1,0\n");
  kernels_refusal("1,k,1,1,0,1,2\n");
  kernels_refusal("1,a\tb,1,1,0,1\n");
  kernels_refusal("\n");
  refusal_of(ErrorKind::bad_input, [] { parse_kernels("sample,kernel\n", "kernels.csv", false); });
  refusal_of(ErrorKind::bad_input, [] { parse_kernels("", "kernels.csv", false); });
}

TEST(KernelsCsv, ACutTailIsLeftOutOnlyWhereThatIsAllowed) {
  EXPECT_THAT(kernels_refusal("1,k,1,1,0,10\n2,k,1,1,0,1"), HasSubstr("kernels.csv:3"));
  const auto kept = parsed("1,k,1,1,0,10\n2,k,1,1,0,1", true);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].sample, 1U);
}

TEST(KernelsCsv, RefusesToHoldALineBreak) {
  std::string text;
  EXPECT_THAT(refusal_of(ErrorKind::bad_input,
                         [&] {
                           append_csv(text, {1, "two\nlines", 1, 1, {0}, {1}});
                         }),
              HasSubstr("two?lines"));
}

TEST(KernelsCsv, RunsWithoutTimesAreACallersBug) {
  std::string text;
  EXPECT_ANY_THROW(append_csv(text, {1, "k", 1, 1, {}, {}}));
  EXPECT_ANY_THROW(append_csv(text, {1, "k", 1, 1, {0, 1}, {1}}));
}

}  // namespace
}  // namespace assay::record
