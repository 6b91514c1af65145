// SPDX-License-Identifier: MIT
#include "assay/base/temporary_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <memory>
#include <vector>

#include "assay/base/error.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Kind = TemporaryPath::Kind;

void fill(const TemporaryPath& folder) {
  fs::create_directories(folder.path() / "a record" / "data");
  std::ofstream(folder.path() / "a record" / "data" / "plan.json") << "{}";
}

TEST(TemporaryPath, IsGoneWithItsObject) {
  fs::path file;
  fs::path folder;
  {
    const TemporaryPath a(Kind::file);
    const TemporaryPath b(Kind::folder);
    file = a.path();
    folder = b.path();
    EXPECT_TRUE(fs::is_regular_file(file));
    fill(b);
  }
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(fs::exists(folder));
}

TEST(TemporaryPath, IsRemovedByWhomASignalEnds) {
  const TemporaryPath file(Kind::file);
  const TemporaryPath folder(Kind::folder);
  fill(folder);
  remove_temporary_paths();
  EXPECT_FALSE(fs::exists(file.path()));
  EXPECT_FALSE(fs::exists(folder.path()));
}

TEST(TemporaryPath, OfAnObjectThatIsGoneIsLeftToWhoeverHasTheNameNow) {
  fs::path path;
  {
    const TemporaryPath own(Kind::file);
    path = own.path();
  }
  std::ofstream(path) << "another's";
  remove_temporary_paths();
  EXPECT_TRUE(fs::exists(path));
  fs::remove(path);
}

TEST(TemporaryPath, MayBeOneOfMany) {
  std::vector<std::unique_ptr<TemporaryPath>> many;
  for (int i = 0; i < 20; ++i) many.push_back(std::make_unique<TemporaryPath>(Kind::file));
  const fs::path last = many.back()->path();
  many.clear();
  EXPECT_FALSE(fs::exists(last));
  const TemporaryPath again(Kind::file);
  remove_temporary_paths();
  EXPECT_FALSE(fs::exists(again.path())) << "the places of those that are gone are free";
}

TEST(TemporaryPath, SaysWhereItCannotBe) {
  const char* before = getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nonexistent", 1);
  try {
    const TemporaryPath none(Kind::folder);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::write);
    EXPECT_THAT(error.what(), testing::HasSubstr("TMPDIR"));
  }
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

}  // namespace
}  // namespace assay
