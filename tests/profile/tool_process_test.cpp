// SPDX-License-Identifier: MIT
#include "assay/profile/tool_process.hpp"

#include <gtest/gtest.h>

#include "assay/base/temporary_path.hpp"
#include "assay/run/flood.hpp"
#include "support.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shell(const std::string& text) { return {"/bin/sh", "-c", text}; }

TEST(ToolProcess, SaysHowItEndedAndKeepsWhatItPrinted) {
  const TemporaryPath folder(TemporaryPath::Kind::folder);
  const auto end = carried_out(shell("echo a; echo b >&2; exit 3"), folder.path() / "log", {});
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->by_signal);
  EXPECT_EQ(end->code, 3);
  EXPECT_EQ(record::text_of(folder.path() / "log"), "a\nb\n");
}

TEST(ToolProcess, IsStoppedWhenItPrintsWithoutEnd) {
  const TemporaryPath folder(TemporaryPath::Kind::folder);
  const auto end = carried_out(shell("exec yes"), folder.path() / "log", {});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.missing().reason, "printed-too-much");
  EXPECT_EQ(fs::file_size(folder.path() / "log"), run::kept_bytes_of_flood);
}

// What it printed is looked at when it has ended too: the answer is not one of how fast it was.
TEST(ToolProcess, HasPrintedTooMuchHoweverSoonItEnds) {
  const TemporaryPath folder(TemporaryPath::Kind::folder);
  const auto words = shell("head -c 16777217 /dev/zero");
  EXPECT_EQ(carried_out(words, folder.path() / "log", {}).missing().reason, "printed-too-much");
  ProcessLimits unbounded;
  unbounded.is_output_bounded = false;
  EXPECT_TRUE(carried_out(words, folder.path() / "table", unbounded));
  EXPECT_EQ(fs::file_size(folder.path() / "table"), run::most_printed_bytes + 1);
}

TEST(ToolProcess, IsStoppedInTheMiddle) {
  const TemporaryPath folder(TemporaryPath::Kind::folder);
  ProcessLimits limits;
  limits.interrupted = [] { return true; };
  const auto end = carried_out(shell("exec sleep 600"), folder.path() / "log", limits);
  EXPECT_EQ(end.missing().reason, "interrupted");
}

TEST(ToolFolder, GoesAwayWithWhatIsInIt) {
  fs::path path;
  {
    const TemporaryPath folder(TemporaryPath::Kind::folder);
    path = folder.path();
    EXPECT_TRUE(path.is_absolute());
    record::put(path / "deeper/file", "7");
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace assay::profile
