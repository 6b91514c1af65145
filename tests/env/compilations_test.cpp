// SPDX-License-Identifier: MIT
#include "assay/env/compilations.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <sstream>

#include "assay/env/environment.hpp"
#include "support.hpp"

namespace assay::env {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

Compilation with_flags(const std::string& flags, std::int64_t sources = 1) {
  Compilation compilation = compilation_of("GNU C++17 12.2.0 " + flags);
  compilation.sources = sources;
  return compilation;
}

TEST(Compilation, IsACompilerAndItsFlags) {
  const Compilation gcc = compilation_of("GNU C++17 12.2.0 -mtune=generic -O2 -std=c++17");
  EXPECT_EQ(gcc.compiler, "GNU C++17 12.2.0");
  EXPECT_EQ(*gcc.flags, "-mtune=generic -O2 -std=c++17");
  const Compilation whole = compilation_of(
      "Debian clang version 14.0.6 /usr/lib/llvm-14/bin/clang -g1 -O1 -D TOKEN=x -I /home/me "
      "-march=native -std=c++17 a.cpp -o a");
  EXPECT_EQ(whole.compiler, "Debian clang version 14.0.6");
  EXPECT_EQ(*whole.flags, "-g1 -O1 -march=native -std=c++17");
  EXPECT_EQ(*compilation_of("GNU C17 12.2.0 -O2 -fprofile-use=/home/me/p -march=x86-64").flags,
            "-O2 -fprofile-use=… -march=x86-64");
  EXPECT_EQ(compilation_of("GNU C17 12.2.0 -f" + std::string(5000, 'x')).flags.missing().reason,
            "too-long");
  const Compilation clang = compilation_of("Debian clang version 14.0.6");
  EXPECT_EQ(clang.compiler, "Debian clang version 14.0.6");
  EXPECT_EQ(clang.flags.missing().reason, "not-recorded");
  EXPECT_THAT(clang.flags.missing().detail, HasSubstr("-grecord-command-line"));
}

TEST(Compilations, TellOfTheWholeProgramWhatOnePartTells) {
  EXPECT_FALSE(*together({with_flags("-O2"), with_flags("-O3")}).link_time_optimised);
  EXPECT_TRUE(*together({with_flags("-O2"), with_flags("-O2 -flto=auto")}).link_time_optimised);
  EXPECT_TRUE(*together({with_flags("-O2 -fprofile-use=x")}).profile_guided);
  // It measures, and is not optimised by what was measured.
  EXPECT_FALSE(*together({with_flags("-O2 -fprofile-generate")}).profile_guided);
  EXPECT_FALSE(*together({with_flags("-O2 -DX=-flto -fno-lto")}).link_time_optimised);
  const Compilation unknown = compilation_of("some compiler");
  EXPECT_EQ(together({with_flags("-O2"), unknown}).link_time_optimised.missing().reason,
            "not-told");
  EXPECT_TRUE(*together({unknown, with_flags("-flto")}).link_time_optimised);
}

TEST(Compilations, AreThoseOfMostSourcesFirstAndNotWithoutEnd) {
  std::vector<Compilation> many;
  for (int i = 0; i < 100; ++i) many.push_back(with_flags("-O" + std::to_string(i), i));
  // What is left out counts all the same.
  many.push_back(with_flags("-flto", 0));
  const Compilations result = together(many);
  EXPECT_EQ(result.all.size(), 64U);
  EXPECT_EQ(*result.all.front().flags, "-O99");
  EXPECT_TRUE(*result.link_time_optimised);
}

TEST(Compilations, AreReadFromAProgramsDebugInformation) {
  const auto found = compilations_of(ASSAY_TEST_SMALL_PROGRAM);
  ASSERT_TRUE(found) << found.missing().detail;
  // Most sources first: a sanitizer links a part of its own, which was compiled elsewhere.
  const Compilation& own = found->all.at(0);
  EXPECT_THAT(own.examples, UnorderedElementsAre("small_program.cpp", "small_part.cpp"));
  EXPECT_EQ(own.sources, 2);
  ASSERT_TRUE(own.flags);
  EXPECT_THAT(*own.flags, HasSubstr("-O1"));
  EXPECT_FALSE(*found->link_time_optimised);
  const Json facts = binary_facts(ASSAY_TEST_SMALL_PROGRAM);
  EXPECT_EQ(facts.at("compilations").at("value").at(0).at("sources"), 2);
  EXPECT_EQ(facts.at("link_time_optimised").at("value"), false);
  EXPECT_EQ(facts.at("profile_guided").at("source"), "DWARF: DW_AT_producer");
}

#if defined(ASSAY_TEST_LINKED_LATE)
TEST(Compilations, SeeWhatWasOptimisedAtLinkTime) {
  const auto found = compilations_of(ASSAY_TEST_LINKED_LATE);
  ASSERT_TRUE(found) << found.missing().detail;
  EXPECT_TRUE(*found->link_time_optimised);
}

TEST(Compilations, AreMissingWithoutDebugInformation) {
  const auto found = compilations_of(ASSAY_TEST_STRIPPED);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.missing().reason, "not-there");
  const Json facts = binary_facts(ASSAY_TEST_STRIPPED);
  EXPECT_EQ(facts.at("link_time_optimised").at("missing"), "not-there");
}
#endif

TEST(Compilations, SayWhatIsNoProgram) {
  const TemporaryDirectory folder;
  folder.put("text", "#!/bin/sh\n");
  EXPECT_FALSE(compilations_of(folder.path() / "text"));
  EXPECT_EQ(compilations_of(folder.path() / "none").missing().reason, "unreadable");
  EXPECT_FALSE(compilations_of(folder.path()));
}

// Bytes changed at random and files cut anywhere.
TEST(Compilations, LiveThroughDamagedFiles) {
  std::ostringstream text;
  text << std::ifstream(ASSAY_TEST_SMALL_PROGRAM, std::ios::binary).rdbuf();
  const std::string whole = text.str();
  const TemporaryDirectory folder;
  std::mt19937_64 random(7);
  for (int i = 0; i < 400; ++i) {
    std::string damaged = whole;
    for (int change = 0; change < 1 + i % 64; ++change) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    if (i % 4 == 0) damaged.resize(random() % damaged.size());
    folder.put("damaged", damaged);
    compilations_of(folder.path() / "damaged");
  }
}

}  // namespace
}  // namespace assay::env
