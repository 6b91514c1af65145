// SPDX-License-Identifier: MIT
//
// What the loop around a subject costs, read from the assembly of loops.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

// The instructions of a function's loop: from the target of its last backward jump to that jump.
std::vector<std::string> loop_of(const std::string& function) {
  std::ifstream file(ASSAY_LOOPS_ASSEMBLY);
  std::vector<std::string> lines;
  std::string line;
  while (std::getline(file, line) && line.rfind(function + ":", 0) != 0) {
  }
  const std::regex label(R"(^(\.L\w+):.*)");
  const std::regex instruction(R"(^\s+[a-z].*)");
  while (std::getline(file, line) && line.find(".size") == std::string::npos) {
    if (std::regex_match(line, label) || std::regex_match(line, instruction)) lines.push_back(line);
  }
  for (std::size_t end = lines.size(); end-- > 0;) {
    std::smatch jump;
    if (!std::regex_match(lines[end], jump, std::regex(R"(^\s+[a-z.]+\s+(\.L\w+)$)"))) continue;
    for (std::size_t start = 0; start < end; ++start) {
      if (lines[start].rfind(jump[1].str() + ":", 0) != 0) continue;
      std::vector<std::string> loop(lines.begin() + static_cast<std::ptrdiff_t>(start),
                                    lines.begin() + static_cast<std::ptrdiff_t>(end) + 1);
      loop.erase(std::remove_if(loop.begin(), loop.end(),
                                [&](const auto& l) { return !std::regex_match(l, instruction); }),
                 loop.end());
      return loop;
    }
  }
  return {};
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

bool has_call(const std::vector<std::string>& loop) {
  return std::any_of(loop.begin(), loop.end(), [](const std::string& line) {
    return std::regex_search(line, std::regex(R"(^\s+(callq?|bl|blr)\s)"));
  });
}

// x86 in AT&T syntax: the last operand is memory. Comparisons read both of theirs.
bool has_store(const std::vector<std::string>& loop) {
  return std::any_of(loop.begin(), loop.end(), [](const std::string& line) {
    return std::regex_search(line, std::regex(R"(^\s+mov\w*\s.*,\s*[-\w]*\(%[^)]*\)$)"));
  });
}

TEST(Assembly, AnEmptySubjectCostsTwoInstructionsAnIteration) {
  const auto loop = loop_of("loop_empty");
  ASSERT_FALSE(loop.empty());
  EXPECT_FALSE(has_call(loop)) << text_of(loop);
#if defined(__x86_64__)
  EXPECT_LE(loop.size(), 2U) << text_of(loop);
#endif
}

TEST(Assembly, AReturnedIntIsKeptWithoutAStore) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "reads x86 assembly";
#endif
  const auto loop = loop_of("loop_returns_int");
  ASSERT_FALSE(loop.empty());
  EXPECT_FALSE(has_call(loop)) << text_of(loop);
  EXPECT_FALSE(has_store(loop)) << text_of(loop);
  // The load and the addition stand in the loop: the value is computed each time.
  EXPECT_GE(loop.size(), 4U) << text_of(loop);
}

TEST(Assembly, AStoreIsMadeInEveryIteration) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "reads x86 assembly";
#endif
  const auto loop = loop_of("loop_stores");
  ASSERT_FALSE(loop.empty());
  EXPECT_TRUE(has_store(loop)) << text_of(loop);
}

}  // namespace
