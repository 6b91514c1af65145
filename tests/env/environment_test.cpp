// SPDX-License-Identifier: MIT
#include "assay/env/environment.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "assay/base/sources.hpp"
#include "support.hpp"

namespace assay::env {
namespace {

// A machine as its kernel would describe it.
class FakeMachine : public testing::Test {
 protected:
  FakeMachine() {
    root_.put("proc/cpuinfo",
              "processor\t: 0\nmodel name\t: A Processor @ 2.00GHz\nmicrocode\t: 0x2b\n"
              "flags\t\t: fpu hypervisor sse2\n\nprocessor\t: 1\nmodel name\t: Another\n");
    root_.put("proc/self/status", "Name:\tassay\nCpus_allowed_list:\t0-1,3\n");
    root_.put("proc/self/cmdline", std::string("assay\0run\0caf\xe9\0", 15));
    root_.put("proc/self/environ", std::string("OMP_NUM_THREADS=4\0SECRET=x\0LD_PRELOAD=\0", 40));
    root_.put("proc/meminfo", "MemTotal:       16384000 kB\nMemAvailable:    1000 kB\n");
    root_.put("proc/stat", "cpu  10 0 10 60 10 0 0 10 5 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
    root_.put("proc/loadavg", "0.75 0.50 0.25 1/100 1234\n");
    root_.put("proc/1/cgroup", "0::/\n");
    root_.put("proc/self/cgroup", "0::/\n");
    root_.put("proc/sys/kernel/hostname", "bench-1\n");
    root_.put("proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
    root_.put("proc/sys/kernel/randomize_va_space", "2\n");
    root_.put("etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n");
    root_.put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    cpu("online", "0-3\n");
    cpu("smt/active", "1\n");
    cpu("intel_pstate/no_turbo", "0\n");
    for (const char* each : {"cpu0", "cpu1", "cpu2", "cpu3"}) {
      cpu(std::string(each) + "/cpufreq/scaling_governor", "performance\n");
    }
    root_.put("sys/devices/system/node/online", "0-1\n");
    root_.put("sys/fs/cgroup/cpu.max", "150000 100000\n");
  }
  void cpu(const std::string& name, const std::string& text) const {
    root_.put("sys/devices/system/cpu/" + name, text);
  }
  Json reading(const char* section, const char* name) const {
    return environment_of_this_machine(root_.path()).at(section).at(name);
  }
  Json value(const char* section, const char* name) const {
    const Json found = reading(section, name);
    return found.contains("value") ? found["value"] : found;
  }
  std::string reason(const char* section, const char* name) const {
    return reading(section, name).value("missing", "it is there");
  }

  const TemporaryDirectory root_;
};

TEST_F(FakeMachine, IsReadWithWhereEachFactStood) {
  EXPECT_EQ(reading("cpu", "model"),
            (Json{{"value", "A Processor @ 2.00GHz"}, {"source", "/proc/cpuinfo: model name"}}));
  EXPECT_EQ(environment_of_this_machine(root_.path()).at("format"), "assay-environment/1");
}

TEST_F(FakeMachine, HasItsProcessors) {
  EXPECT_EQ(value("cpu", "microcode"), "0x2b");
  EXPECT_EQ(value("cpu", "online_cpus"), 4);
  EXPECT_EQ(value("cpu", "allowed_cpus"), "0-1,3");
  EXPECT_EQ(value("cpu", "allowed_cpu_count"), 3);
  EXPECT_EQ(value("cpu", "smt_active"), true);
  EXPECT_EQ(value("cpu", "turbo"), true);
  EXPECT_EQ(value("cpu", "governor"), "performance");
  EXPECT_EQ(value("cpu", "numa_nodes"), 2);
  EXPECT_EQ(value("cpu", "virtual"), true);
}

TEST_F(FakeMachine, NamesEveryGovernorThatIsInForce) {
  cpu("cpu2/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(value("cpu", "governor"), "performance,powersave");
}

TEST_F(FakeMachine, HasItsMemoryAndSystem) {
  EXPECT_EQ(value("memory", "total_bytes"), 16384000LL * 1024);
  EXPECT_EQ(value("memory", "transparent_huge_pages"), "madvise");
  EXPECT_EQ(value("system", "hostname"), "bench-1");
  EXPECT_EQ(value("system", "kernel"), "6.1.0-13-amd64");
  EXPECT_EQ(value("system", "os"), "Debian GNU/Linux 12");
  EXPECT_EQ(value("system", "address_space_randomisation"), 2);
}

TEST_F(FakeMachine, HasItsLoadAndItsLimits) {
  EXPECT_EQ(value("load", "load_1min"), 0.75);
  EXPECT_EQ(value("load", "steal_frac_since_boot"), 0.1);
  EXPECT_EQ(value("confinement", "cgroup_cpus"), 1.5);
  root_.put("sys/fs/cgroup/cpu.max", "max 100000\n");
  EXPECT_EQ(reason("confinement", "cgroup_cpus"), "not-limited");
  EXPECT_EQ(reason("confinement", "container"), "not-found");
  root_.put(".dockerenv", "");
  EXPECT_EQ(value("confinement", "container"), "docker");
}

TEST_F(FakeMachine, KeepsOnlyTheVariablesThatMatter) {
  EXPECT_EQ(value("process", "variables"), (Json{{"OMP_NUM_THREADS", "4"}, {"LD_PRELOAD", ""}}));
}

TEST_F(FakeMachine, WritesAsJsonWhateverItsArgumentsHold) {
  EXPECT_EQ(value("process", "command_line"), Json::array({"assay", "run", "caf\xef\xbf\xbd"}));
  EXPECT_NO_THROW(json_text(environment_of_this_machine(root_.path())));
}

TEST_F(FakeMachine, SaysWhyAFactIsMissing) {
  std::filesystem::remove(root_.path() / "sys/devices/system/cpu/smt/active");
  EXPECT_EQ(reason("cpu", "smt_active"), "no-such-file");
  root_.put("proc/sys/kernel/randomize_va_space", "two\n");
  EXPECT_EQ(reason("system", "address_space_randomisation"), "not-understood");
  EXPECT_EQ(reason("memory", "swap_total_bytes"), "no-such-field");
  cpu("online", "3-1\n");
  EXPECT_EQ(reason("cpu", "online_cpus"), "not-understood");
}

// Whoever reads a record looks a fact up there.
TEST(ReferencePage, NamesEveryFact) {
  std::ostringstream page;
  page << std::ifstream(ASSAY_TEST_PAGE).rdbuf();
  const Json now = environment_of_this_machine();
  for (const auto& [section, content] : now.items()) {
    if (!content.is_object()) continue;
    EXPECT_THAT(page.str(), testing::HasSubstr("## " + section + "\n"));
    for (const auto& [fact, reading] : content.items()) {
      EXPECT_THAT(page.str(), testing::HasSubstr("`" + fact + "`")) << section;
    }
  }
}

TEST(EmptyRoot, HasNoFactOfItsFiles) {
  const TemporaryDirectory root;
  const Json environment = environment_of_this_machine(root.path());
  for (const char* section :
       {"cpu", "topology", "memory", "accelerators", "load", "confinement", "process"}) {
    for (const auto& [name, reading] : environment.at(section).items()) {
      EXPECT_TRUE(reading.contains("missing")) << section << "." << name << ": " << reading;
      EXPECT_TRUE(reading.contains("source")) << section << "." << name;
    }
  }
}

TEST_F(FakeMachine, KeepsItsFingerprintWhileOnlyItsLoadChanges) {
  const std::string before = machine_fingerprint(environment_of_this_machine(root_.path()));
  root_.put("proc/loadavg", "9.99 9 9 1/100 1234\n");
  root_.put("proc/meminfo", "MemTotal:       32384100 kB\n");
  EXPECT_EQ(machine_fingerprint(environment_of_this_machine(root_.path())), before);
}

TEST_F(FakeMachine, HasAnotherFingerprintThanOthers) {
  const std::string before = machine_fingerprint(environment_of_this_machine(root_.path()));
  for (const auto& [file, text] : {std::pair{"proc/sys/kernel/hostname", "bench-2\n"},
                                   {"proc/sys/kernel/osrelease", "6.1.0-14-amd64\n"},
                                   {"sys/devices/system/cpu/online", "0-2\n"},
                                   {"etc/machine-id", "0123456789abcdef0123456789abcdef\n"},
                                   {"proc/cpuinfo", "model name\t: B Processor\n"}}) {
    const std::string name = file;
    std::ostringstream old;
    const bool was_there = std::filesystem::exists(root_.path() / name);
    old << std::ifstream(root_.path() / name).rdbuf();
    root_.put(name, text);
    EXPECT_NE(machine_fingerprint(environment_of_this_machine(root_.path())), before) << name;
    if (was_there) {
      root_.put(name, old.str());
    } else {
      std::filesystem::remove(root_.path() / name);
    }
  }
  EXPECT_EQ(machine_fingerprint(environment_of_this_machine(root_.path())), before);
}

TEST_F(FakeMachine, KeepsItsFingerprintInAContainerOfAnotherName) {
  root_.put(".dockerenv", "");
  const std::string before = machine_fingerprint(environment_of_this_machine(root_.path()));
  root_.put("proc/sys/kernel/hostname", "f00ba4\n");
  EXPECT_EQ(machine_fingerprint(environment_of_this_machine(root_.path())), before);
}

TEST(MachineFingerprint, ReadsBackFromAFile) {
  const Json now = environment_of_this_machine();
  EXPECT_EQ(machine_fingerprint(parse_json(json_text(now), "environment.json")),
            machine_fingerprint(now));
  EXPECT_EQ(machine_fingerprint(Json::object()).size(), 64U);
}

TEST(ListFrom, ReadsTheKernelsListsOfProcessors) {
  EXPECT_EQ(*list_from("0-2,5"), (std::vector<int>{0, 1, 2, 5}));
  for (const char* text : {"", "a", "1-", "-1", "2-1", "0-99999999999"}) {
    EXPECT_FALSE(list_from(text).has_value()) << text;
  }
}

TEST(BytesFrom, ReadsTheKernelsUnits) {
  EXPECT_EQ(*bytes_from("48K"), 49152);
  EXPECT_EQ(*bytes_from("3 kB"), 3072);
  EXPECT_EQ(*bytes_from("2M"), 2097152);
  for (const char* text : {"", "K", "1 parsec", "9223372036854775807K"}) {
    EXPECT_FALSE(bytes_from(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace assay::env
