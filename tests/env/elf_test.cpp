// SPDX-License-Identifier: MIT
#include "assay/env/elf.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <sstream>

#include "assay/env/environment.hpp"
#include "support.hpp"

namespace assay::env {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string own_program() {
  std::ostringstream text;
  text << std::ifstream("/proc/self/exe", std::ios::binary).rdbuf();
  return text.str();
}

TEST(ElfFacts, TellsOfThisProgram) {
  const ElfFacts facts = elf_facts("/proc/self/exe");
  ASSERT_TRUE(facts.tools);
#if defined(__clang__)
  EXPECT_THAT(*facts.tools, Contains(HasSubstr("clang")));
#else
  EXPECT_THAT(*facts.tools, Contains(HasSubstr("GCC")));
#endif
  ASSERT_TRUE(facts.needed);
  EXPECT_THAT(*facts.needed, Contains("libc.so.6"));
  EXPECT_TRUE(facts.has_debug_info);
  EXPECT_TRUE(facts.is_position_independent);
}

TEST(ElfFacts, SaysWhatIsNoElfFile) {
  const TemporaryDirectory folder;
  folder.put("text", "#!/bin/sh\n");
  folder.put("empty", "");
  for (const char* name : {"text", "empty"}) {
    EXPECT_EQ(elf_facts(folder.path() / name).needed.missing().reason, "not-elf");
    EXPECT_EQ(elf_facts(folder.path() / name).build_id.missing().reason, "not-elf");
  }
  EXPECT_EQ(elf_facts(folder.path() / "none").tools.missing().reason, "unreadable");
}

// Bytes changed at random and files cut anywhere: whatever comes out, nothing is read beyond them.
TEST(ElfFacts, LivesThroughDamagedFiles) {
  const TemporaryDirectory folder;
  const std::string whole = own_program();
  std::mt19937_64 random(1);
  // The tables: the headers at the front, those of the sections at the end.
  const std::string front = whole.substr(0, 4096);
  for (int i = 0; i < 400; ++i) {
    std::string damaged = front;
    for (int change = 0; change < 1 + i % 8; ++change) {
      damaged[random() % (i % 2 == 0 ? 64 : damaged.size())] = static_cast<char>(random());
    }
    damaged.resize(i % 3 == 0 ? random() % damaged.size() : damaged.size());
    folder.put("damaged", damaged);
    elf_facts(folder.path() / "damaged");
  }
  for (int i = 0; i < 20; ++i) {
    std::string damaged = whole;
    for (int change = 0; change < 64; ++change) {
      damaged[damaged.size() - 1 - random() % 4096] = static_cast<char>(random());
    }
    folder.put("damaged", damaged);
    elf_facts(folder.path() / "damaged");
  }
}

TEST(LoadedLibraries, AreThoseOfTheProcess) {
  const Json libraries = loaded_libraries(Sources("/"), ::getpid());
  ASSERT_TRUE(libraries.contains("value")) << libraries;
  bool has_libc = false;
  for (const Json& each : libraries.at("value")) {
    if (each.at("file").get<std::string>().find("libc.so") == std::string::npos) continue;
    has_libc = true;
    EXPECT_FALSE(each.value("build_id", std::string()).empty());
  }
  EXPECT_TRUE(has_libc) << libraries;
}

TEST(LoadedLibraries, ReadsTheKernelsMap) {
  const TemporaryDirectory root;
  root.put("proc/7/maps",
           "5500-5510 r-xp 00000000 fe:00 1 /usr/bin/program\n"
           "7f00-7f10 r--p 00000000 fe:00 2 /usr/lib/libdata.so\n"
           "7f10-7f20 r-xp 00001000 fe:00 3                        /usr/lib/lib with blanks.so\n"
           "7f20-7f30 r-xp 00001000 fe:00 3 /usr/lib/lib with blanks.so\n"
           "7f30-7f40 r-xp 00000000 fe:00 4 /usr/lib/libgone.so (deleted)\n"
           "7f40-7f50 rwxp 00000000 00:00 0 \n"
           "ffff-ffff r-xp 00000000 00:00 0 [vdso]\n"
           "x\n");
  root.link("proc/7/exe", "/usr/bin/program");
  EXPECT_EQ(loaded_libraries(Sources(root.path()), 7).at("value"),
            Json::array({Json{{"file", "/usr/lib/lib with blanks.so"}},
                         Json{{"file", "/usr/lib/libgone.so (deleted)"}}}));
  EXPECT_EQ(loaded_libraries(Sources(root.path()), 8).at("missing"), "no-such-file");
}

}  // namespace
}  // namespace assay::env
