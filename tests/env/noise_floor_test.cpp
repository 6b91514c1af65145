// SPDX-License-Identifier: MIT
#include "assay/env/noise_floor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

#include "support.hpp"

namespace assay::env {
namespace {

using testing::HasSubstr;

NoiseFloor entry_of(const std::string& fingerprint, double floor) {
  NoiseFloor entry;
  entry.machine_fingerprint = fingerprint;
  entry.hostname = "host-" + fingerprint;
  entry.device = "cpu";
  entry.floor = floor;
  entry.resolvable = 0.5 * floor;
  entry.trials = 64;
  entry.measured_utc = "2025-11-29T21:44:05+00:00";
  entry.assay_version = "0.1.0";
  entry.seed = (std::uint64_t{1} << 60) + 1;  // no double holds it
  entry.record = "/somewhere/records/noise-floor-1";
  entry.record_digest = std::string(64, 'a');
  entry.kernels = {{"noise-sum/n=4096/warm/call", 250.5, -1e-4, 0.003, 64, floor, 0.5 * floor}};
  return entry;
}

std::string trouble(const TemporaryDirectory& directory) {
  try {
    read_noise_floors(directory.path());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

TEST(NoiseFloorFile, GivesBackWhatWasWritten) {
  const TemporaryDirectory directory;
  const NoiseFloor entry = entry_of("one", 0.0123);
  const auto file = write_noise_floor(directory.path() / "made" / "as needed", entry);
  EXPECT_EQ(file, directory.path() / "made" / "as needed" / "noise-floor.json");
  const auto read = noise_floor_of(file.parent_path(), "one", "cpu");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, entry);
}

TEST(NoiseFloorFile, HoldsOneEntryForEachMachineAndDevice) {
  const TemporaryDirectory directory;
  NoiseFloor fake = entry_of("one", 0.5);
  fake.device = "fake";
  for (const auto& entry :
       {entry_of("one", 0.01), fake, entry_of("two", 0.02), entry_of("one", 0.03)}) {
    write_noise_floor(directory.path(), entry);
  }
  EXPECT_EQ(read_noise_floors(directory.path()).size(), 3U);
  EXPECT_EQ(noise_floor_of(directory.path(), "one", "cpu")->floor, 0.03);
  EXPECT_EQ(noise_floor_of(directory.path(), "one", "fake")->floor, 0.5);
  EXPECT_EQ(noise_floor_of(directory.path(), "two", "cpu")->floor, 0.02);
}

TEST(NoiseFloorFile, LeavesNothingBesideIt) {
  const TemporaryDirectory directory;
  write_noise_floor(directory.path(), entry_of("one", 0.01));
  expect_writable(noise_floor_file, directory.path());
  for (const auto& found : std::filesystem::directory_iterator(directory.path())) {
    const std::string name = found.path().filename();
    EXPECT_TRUE(name == "noise-floor.json" || name == ".noise-floor.json.lock") << name;
  }
}

// Each process has read the file before another writes it, unless reading and writing are one.
TEST(NoiseFloorFile, KeepsTheEntriesOfAllWhoWriteAtOnce) {
  const TemporaryDirectory directory;
  constexpr int processes = 4;
  constexpr int entries = 10;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int i = 0; i < entries; ++i) {
        write_noise_floor(directory.path(),
                          entry_of(std::to_string(process) + "-" + std::to_string(i), 0.01));
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_noise_floors(directory.path()).size(), std::size_t{processes} * entries);
}

TEST(NoiseFloorFile, IsLeftWhereTheEarlierEntryIsToStay) {
  const TemporaryDirectory directory;
  const auto write = [&](double floor) {
    return write_noise_floor_unless(directory.path(), entry_of("one", floor),
                                    [](const NoiseFloor& earlier) { return earlier.floor < 0.02; });
  };
  EXPECT_FALSE(write(0.03));
  EXPECT_FALSE(write(0.01));
  const auto kept = write(0.04);
  ASSERT_TRUE(kept);
  EXPECT_EQ(*kept, entry_of("one", 0.01));
  EXPECT_EQ(noise_floor_of(directory.path(), "one", "cpu")->floor, 0.01);
}

TEST(NoiseFloorFile, IsKnownToBeWritableBeforeItIsWritten) {
  const TemporaryDirectory directory;
  const auto folder = directory.path() / "made" / "as needed";
  expect_writable(noise_floor_file, folder);
  EXPECT_TRUE(read_noise_floors(folder).empty());
  directory.put("a-file", "");
  try {
    expect_writable(noise_floor_file, directory.path() / "a-file");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::write);
    EXPECT_THAT(error.what(), HasSubstr("a-file"));
    EXPECT_THAT(error.what(), HasSubstr("ASSAY_STATE_DIR"));
  }
}

TEST(NoiseFloorFile, IsNotMeasuredWhereThereIsNoFile) {
  const TemporaryDirectory directory;
  const auto none = noise_floor_of(directory.path(), "one", "cpu");
  EXPECT_EQ(none.missing().reason, "not-measured");
  EXPECT_THAT(none.missing().detail, HasSubstr("assay doctor --noise"));
}

TEST(NoiseFloorFile, OfAnotherMachineIsNotUsedAndSaysWhose) {
  const TemporaryDirectory directory;
  write_noise_floor(directory.path(), entry_of("two", 0.02));
  const auto none = noise_floor_of(directory.path(), "one", "cpu");
  EXPECT_EQ(none.missing().reason, "other-machine");
  EXPECT_THAT(none.missing().detail, HasSubstr("host-two"));
  EXPECT_THAT(none.missing().detail, HasSubstr("assay doctor --noise"));
  EXPECT_EQ(noise_floor_of(directory.path(), "two", "fake").missing().reason, "not-measured");
}

TEST(NoiseFloorFile, ThatIsDamagedSaysWhatToDo) {
  const TemporaryDirectory directory;
  write_noise_floor(directory.path(), entry_of("one", 0.01));
  const std::string good = json_text({{"format", noise_floor_format},
                                      {"machines", Json::array({to_json(entry_of("one", 0.01))})}});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  directory.put("noise-floor.json", good);
  EXPECT_EQ(trouble(directory), "");
  for (const std::string& text :
       {std::string(), good.substr(0, good.size() / 2), std::string("[]"),
        with("assay-noise-floor/1", "assay-noise-floor/9"),
        with("\"floor_frac\": 0.01", "\"floor_frac\": -0.01"),
        with("\"floor_frac\": 0.01", "\"floor_frac\": 1e308"),
        with("\"resolvable_frac\": 0.005", "\"resolvable_frac\": 101"),
        with("\"sd_log_ratio\": 0.003", "\"sd_log_ratio\": -0.003"),
        with("\"call_ns\": 250.5", "\"call_ns\": -250.5"),
        with("\"trials\": 64", "\"trials\": -64"), with("\"trials\": 64", "\"trials\": 0"),
        with("2025-11-29T", "2099-11-29T"), with("2025-11-29T", "9999-11-29T"),
        with("T21:44:05", "T21:99:05"), with("\"floor_frac\": 0.01", "\"floor_frac\": \"small\""),
        with("\"trials\"", "\"trails\""), with("2025-11-29T", "2025-02-30T"),
        with("1152921504606846977", "-3")}) {
    directory.put("noise-floor.json", text);
    EXPECT_THAT(trouble(directory), HasSubstr("noise-floor.json")) << text;
    EXPECT_THAT(trouble(directory), HasSubstr("Delete the file")) << text;
    EXPECT_THROW(write_noise_floor(directory.path(), entry_of("one", 0.01)), Error);
  }
}

TEST(NoiseFloorFile, WithoutEndIsNotRead) {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("/dev/zero", directory.path() / "noise-floor.json");
  EXPECT_THAT(trouble(directory), HasSubstr("Delete the file"));
}

TEST(NoiseFloorFile, ThatIsAFolderIsDamaged) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "noise-floor.json");
  EXPECT_THAT(trouble(directory), HasSubstr("not a file"));
}

TEST(NoiseFloorFile, ThatCannotBeWrittenNamesThePlace) {
  const TemporaryDirectory directory;
  directory.put("taken", "a file where a directory should be");
  try {
    write_noise_floor(directory.path() / "taken", entry_of("one", 0.01));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("taken"));
  }
}

TEST(NoiseFloorFile, AgesInWholeDays) {
  using namespace std::chrono;
  const auto measured = sys_days(year(2025) / November / 29) + hours(21) + minutes(44) + seconds(5);
  const NoiseFloor entry = entry_of("one", 0.01);
  EXPECT_EQ(*age_days(entry, measured), 0);
  EXPECT_EQ(*age_days(entry, measured + days(1) - seconds(1)), 0);
  EXPECT_EQ(*age_days(entry, measured + days(45)), 45);
}

class StateDirectory : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"ASSAY_STATE_DIR", "XDG_STATE_HOME", "HOME"}) {
      const char* value = getenv(name);
      before_.emplace_back(name, value == nullptr ? "" : value);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) {
      value.empty() ? unsetenv(name) : setenv(name, value.c_str(), 1);
    }
  }
  std::vector<std::pair<const char*, std::string>> before_;
};

TEST_F(StateDirectory, IsTheFirstThatTheEnvironmentNames) {
  EXPECT_EQ(state_directory().missing().reason, "no-state-directory");
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(*state_directory(), "/home/someone/.local/state/assay");
  setenv("XDG_STATE_HOME", "not/absolute", 1);
  EXPECT_EQ(*state_directory(), "/home/someone/.local/state/assay");
  setenv("XDG_STATE_HOME", "/var/state", 1);
  EXPECT_EQ(*state_directory(), "/var/state/assay");
  setenv("ASSAY_STATE_DIR", "/elsewhere", 1);
  EXPECT_EQ(*state_directory(), "/elsewhere");
}

}  // namespace
}  // namespace assay::env
