// SPDX-License-Identifier: MIT
#include "assay/run/generated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "assay/base/digest.hpp"

namespace assay::run {
namespace {

namespace fs = std::filesystem;
using testing::SizeIs;

class GeneratedTest : public testing::Test {
 protected:
  GeneratedTest()
      : directory_(fs::temp_directory_path() /
                   ("assay-generated-test-" + std::to_string(getpid()))),
        writer_(record::Writer::create(directory_, "test", "20260101T000000Z", "{}\n",
                                       "2026-01-01T00:00:00Z", "")) {
    std::ofstream(directory_ / "k.cubin", std::ios::binary) << "machine code";
    made_.subject = "tiled";
    made_.kernel = "sum";
    made_.cubin_sha256 = sha256_hex("machine code");
    made_.ptx_sha256 = std::string(64, 'c');
    made_.source_sha256 = std::string(64, 'a');
    made_.cubin_file = (directory_ / "k.cubin").string();
    made_.ptx_file = Missing{"not-writable", "no room"};
  }
  ~GeneratedTest() override { fs::remove_all(directory_); }

  void keep(GeneratedCode& code, const wire::Generated& made, const std::string& case_id = "n=1") {
    code.keep(writer_, {made}, "program", "sum", case_id, 0);
  }
  Json kernels() const {
    std::ifstream stream(writer_.data() / GeneratedCode::file);
    return Json::parse(stream).at("kernels");
  }

  fs::path directory_;
  record::Writer writer_;
  wire::Generated made_;
};

TEST_F(GeneratedTest, IsListedWithACopyUnderItsDigest) {
  GeneratedCode code;
  keep(code, made_);
  ASSERT_THAT(kernels(), SizeIs(1));
  const Json entry = kernels()[0];
  EXPECT_EQ(entry.at("subject"), "tiled");
  EXPECT_EQ(entry.at("build"), "program");
  EXPECT_EQ(entry.at("cubin").at("value"), made_.cubin_sha256 + ".cubin");
  EXPECT_EQ(sha256_hex_of_file(writer_.data() / "generated" / (made_.cubin_sha256 + ".cubin")),
            made_.cubin_sha256);
  EXPECT_EQ(entry.at("ptx").at("missing"), "not-writable");
  EXPECT_FALSE(entry.contains("cubin_file"));
}

TEST_F(GeneratedTest, IsKeptOnceAndAgainWhereItDiffers) {
  GeneratedCode code;
  keep(code, made_);
  made_.is_from_cache = true;
  made_.obtained_ns = 5;
  keep(code, made_);
  EXPECT_THAT(kernels(), SizeIs(1));
  keep(code, made_, "n=2");
  made_.registers = 40;
  keep(code, made_, "n=2");
  EXPECT_THAT(kernels(), SizeIs(3));
}

TEST_F(GeneratedTest, IsNotCopiedWhereTheFileIsAnother) {
  GeneratedCode code;
  made_.cubin_sha256 = std::string(64, 'b');
  keep(code, made_);
  EXPECT_EQ(kernels()[0].at("cubin").at("missing"), "changed");
  made_.cubin_file = (directory_ / "gone").string();
  keep(code, made_, "n=2");
  EXPECT_EQ(kernels()[1].at("cubin").at("missing"), "unreadable");
}

TEST_F(GeneratedTest, GoesOnWithTheListOfAnInterruptedRecord) {
  GeneratedCode before;
  keep(before, made_);
  GeneratedCode after;
  keep(after, made_);
  EXPECT_THAT(kernels(), SizeIs(1));
  keep(after, made_, "n=2");
  EXPECT_THAT(kernels(), SizeIs(2));
}

}  // namespace
}  // namespace assay::run
