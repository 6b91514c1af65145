// SPDX-License-Identifier: MIT
#include "assay/record/files.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>

#include "support.hpp"

namespace assay::record {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The error's code, or 0 if nothing was refused.
template <typename F>
long write_code_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.kind() == ErrorKind::write ? error.native_code() : -1;
  }
  return 0;
}

void limit_files_to(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(AppendFile, NeverTakesOverAFileThatExists) {
  const TemporaryDirectory directory;
  put(directory / "a", "old");
  EXPECT_THAT(refusal_of(ErrorKind::write, [&] { AppendFile::create(directory / "a"); }),
              AllOf(HasSubstr((directory / "a").string()), HasSubstr("File exists")));
  EXPECT_EQ(text_of(directory / "a"), "old");
}

TEST(AppendFile, IsOnTheFileSystemWhenAppendReturns) {
  const TemporaryDirectory directory;
  AppendFile file = AppendFile::create(directory / "a");
  file.append("1\n");
  file.append("2\n");
  EXPECT_EQ(text_of(directory / "a"), "1\n2\n");
  EXPECT_EQ(file.size_bytes(), 4U);
}

TEST(AppendFile, GoesOnAtTheEndOfAnExistingFile) {
  const TemporaryDirectory directory;
  put(directory / "a", "1\n2");
  AppendFile file = AppendFile::reopen(directory / "a");
  file.cut_to(2);
  file.append("3\n");
  EXPECT_EQ(text_of(directory / "a"), "1\n3\n");
}

TEST(AppendFile, SaysThatTheDiskIsFull) {
  AppendFile file = AppendFile::reopen("/dev/full");
  EXPECT_THAT(refusal_of(ErrorKind::write, [&] { file.append("row\n"); }),
              AllOf(HasSubstr("/dev/full"), HasSubstr("No space left"), HasSubstr("Make room")));
}

TEST(AppendFile, KeepsWholeLinesWhenAWriteFailsInTheMiddle) {
  const TemporaryDirectory directory;
  EXPECT_EQ(exit_status_in_child([&] {
              AppendFile file = AppendFile::create(directory / "a");
              file.append("first\n");
              limit_files_to(14);
              return static_cast<int>(write_code_of([&] { file.append("second\nthird\n"); }));
            }),
            EFBIG);
  EXPECT_EQ(text_of(directory / "a"), "first\nsecond\n");
}

TEST(AppendFile, SurvivesTheSignalOfALimitOnFiles) {
  const TemporaryDirectory directory;
  EXPECT_EQ(exit_status_in_child([&] {
              std::signal(SIGXFSZ, SIG_DFL);
              limit_files_to(4);
              AppendFile file = AppendFile::create(directory / "a");
              const long code = write_code_of([&] { file.append("longer than that\n"); });
              // A signal that stayed pending would end the process here.
              sigset_t all;
              sigfillset(&all);
              ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
              return static_cast<int>(code);
            }),
            EFBIG);
}

TEST(WriteFile, IsWholeOrNotThereAtAll) {
  const TemporaryDirectory directory;
  EXPECT_EQ(exit_status_in_child([&] {
              limit_files_to(4);
              return static_cast<int>(
                  write_code_of([&] { write_file(directory / "a", "longer", IfThere::refuse); }));
            }),
            EFBIG);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(WriteFile, KeepsTheOldContentWhenTheNewOneDoesNotFit) {
  const TemporaryDirectory directory;
  put(directory / "a", "old");
  EXPECT_EQ(exit_status_in_child([&] {
              limit_files_to(4);
              return static_cast<int>(
                  write_code_of([&] { write_file(directory / "a", "longer", IfThere::replace); }));
            }),
            EFBIG);
  EXPECT_EQ(text_of(directory / "a"), "old");
}

TEST(WriteFile, ReplacesOnlyWhenAsked) {
  const TemporaryDirectory directory;
  write_file(directory / "a", "1", IfThere::refuse);
  EXPECT_EQ(write_code_of([&] { write_file(directory / "a", "2", IfThere::refuse); }), EEXIST);
  EXPECT_EQ(text_of(directory / "a"), "1");
  write_file(directory / "a", "3", IfThere::replace);
  EXPECT_EQ(text_of(directory / "a"), "3");
  EXPECT_FALSE(std::filesystem::exists(directory / ".a.part"));
}

TEST(WriteFile, DoesNotFollowALinkInPlaceOfItsTemporaryFile) {
  const TemporaryDirectory directory;
  put(directory / "elsewhere", "old");
  std::filesystem::create_symlink(directory / "elsewhere", directory / ".a.part");
  EXPECT_EQ(write_code_of([&] { write_file(directory / "a", "new", IfThere::refuse); }), ELOOP);
  EXPECT_EQ(text_of(directory / "elsewhere"), "old");
}

TEST(MakeDirectory, SaysWhetherTheNameWasTaken) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(make_directory(directory / "a"));
  EXPECT_FALSE(make_directory(directory / "a"));
  EXPECT_EQ(write_code_of([&] { make_directory(directory / "b/c"); }), ENOENT);
}

TEST(ReadFile, NamesTheFileThatItCannotRead) {
  EXPECT_THAT(refusal_of(ErrorKind::bad_input, [] { read_file("/no/such/file"); }),
              HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace assay::record
