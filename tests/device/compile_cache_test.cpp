// SPDX-License-Identifier: MIT
#include "assay/device/cuda/compile_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "assay/base/error.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace assay;
using namespace assay::device;
using namespace assay::device::cuda;
namespace fs = std::filesystem;
using testing::HasSubstr;

// Compiles to a text that names what it was given, and counts.
struct Compiler {
  Compiled operator()(const SourceCode& code) const {
    ++*count;
    Compiled compiled;
    compiled.architecture = code.architecture;
    compiled.compiler = "fake 1.0";
    compiled.options = code.options;
    compiled.cubin = std::string(
                         "\x7f"
                         "ELF\0",
                         5) +
                     code.source;
    compiled.ptx = "// " + code.source;
    compiled.log = "said nothing";
    compiled.compile_ns = 12345;
    compiled.lowered_names["k"] = "_Z1k";
    return compiled;
  }
  std::shared_ptr<std::atomic<int>> count = std::make_shared<std::atomic<int>>(0);
};

SourceCode some_code() {
  return {"__global__ void k() {}", "k.cu", {"-DN=1", "-DM=2"}, "sm_90", {"k"}};
}

struct CacheFixture : testing::Test {
  Obtained get(const SourceCode& code, bool is_forced = false,
               const std::string& name = "fake 1.0") {
    return CompileCache(folder.path() / "cache", is_forced).get(code, name, {}, compiler);
  }
  std::string key(const SourceCode& code, const std::string& name = "fake 1.0") {
    return cache_key(code, name, {}).value();
  }
  TemporaryFolder folder;
  Compiler compiler;
};

using CompileCacheTest = CacheFixture;

TEST_F(CompileCacheTest, GivesTheSameTheSecondTimeWithoutCompiling) {
  const Obtained first = get(some_code());
  const Obtained second = get(some_code());
  EXPECT_EQ(*compiler.count, 1);
  EXPECT_FALSE(first.is_from_cache);
  EXPECT_TRUE(second.is_from_cache);
  EXPECT_EQ(second.compiled.cubin, first.compiled.cubin);
  EXPECT_EQ(second.compiled.ptx, first.compiled.ptx);
  EXPECT_EQ(second.compiled.log, first.compiled.log);
  EXPECT_EQ(second.compiled.options, first.compiled.options);
  EXPECT_EQ(second.compiled.lowered_names, first.compiled.lowered_names);
  EXPECT_EQ(second.compiled.compile_ns, 12345);
  EXPECT_EQ(*second.key, *first.key);
  EXPECT_EQ(TemporaryFolder::read(*second.cubin_file), first.compiled.cubin);
  EXPECT_EQ(TemporaryFolder::read(*second.ptx_file), first.compiled.ptx);
}

TEST_F(CompileCacheTest, TellsApartWhateverTheResultDependsOn) {
  const std::string base = key(some_code());
  EXPECT_EQ(base.size(), 64U);
  const auto changed = [&](auto change) {
    SourceCode code = some_code();
    change(code);
    return key(code);
  };
  EXPECT_NE(base, changed([](SourceCode& code) { code.source += " "; }));
  EXPECT_NE(base, changed([](SourceCode& code) { code.architecture = "sm_80"; }));
  EXPECT_NE(base, changed([](SourceCode& code) { code.options = {"-DM=2", "-DN=1"}; }));
  EXPECT_NE(base, changed([](SourceCode& code) { code.options = {"-DN=1 -DM=2"}; }));
  EXPECT_NE(base, changed([](SourceCode& code) { code.names = {"k", "l"}; }));
  EXPECT_NE(base, key(some_code(), "fake 1.1"));
  EXPECT_EQ(base, key(some_code()));
}

TEST_F(CompileCacheTest, CompilesAnewWhenAnIncludedFileChanges) {
  SourceCode code = some_code();
  code.file_name = (folder.path() / "k.cu").string();
  code.source = "#include \"n.h\"\n";
  folder.write("n.h", "#define N 1\n");
  get(code);
  folder.write("n.h", "#define N 2\n");
  EXPECT_FALSE(get(code).is_from_cache);
  folder.write("n.h", "#define N 1\n");
  EXPECT_TRUE(get(code).is_from_cache);
  EXPECT_EQ(*compiler.count, 2);
}

TEST_F(CompileCacheTest, CompilesEveryTimeWhereTheKeyCannotBeTold) {
  SourceCode code = some_code();
  code.source = "#include HEADER\n";
  get(code);
  const Obtained second = get(code);
  EXPECT_FALSE(second.is_from_cache);
  EXPECT_EQ(second.key.missing().reason, "computed-include");
  EXPECT_EQ(second.cubin_file.missing().reason, "computed-include");
  code = some_code();
  code.options = {"--use-pch=x"};
  EXPECT_EQ(get(code).key.missing().reason, "option");
  EXPECT_EQ(*compiler.count, 3);
}

TEST_F(CompileCacheTest, ReplacesAnEntryThatIsDamaged) {
  const std::string expected = get(some_code()).compiled.cubin;
  const std::string entry = (folder.path() / "cache" / key(some_code())).string();
  const auto damage = [&](const std::string& ending, auto change) {
    SCOPED_TRACE(ending);
    std::string text = TemporaryFolder::read(entry + ending);
    change(text);
    std::ofstream(entry + ending, std::ios::binary) << text;
    const Obtained again = get(some_code());
    EXPECT_FALSE(again.is_from_cache);
    EXPECT_EQ(again.compiled.cubin, expected);
    EXPECT_TRUE(get(some_code()).is_from_cache);
  };
  for (const char* ending : {".json", ".cubin", ".ptx"}) {
    damage(ending, [](std::string& text) { text.resize(text.size() / 2); });
    damage(ending, [](std::string& text) { text.clear(); });
    damage(ending, [](std::string& text) { text[text.size() / 2] ^= 1; });
    fs::remove(entry + ending);
    EXPECT_FALSE(get(some_code()).is_from_cache);
  }
  // A value that is as good JSON as the one before.
  damage(".json", [](std::string& text) { text.replace(text.find("12345"), 5, "12346"); });
}

TEST_F(CompileCacheTest, GoesOnWithoutAFolderThatCanBeWritten) {
  folder.write("file", "");
  const CompileCache cache(folder.path() / "file" / "cache");
  const Obtained obtained = cache.get(some_code(), "fake 1.0", {}, compiler);
  EXPECT_THAT(obtained.compiled.ptx, HasSubstr("void k()"));
  EXPECT_FALSE(obtained.is_from_cache);
  EXPECT_EQ(obtained.cubin_file.missing().reason, "not-writable");
  EXPECT_THAT(obtained.cubin_file.missing().detail, HasSubstr("ASSAY_CACHE_DIR"));
  const CompileCache none(Missing{"no-folder", "nowhere"});
  EXPECT_EQ(none.get(some_code(), "fake 1.0", {}, compiler).key.missing().reason, "no-folder");
}

TEST_F(CompileCacheTest, ReadsNothingWhenForced) {
  get(some_code());
  EXPECT_FALSE(get(some_code(), true).is_from_cache);
  EXPECT_EQ(*compiler.count, 2);
  EXPECT_TRUE(get(some_code()).is_from_cache);
}

TEST_F(CompileCacheTest, KeepsNothingOfWhatCannotBeCompiled) {
  const CompileCache cache(folder.path() / "cache");
  const auto fails = [](const SourceCode&) -> Compiled {
    throw Error(ErrorKind::bad_input, "no such luck");
  };
  EXPECT_THROW(cache.get(some_code(), "fake 1.0", {}, fails), Error);
  EXPECT_FALSE(get(some_code()).is_from_cache);
}

TEST_F(CompileCacheTest, ServesManyWritersAtOnce) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const Obtained obtained = get(some_code(), round % 2 == 0);
        if (obtained.compiled.ptx != "// __global__ void k() {}") ++wrong;
        if (!obtained.cubin_file.has_value()) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(get(some_code()).is_from_cache);
  // Nothing half written is left behind.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "cache"), {}), 3);
}

// The folder and the force come from these variables alone.
TEST_F(CompileCacheTest, IsFoundByTheEnvironment) {
  ASSERT_EQ(setenv("ASSAY_CACHE_DIR", folder.path().c_str(), 1), 0);
  const auto in = [&] {
    return CompileCache::from_environment().get(some_code(), "fake 1.0", {}, compiler);
  };
  EXPECT_EQ(in().cubin_file->parent_path(), folder.path());
  EXPECT_TRUE(in().is_from_cache);
  ASSERT_EQ(setenv("ASSAY_FORCE_COMPILE", "1", 1), 0);
  EXPECT_FALSE(in().is_from_cache);
  unsetenv("ASSAY_FORCE_COMPILE");
  unsetenv("ASSAY_CACHE_DIR");
}

}  // namespace
