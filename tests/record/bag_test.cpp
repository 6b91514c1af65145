// SPDX-License-Identifier: MIT
#include "assay/record/bag.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "assay/base/digest.hpp"
#include "assay/base/random.hpp"
#include "support.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class Bag : public testing::Test {
 protected:
  Bag() {
    put(bag_ / "data/a.csv", "x\n1\n");
    put(bag_ / "data/logs/b.log", "");
    put(bag_ / "data/100% \n.txt", "odd name");
    write_bag(bag_, {{"Bagging-Date", "2026-11-29"}, {"External-Identifier", "two\nlines"}});
  }
  std::vector<std::string> differences() const { return bag_differences(bag_); }

  const TemporaryDirectory directory_;
  const fs::path bag_ = directory_ / "bag";
};

TEST(EncodedPath, EncodesLineEndsAndPercentOnly) {
  EXPECT_EQ(encoded_path("a b\r\n%é\t"), "a b%0D%0A%25é\t");
  EXPECT_EQ(decoded_path("a%0d%0A%25%41%"), "a\r\n%%41%");
  const std::string odd = "%0A%\n%25\r";
  EXPECT_EQ(decoded_path(encoded_path(odd)), odd);
}

TEST(IsUtf8, TakesWholeCharactersOnly) {
  EXPECT_TRUE(is_utf8("aé–𝄞"));
  for (const char* text : {"\xff", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(is_utf8(text)) << sha256_hex(text);
  }
}

TEST_F(Bag, HasTheTagFilesOfBagIt) {
  EXPECT_EQ(text_of(bag_ / "bagit.txt"),
            "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
  EXPECT_EQ(text_of(bag_ / "bag-info.txt"),
            "Bagging-Date: 2026-11-29\nExternal-Identifier: two lines\nPayload-Oxum: 12.3\n");
  EXPECT_EQ(text_of(bag_ / "manifest-sha256.txt"),
            sha256_hex("odd name") + "  data/100%25 %0A.txt\n" + sha256_hex("x\n1\n") +
                "  data/a.csv\n" + sha256_hex("") + "  data/logs/b.log\n");
}

TEST_F(Bag, IsIntactAsWritten) {
  EXPECT_THAT(differences(), IsEmpty());
  EXPECT_TRUE(is_bag(bag_));
}

TEST_F(Bag, NamesAFileThatWasChanged) {
  put(bag_ / "data/a.csv", "x\n2\n");
  EXPECT_THAT(differences(),
              testing::ElementsAre(AllOf(HasSubstr("data/a.csv"), HasSubstr("changed"))));
}

TEST_F(Bag, NamesAFileThatIsMissing) {
  fs::remove(bag_ / "data/a.csv");
  EXPECT_THAT(differences(), Contains(AllOf(HasSubstr("data/a.csv"), HasSubstr("missing"))));
  EXPECT_THAT(differences(), Contains(HasSubstr("Payload-Oxum is 12.3")));
}

TEST_F(Bag, NamesAFileThatWasAdded) {
  put(bag_ / "data/new.txt", "1");
  EXPECT_THAT(differences(), Contains(AllOf(HasSubstr("data/new.txt"), HasSubstr("added"))));
  EXPECT_THAT(differences(), Contains(HasSubstr("13.4")));
}

TEST_F(Bag, NamesATagFileThatWasChangedOrAddedOrRemoved) {
  put(bag_ / "notes.txt", "later thoughts");
  fs::remove(bag_ / "bagit.txt");
  put(bag_ / "bag-info.txt", text_of(bag_ / "bag-info.txt") + "Contact-Name: nobody\n");
  EXPECT_THAT(differences(), testing::UnorderedElementsAre(
                                 AllOf(HasSubstr("notes.txt"), HasSubstr("added")),
                                 AllOf(HasSubstr("bagit.txt"), HasSubstr("missing")),
                                 AllOf(HasSubstr("bag-info.txt"), HasSubstr("changed"))));
}

TEST_F(Bag, MissesItsOwnManifests) {
  fs::remove(bag_ / tag_manifest_name);
  EXPECT_THAT(differences(), testing::ElementsAre("tagmanifest-sha256.txt is missing"));
  fs::remove(bag_ / manifest_name);
  EXPECT_THAT(differences(), Contains("manifest-sha256.txt is missing"));
  EXPECT_FALSE(is_bag(bag_));
}

TEST_F(Bag, DoesNotReadWhatItsManifestNamesElsewhere) {
  put(directory_ / "outside", "x");
  const std::string manifest = text_of(bag_ / manifest_name);
  for (const char* path : {"../outside", "data/../../outside", "/etc/passwd", ""}) {
    put(bag_ / manifest_name, manifest + sha256_hex("x") + "  " + path + "\n");
    EXPECT_THAT(differences(), Contains(HasSubstr("manifest-sha256.txt:4: not a SHA-256"))) << path;
  }
}

TEST_F(Bag, FindsEveryChangedByte) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(bag_)) {
    if (entry.is_regular_file() && entry.file_size() > 0) files.push_back(entry);
  }
  std::sort(files.begin(), files.end());
  Random random(11);
  for (const auto& file : files) {
    const std::string text = text_of(file);
    for (int round = 0; round < 20; ++round) {
      std::string changed = text;
      const std::size_t at = random.next_below(text.size());
      changed[at] = static_cast<char>(changed[at] ^ (1 << random.next_below(8)));
      put(file, changed);
      EXPECT_THAT(differences(), testing::Not(IsEmpty())) << file << " byte " << at;
    }
    put(file, text);
  }
  EXPECT_THAT(differences(), IsEmpty());
}

TEST_F(Bag, SaysWhatItsInfoSays) {
  EXPECT_EQ(bag_info(bag_, "Bagging-Date"), "2026-11-29");
  EXPECT_EQ(bag_info(bag_, "Contact-Name"), std::nullopt);
  EXPECT_EQ(bag_info(directory_ / "nowhere", "Bagging-Date"), std::nullopt);
}

TEST_F(Bag, KeepsItsNameInADirectoryOfAnother) {
  EXPECT_EQ(record_name(bag_), "two lines");
  fs::remove(bag_ / manifest_name);
  EXPECT_EQ(record_name(bag_), bag_.filename()) << "what is not sealed may still be renamed";
  EXPECT_EQ(record_name(bag_.string() + "/"), bag_.filename());
  EXPECT_EQ(record_name(""), "");
}

TEST(WriteBag, RefusesWhatNoBagCanHold) {
  const TemporaryDirectory directory;
  put(directory / "data/a", "1");
  fs::create_symlink("a", directory / "data/link");
  EXPECT_THAT(refusal_of(ErrorKind::bad_input, [&] { write_bag(directory.path(), {}); }),
              HasSubstr("data/link"));
  fs::remove(directory / "data/link");
  put(directory / "data/\xff", "1");
  EXPECT_THAT(refusal_of(ErrorKind::bad_input, [&] { write_bag(directory.path(), {}); }),
              HasSubstr("UTF-8"));
}

TEST_F(Bag, NamesALinkThatTookTheWayOfAFile) {
  fs::rename(bag_ / "data/a.csv", directory_ / "a.csv");
  fs::create_symlink(directory_ / "a.csv", bag_ / "data/a.csv");
  EXPECT_THAT(differences(), Contains(HasSubstr("data/a.csv is missing")));
}

}  // namespace
}  // namespace assay::record
