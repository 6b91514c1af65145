// SPDX-License-Identifier: MIT
#include "assay/record/archive.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "support.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t limit_bytes = 1000;

class Archive : public testing::Test {
 protected:
  std::vector<std::string> archive() const { return archive_folder(source_, target_, limit_bytes); }

  const TemporaryDirectory directory_;
  const fs::path source_ = directory_ / "experiment";
  const fs::path target_ = directory_ / "record/data/source";
};

TEST_F(Archive, CopiesFilesInTheirFolders) {
  put(source_ / "experiment.toml", "name = \"sum\"\n");
  put(source_ / "src/kernel.cpp", "int main() {}\n");
  put(source_ / "empty.txt", "");
  EXPECT_THAT(archive(), IsEmpty());
  EXPECT_EQ(text_of(target_ / "experiment.toml"), "name = \"sum\"\n");
  EXPECT_EQ(text_of(target_ / "src/kernel.cpp"), "int main() {}\n");
  EXPECT_EQ(text_of(target_ / "empty.txt"), "");
}

TEST_F(Archive, LeavesOutWhatIsBuiltOrIsARecord) {
  put(source_ / "kernel.cpp", "");
  put(source_ / "build/kernel.o", "");
  put(source_ / "out/CMakeCache.txt", "");
  put(source_ / "records/sum-1/data/plan.json", "");
  put(source_ / "kept/data/plan.json", "");
  put(source_ / ".git/HEAD", "");
  EXPECT_THAT(archive(), ElementsAre(".git: the history; the environment names the revision",
                                     "build: a build folder", "kept: holds records",
                                     "out: a build folder", "records: holds records"));
  EXPECT_FALSE(fs::exists(target_ / "build"));
  EXPECT_TRUE(fs::exists(target_ / "kernel.cpp"));
}

TEST_F(Archive, LeavesOutWhatIsTooLarge) {
  put(source_ / "large.bin", std::string(1001, 'x'));
  put(source_ / "just.bin", std::string(1000, 'x'));
  EXPECT_THAT(archive(), ElementsAre("large.bin: 1001 bytes are above the limit of 1000"));
  EXPECT_TRUE(fs::exists(target_ / "just.bin"));
}

TEST_F(Archive, EndsWhenTheWholeIsTooLarge) {
  for (int i = 10; i < 28; ++i) put(source_ / std::to_string(i), std::string(1000, 'x'));
  EXPECT_THAT(archive(), ElementsAre("26: the archive is full", "27: the archive is full"));
}

TEST_F(Archive, HoldsWhatALinkPointsAt) {
  put(directory_ / "shared.hpp", "shared");
  put(source_ / "a.cpp", "");
  fs::create_symlink(directory_ / "shared.hpp", source_ / "shared.hpp");
  fs::create_directory_symlink(source_, source_ / "loop");
  fs::create_symlink("nowhere", source_ / "dangling");
  EXPECT_THAT(archive(), ElementsAre("dangling: not a file", "loop: a link to a folder"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(target_ / "shared.hpp")));
  EXPECT_EQ(text_of(target_ / "shared.hpp"), "shared");
}

TEST_F(Archive, LeavesOutPipesAndNamesThatNoManifestCanHold) {
  fs::create_directories(source_);
  ASSERT_EQ(::mkfifo((source_ / "pipe").c_str(), 0600), 0);
  put(source_ / "bad\xff", "");
  EXPECT_THAT(archive(), ElementsAre("bad?: its name is not UTF-8", "pipe: not a file"));
  EXPECT_FALSE(fs::exists(target_)) << "a folder without files";
}

TEST_F(Archive, KeepsScriptsExecutable) {
  put(source_ / "go.sh", "#!/bin/sh\n");
  fs::permissions(source_ / "go.sh", fs::perms::owner_exec, fs::perm_options::add);
  archive();
  EXPECT_NE(fs::status(target_ / "go.sh").permissions() & fs::perms::owner_exec, fs::perms::none);
}

TEST_F(Archive, TakesASingleFile) {
  put(source_ / "one.txt", "1");
  EXPECT_THAT(archive_folder(source_ / "one.txt", target_ / "one.txt", limit_bytes), IsEmpty());
  EXPECT_EQ(text_of(target_ / "one.txt"), "1");
}

TEST_F(Archive, RefusesToMixWithWhatIsThere) {
  put(source_ / "a", "");
  put(target_ / "b", "");
  EXPECT_THAT(refusal_of(ErrorKind::write, [&] { archive(); }), HasSubstr(target_.string()));
  refusal_of(ErrorKind::bad_input,
             [&] { archive_folder(directory_ / "absent", directory_ / "c", limit_bytes); });
}

}  // namespace
}  // namespace assay::record
