// SPDX-License-Identifier: MIT
#include "assay/wire/mark.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "assay/wire/messages.hpp"

namespace {

using assay::wire::Mark;

TEST(Mark, NamesNobodyAtFirst) { EXPECT_EQ(Mark::create().subject(), ""); }

TEST(Mark, NamesWhatWasSetLast) {
  Mark mark = Mark::create();
  mark.set("a-long-name");
  mark.set("short");
  EXPECT_EQ(mark.subject(), "short");
  mark.set("");
  EXPECT_EQ(mark.subject(), "");
}

TEST(Mark, CutsANameThatIsTooLong) {
  Mark mark = Mark::create();
  mark.set(std::string(10000, 'x'));
  EXPECT_EQ(mark.subject(), std::string(4095, 'x'));
}

TEST(Mark, OutlivesTheWorkerThatSetIt) {
  Mark mark = Mark::create();
  const pid_t child = fork();
  if (child == 0) {
    setenv(assay::wire::mark_fd_variable, std::to_string(mark.fd()).c_str(), 1);
    Mark inherited = Mark::from_environment();
    inherited.set("culprit");
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(mark.subject(), "culprit");
}

TEST(Mark, NotesNothingWithoutTheVariable) {
  unsetenv(assay::wire::mark_fd_variable);
  Mark mark = Mark::from_environment();
  mark.set("x");
  EXPECT_EQ(mark.subject(), "");
  EXPECT_EQ(mark.fd(), -1);
}

TEST(Mark, NotesNothingWhereTheVariableNamesSomethingElse) {
  for (const char* value : {"", "abc", "-1", "2", "99999"}) {
    setenv(assay::wire::mark_fd_variable, value, 1);
    Mark mark = Mark::from_environment();
    mark.set("x");
    EXPECT_EQ(mark.fd(), -1) << value;
  }
  unsetenv(assay::wire::mark_fd_variable);
}

}  // namespace
