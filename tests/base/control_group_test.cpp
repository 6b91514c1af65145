// SPDX-License-Identifier: MIT
#include "assay/base/control_group.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/base/temporary_path.hpp"

namespace assay {
namespace {

using testing::ElementsAre;

class ControlGroupOf : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text) const {
    const auto file = root_.path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  Reading<GroupFolders> folders(const std::string& controller) const {
    return group_folders(sources_, controller);
  }

  TemporaryPath root_{TemporaryPath::Kind::folder};
  Sources sources_{root_.path()};
};

TEST_F(ControlGroupOf, IsOfVersionTwoUpToTheTop) {
  put("proc/self/cgroup", "0::/user.slice/job\n");
  put("sys/fs/cgroup/user.slice/job/memory.max", "max\n");
  put("sys/fs/cgroup/user.slice/memory.max", "4096\n");
  const auto found = folders("memory");
  EXPECT_EQ(found->version, 2);
  EXPECT_THAT(found->folders, ElementsAre("/sys/fs/cgroup/user.slice/job",
                                          "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"));
  EXPECT_EQ(group_memory_limit(sources_, 2, found->folders[0]).missing().reason, "not-limited");
  EXPECT_EQ(*group_memory_limit(sources_, 2, found->folders[1]), 4096);
  EXPECT_EQ(group_memory_limit(sources_, 2, found->folders[2]).missing().reason, "no-such-file");
}

TEST_F(ControlGroupOf, IsWhereTheControllerIsIfBothVersionsAreMounted) {
  put("proc/self/cgroup", "3:memory:/a\n2:cpu,cpuacct:/job\n0::/other\n");
  put("sys/fs/cgroup/cpu,cpuacct/job/cpu.stat", "");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(folders("cpu")->version, 1);
  EXPECT_THAT(folders("cpu")->folders,
              ElementsAre("/sys/fs/cgroup/cpu,cpuacct/job", "/sys/fs/cgroup/cpu,cpuacct"));
  // Of a group that is not seen from here the top is left.
  EXPECT_THAT(folders("memory")->folders, ElementsAre("/sys/fs/cgroup/memory"));
  EXPECT_EQ(group_memory_limit(sources_, 1, "/sys/fs/cgroup/memory").missing().reason,
            "not-limited");
  EXPECT_EQ(folders("cpuset")->version, 2);
}

TEST_F(ControlGroupOf, NeverLeadsOutOfTheHierarchy) {
  put("proc/self/cgroup", "0::/../../outside\n");
  EXPECT_THAT(folders("cpu")->folders, ElementsAre("/sys/fs/cgroup"));
}

TEST_F(ControlGroupOf, FindsTheNearestFileElseWhereItWouldBe) {
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/b/other", "");
  EXPECT_EQ(nearest_of_group(sources_, *folders("cpu"), "cpu.stat"), "/sys/fs/cgroup/a/b/cpu.stat");
  put("sys/fs/cgroup/a/cpu.stat", "");
  EXPECT_EQ(nearest_of_group(sources_, *folders("cpu"), "cpu.stat"), "/sys/fs/cgroup/a/cpu.stat");
}

TEST_F(ControlGroupOf, IsMissingWithTheReason) {
  EXPECT_EQ(folders("cpu").missing().reason, "no-such-file");
  put("proc/self/cgroup", "garbage\n::\n0::\n4:memory:no-slash\n");
  EXPECT_EQ(folders("memory").missing().reason, "no-such-field");
}

}  // namespace
}  // namespace assay
