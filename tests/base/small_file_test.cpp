// SPDX-License-Identifier: MIT
#include "assay/base/small_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace assay {
namespace {

class SmallFile : public testing::Test {
 protected:
  SmallFile() { std::filesystem::create_directories(folder_); }
  ~SmallFile() override { std::filesystem::remove_all(folder_); }
  std::string reason(const std::filesystem::path& file) const {
    const auto read = read_small_file(file, 200'000);
    return read ? "read" : read.missing().reason;
  }
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("assay-small-file-" + std::to_string(getpid()));
};

TEST_F(SmallFile, GivesAllBytesUpToTheLimit) {
  std::string text(200'000, 'x');
  text[70'000] = '\0';
  text[70'001] = '\r';
  std::ofstream(folder_ / "most", std::ios::binary) << text;
  EXPECT_EQ(*read_small_file(folder_ / "most", 200'000), text);
  std::ofstream(folder_ / "empty");
  EXPECT_EQ(*read_small_file(folder_ / "empty", 200'000), "");
  std::ofstream(folder_ / "more", std::ios::binary) << text << "y";
  EXPECT_EQ(reason(folder_ / "more"), "too-large");
}

TEST_F(SmallFile, IsNeitherAFolderNorADeviceNorAPipe) {
  EXPECT_EQ(reason(folder_ / "nowhere"), "no-such-file");
  EXPECT_EQ(reason(folder_), "not-a-file");
  EXPECT_EQ(reason("/dev/zero"), "not-a-file");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(reason(folder_ / "pipe"), "not-a-file");
  std::filesystem::create_symlink("/dev/zero", folder_ / "link");
  EXPECT_EQ(reason(folder_ / "link"), "not-a-file");
  std::filesystem::create_symlink(folder_ / "loop", folder_ / "loop");
  EXPECT_EQ(reason(folder_ / "loop"), "unreadable");
}

}  // namespace
}  // namespace assay
