// SPDX-License-Identifier: MIT
#include "assay/device/cuda/includes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/digest.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace assay;
using namespace assay::device;
using namespace assay::device::cuda;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names_of(const Reading<std::vector<IncludedFile>>& found) {
  std::vector<std::string> names;
  for (const IncludedFile& file : found.value()) names.push_back(file.path.filename().string());
  return names;
}

TEST(IncludedFiles, AreFoundBesideTheSourceAndFromThereOn) {
  const TemporaryFolder folder;
  folder.write("a.cuh", "  #  include \"deep/b.cuh\"\n");
  folder.write("deep/b.cuh", "#include \"c.cuh\"\n#include \"../a.cuh\"\n");
  folder.write("deep/c.cuh", "int c;\n");
  const auto found =
      included_files("#include \"a.cuh\"\nint x;\n", (folder.path() / "k.cu").string(), {}, {});
  EXPECT_THAT(names_of(found), ElementsAre("a.cuh", "b.cuh", "c.cuh"));
  EXPECT_EQ(found->back().sha256, sha256_hex("int c;\n"));
}

TEST(IncludedFiles, AreFoundInTheFoldersOfEveryFormOfTheOption) {
  const TemporaryFolder folder;
  for (const char* name : {"one", "two", "three", "four"}) {
    folder.write(std::string(name) + "/" + name + ".h", "");
  }
  folder.write("pre.h", "");
  folder.write("toolkit/half.h", "");
  const std::string base = folder.path().string();
  const auto found = included_files(
      "#include <one.h>\n#include \"two.h\"\n#include <three.h>\n#include <four.h>\n"
      "#include <half.h>\n",
      "k.cu",
      {"-I" + base + "/one", "-I", base + "/two", "--include-path=" + base + "/three",
       "--include-path", base + "/four", "--pre-include=" + base + "/pre.h"},
      {base + "/toolkit"});
  EXPECT_THAT(names_of(found),
              ElementsAre("pre.h", "one.h", "two.h", "three.h", "four.h", "half.h"));
}

TEST(IncludedFiles, ThatAreNowhereAreLeftToTheCompiler) {
  EXPECT_THAT(
      names_of(included_files("#include <cuda/std/array>\n#include \"gone.h\"", "k.cu", {}, {})),
      IsEmpty());
}

TEST(IncludedFiles, ThatAreNamedByAMacroCannotBeTold) {
  const auto found = included_files("#define H \"a.h\"\n#include H\n", "k.cu", {}, {});
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.missing().reason, "computed-include");
  const TemporaryFolder folder;
  folder.write("h/sort.cuh", "#include SORT_FOR_SYSTEM\n");
  const auto by = [&](std::vector<std::string> options,
                      std::vector<std::filesystem::path> toolkit) {
    return included_files("#include <sort.cuh>\n", "k.cu", options, toolkit);
  };
  EXPECT_FALSE(by({"-I" + (folder.path() / "h").string()}, {}).has_value());
  // In the toolkit it is another file of the toolkit.
  EXPECT_THAT(names_of(by({}, {folder.path() / "h"})), ElementsAre("sort.cuh"));
  EXPECT_TRUE(included_files("// #include guards help\n// what we #include here\n#includes\n",
                             "k.cu", {}, {})
                  .has_value());
}

}  // namespace
