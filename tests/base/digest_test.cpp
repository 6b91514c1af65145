// SPDX-License-Identifier: MIT
#include "assay/base/digest.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "assay/base/error.hpp"

namespace assay {
namespace {

// FIPS 180-4, examples of NIST.
constexpr const char* digest_of_nothing =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* digest_of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* digest_of_million_a =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

class DigestOfFile : public testing::Test {
 protected:
  DigestOfFile() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("assay-digest-") + test->name() + "-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
  }
  DigestOfFile(const DigestOfFile&) = delete;
  DigestOfFile& operator=(const DigestOfFile&) = delete;
  ~DigestOfFile() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& bytes) const {
    auto file = folder_ / "file";
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

  std::filesystem::path folder_;
};

TEST(Digest, GivesThePublishedValues) {
  EXPECT_EQ(sha256_hex(""), digest_of_nothing);
  EXPECT_EQ(sha256_hex("abc"), digest_of_abc);
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')), digest_of_million_a);
}

TEST(Digest, IsTheSamePieceByPiece) {
  Sha256 digest;
  digest.add("a", 1);
  digest.add("", 0);
  digest.add("bc", 2);
  EXPECT_EQ(digest.hex(), digest_of_abc);
}

TEST(Digest, KeepsItsStateWhenMoved) {
  Sha256 first;
  first.add("ab", 2);
  Sha256 second(std::move(first));
  second.add("c", 1);
  EXPECT_EQ(second.hex(), digest_of_abc);
}

TEST_F(DigestOfFile, IsTheDigestOfItsBytes) {
  EXPECT_EQ(sha256_hex_of_file(write("abc")), digest_of_abc);
  EXPECT_EQ(sha256_hex_of_file(write("")), digest_of_nothing);
}

TEST_F(DigestOfFile, ReadsFilesLongerThanOneBuffer) {
  EXPECT_EQ(sha256_hex_of_file(write(std::string(1'000'000, 'a'))), digest_of_million_a);
}

TEST_F(DigestOfFile, RefusesAFileThatIsNotThere) {
  try {
    sha256_hex_of_file(folder_ / "absent");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_NE(std::string(error.what()).find((folder_ / "absent").string()), std::string::npos);
  }
}

TEST_F(DigestOfFile, RefusesADirectory) { EXPECT_THROW(sha256_hex_of_file(folder_), Error); }

}  // namespace
}  // namespace assay
