// SPDX-License-Identifier: MIT
#include "assay/profile/ncu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "assay/base/error.hpp"
#include "companions.hpp"
#include "support.hpp"

namespace assay::profile {
namespace {

using record::put;
using testing::Contains;
using testing::HasSubstr;

struct Installed {
  Installed() {
    put(program,
        "#!/bin/sh\necho 'NVIDIA (R) Nsight Compute'\necho 'Version 2025.3.1.0 (build 1)'\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    options.path = program.string();
    options.device = "cuda";
  }
  std::string metrics_of_command() {
    const auto words = open_tool(ncu_name, options)->command({"/x/p", "--once"}, "/raw");
    const auto at = std::find(words.begin(), words.end(), "--metrics");
    return at == words.end() ? "" : *(at + 1);
  }
  record::TemporaryDirectory folder;
  std::filesystem::path program = folder.path() / "ncu";
  ToolOptions options;
};

TEST(Ncu, LeavesClocksAndCachesAloneAndRunsTheProgramForEachPass) {
  Installed installed;
  const auto tool = open_tool(ncu_name, installed.options);
  EXPECT_EQ(tool->identity().version, "Version 2025.3.1.0 (build 1)");
  const std::string line = [&] {
    std::string text;
    for (const auto& word : tool->command({"/x/p", "--once"}, "/raw")) text += word + " ";
    return text;
  }();
  EXPECT_THAT(line, HasSubstr("--profile-from-start off"));
  EXPECT_THAT(line, HasSubstr("--clock-control none --cache-control none"));
  EXPECT_THAT(line, HasSubstr("--replay-mode application"));
  EXPECT_THAT(line, testing::EndsWith("--export /raw/report /x/p --once "));
  EXPECT_THAT(tool->afterwards("/raw").words, Contains("/raw/report.ncu-rep"));
}

TEST(Ncu, AsksForTheUsualMetricsAndForThoseThatTheExperimentDeclares) {
  Installed installed;
  installed.options.declared = {"lts__t_sectors_op_write.sum", "dram__bytes_write.sum",
                                "instructions"};
  const std::string names = installed.metrics_of_command();
  EXPECT_THAT(names, HasSubstr("dram__bytes_read.sum,dram__bytes_write.sum,"));
  EXPECT_THAT(names, testing::EndsWith(",lts__t_sector_hit_rate.pct,lts__t_sectors_op_write.sum"));
  EXPECT_THAT(open_tool(ncu_name, installed.options)->notes(), Contains(HasSubstr("instructions")));
  installed.options.metrics = {"sm__cycles_elapsed.max"};
  EXPECT_EQ(installed.metrics_of_command(), "sm__cycles_elapsed.max");
}

TEST(Ncu, RefusesOptionsThatMakeNoSense) {
  const auto refused = [](auto&& change) {
    Installed installed;
    change(installed.options);
    EXPECT_THROW(open_tool(ncu_name, installed.options), Error);
  };
  refused([](ToolOptions& options) { options.device = "cpu"; });
  refused([](ToolOptions& options) { options.metrics = {"dram__bytes.sum,sm__cycles.sum"}; });
  refused([](ToolOptions& options) { options.metrics = {"regex:.*"}; });
  refused([](ToolOptions& options) { options.replay = "range"; });
  refused([](ToolOptions& options) { options.events = {"INSTRUCTIONS"}; });
  EXPECT_THROW(open_tool("perf", {"", "cpu", {}, {"dram__bytes_read.sum"}, {}, ""}), Error);
}

struct LeftByNcu {
  LeftByNcu() {
    companion.tool.name = ncu_name;
    companion.metrics = {{"dram__bytes_read.sum", "byte", "", true},
                         {"lts__t_sector_hit_rate.pct", "%", "", false}};
    companion.runs.resize(1);
    run().calls = 1;
    run().raw.clear();
  }
  LeftByNcu& file(const std::string& name, const std::string& text) {
    put(folder.path() / "raw/0001" / name, text);
    run().raw.push_back("raw/0001/" + name);
    return *this;
  }
  record::CounterRun& run() { return companion.runs[0]; }
  std::vector<record::Counter> counters() { return counters_of(companion, run(), folder.path()); }
  record::TemporaryDirectory folder;
  record::Companion companion = record::some_companion();
};

constexpr const char* header = "ID,Kernel Name,dram__bytes_read.sum,lts__t_sector_hit_rate.pct\n";

TEST(Ncu, CountsOfOneKernelAreThoseOfTheCall) {
  LeftByNcu left;
  left.file("report.ncu-rep", "").file("ncu.csv", std::string(header) + "0,copy,64,25\n");
  const auto counters = left.counters();
  ASSERT_EQ(counters.size(), 4U);
  EXPECT_EQ(counters[0].launch, 0);
  EXPECT_EQ(*counters[0].value, 64);
  EXPECT_EQ(counters[1].kernel, "copy");
  EXPECT_EQ(*counters[2].value, 25);
}

TEST(Ncu, CountsOfSeveralKernelsAddUpWhereTheyAreCounts) {
  LeftByNcu left;
  left.file("report.ncu-rep", "").file("ncu.csv", std::string(header) + "0,a,64,25\n1,b,36,75\n");
  const auto counters = left.counters();
  ASSERT_EQ(counters.size(), 6U);
  EXPECT_EQ(*counters[0].value, 100);
  EXPECT_EQ(counters[3].value.missing().reason, "not-additive");
  EXPECT_EQ(*counters[5].value, 75);
  EXPECT_EQ(counters[5].launch, 2);
}

TEST(Ncu, SaysWhyNothingWasCounted) {
  const auto reason = [](LeftByNcu& left) { return left.counters().at(0).value.missing().reason; };
  LeftByNcu silent;
  EXPECT_EQ(reason(silent), "nothing-counted");
  LeftByNcu empty;
  empty.file("report.ncu-rep", "").file("ncu.csv", header);
  EXPECT_EQ(reason(empty), "nothing-counted");
  LeftByNcu forbidden;
  forbidden.file("program.log", "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n");
  EXPECT_EQ(reason(forbidden), "not-permitted");
  LeftByNcu failed;
  failed.run().end = record::ProcessEnd{false, 9};
  failed.file("program.log", "==ERROR== Failed to find metric lts__steam.sum\nbye\n");
  EXPECT_EQ(reason(failed), "program-failed");
  EXPECT_THAT(failed.run().missing[0].detail, HasSubstr("lts__steam.sum"));
  LeftByNcu other;
  other.file("report.ncu-rep", "").file("ncu.csv", "ID,Kernel Name,a__b.sum\n0,copy,1\n");
  EXPECT_EQ(reason(other), "not-reported");
  LeftByNcu garbled;
  garbled.file("report.ncu-rep", "").file("ncu.csv", "==ERROR== cannot import\n");
  EXPECT_EQ(reason(garbled), "unreadable");
}

}  // namespace
}  // namespace assay::profile
