// SPDX-License-Identifier: MIT
#include "assay/env/fitness.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "assay/env/environment.hpp"
#include "support.hpp"

namespace assay::env {
namespace {

using testing::HasSubstr;

Json reading(Json content) { return Json{{"value", std::move(content)}, {"source", "a test"}}; }

// A machine that leaves nothing to wish for.
Json good() {
  return Json{
      {"cpu",
       {{"governor", reading("performance")},
        {"turbo", reading(false)},
        {"smt_active", reading(false)},
        {"online_cpus", reading(16)},
        {"allowed_cpu_count", reading(16)},
        {"virtual", reading(false)},
        {"numa_nodes", reading(1)}}},
      {"load", {{"pressure_cpu_frac", reading(0.0)}, {"steal_frac_since_boot", reading(0.0)}}},
      {"system", {{"clock_source", reading("tsc")}}},
      {"confinement", {{"cgroup_cpus", Json{{"missing", "not-limited"}}}}},
      {"assay", {{"sanitizer", reading("none")}, {"optimised", reading(true)}}}};
}

FitnessCheck check_of(const Json& environment, const std::string& slug) {
  const auto checks = fitness_of(environment);
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const FitnessCheck& check) { return check.slug == slug; });
  return found == checks.end() ? FitnessCheck{"absent", Fitness::unknown, "", "", ""} : *found;
}

TEST(FitnessOf, FindsNothingOnAGoodMachine) {
  const auto checks = fitness_of(good());
  for (const FitnessCheck& check : checks) EXPECT_EQ(check.fitness, Fitness::fit) << check.slug;
  EXPECT_EQ(overall(checks), Fitness::fit);
  EXPECT_EQ(summary(checks), "fit");
  EXPECT_GE(checks.size(), 6U);
}

TEST(FitnessOf, TellsNothingOfWhatIsNotKnown) {
  for (const Json& environment :
       {Json(), Json::object(), Json{{"cpu", 7}, {"load", Json::array()}}}) {
    const auto checks = fitness_of(environment);
    for (const FitnessCheck& check : checks) {
      EXPECT_TRUE(check.fitness == Fitness::unknown) << check.slug;
    }
    EXPECT_EQ(summary(checks), "fit");
  }
}

// A record may come from anywhere.
TEST(FitnessOf, LivesThroughWrongTypes) {
  for (const Json& odd :
       {Json(7), Json(), Json::array(), Json{{"missing", 7}}, Json{{"missing", Json()}},
        Json{{"value", Json::object()}}, Json{{"value", true}, {"source", 7}}}) {
    const Json whole = good();
    for (const auto& [section, content] : whole.items()) {
      for (const auto& [fact, unused] : content.items()) {
        Json environment = whole;
        environment[section][fact] = odd;
        EXPECT_NO_THROW(summary(fitness_of(environment))) << section << "." << fact << " " << odd;
      }
    }
  }
}

struct Change {
  const char* section;
  const char* fact;
  Json value;
  const char* slug;
  Fitness fitness;
};

class Changes : public testing::TestWithParam<Change> {};

TEST_P(Changes, AreFound) {
  const Change& change = GetParam();
  Json environment = good();
  environment[change.section][change.fact] = reading(change.value);
  const FitnessCheck check = check_of(environment, change.slug);
  EXPECT_EQ(check.fitness, change.fitness) << check.slug << ": " << check.found;
  EXPECT_FALSE(check.found.empty());
  EXPECT_FALSE(check.why.empty());
  EXPECT_EQ(check.advice.empty(), change.fitness == Fitness::fit) << check.advice;
  EXPECT_EQ(overall(fitness_of(environment)), change.fitness);
}

INSTANTIATE_TEST_SUITE_P(
    , Changes,
    testing::Values(
        Change{"cpu", "governor", "schedutil", "clock.governor", Fitness::reservation},
        Change{"cpu", "governor", "performance,powersave", "clock.governor", Fitness::reservation},
        Change{"cpu", "turbo", true, "clock.turbo", Fitness::reservation},
        Change{"cpu", "smt_active", true, "cores.smt", Fitness::reservation},
        Change{"cpu", "allowed_cpu_count", 1, "cores.count", Fitness::reservation},
        Change{"cpu", "virtual", true, "machine.virtual", Fitness::reservation},
        Change{"confinement", "wsl", true, "machine.virtual", Fitness::reservation},
        Change{"confinement", "hypervisor", "xen", "machine.virtual", Fitness::reservation},
        Change{"confinement", "cgroup_cpus", 16, "cores.quota", Fitness::fit},
        Change{"confinement", "cgroup_cpus", 4, "cores.quota", Fitness::reservation},
        Change{"confinement", "cgroup_cpus", 0.5, "cores.quota", Fitness::unfit},
        Change{"load", "pressure_cpu_frac", 0.04, "load.others", Fitness::fit},
        Change{"load", "pressure_cpu_frac", 0.06, "load.others", Fitness::reservation},
        Change{"load", "steal_frac_since_boot", 0.001, "load.steal", Fitness::fit},
        Change{"load", "steal_frac_since_boot", 0.02, "load.steal", Fitness::reservation},
        Change{"system", "clock_source", "hpet", "timer.source", Fitness::reservation},
        Change{"process", "tracer_process", 77, "process.traced", Fitness::unfit},
        Change{"process", "variables", Json{{"LD_PRELOAD", "x.so"}}, "process.preloaded",
               Fitness::reservation},
        Change{"process", "nice", 10, "process.priority", Fitness::reservation},
        Change{"process", "scheduling_policy", "batch", "process.priority", Fitness::reservation},
        Change{"assay", "sanitizer", "address", "assay.build", Fitness::unfit},
        Change{"assay", "optimised", false, "assay.build", Fitness::unfit}),
    [](const auto& change) {
      std::string name = std::string(change.param.fact) + "_" + std::to_string(change.index);
      return name;
    });

TEST(FitnessOf, KnowsClocksThatCannotMove) {
  Json environment = good();
  environment["cpu"]["governor"] = reading("powersave");
  environment["cpu"]["turbo"] = reading(true);
  environment["cpu"]["lower_limit_hz"] = reading(2000000000);
  environment["cpu"]["upper_limit_hz"] = reading(2000000000);
  environment["cpu"]["frequency_driver"] = reading("acpi-cpufreq");
  EXPECT_EQ(summary(fitness_of(environment)), "fit with reservations: clock.governor, clock.turbo");
  environment["cpu"]["frequency_driver"] = reading("intel_pstate");
  EXPECT_EQ(summary(fitness_of(environment)), "fit");
  environment["cpu"]["upper_limit_hz"] = reading(3000000000);
  EXPECT_EQ(summary(fitness_of(environment)), "fit with reservations: clock.governor, clock.turbo");
  EXPECT_THAT(check_of(environment, "clock.governor").found, HasSubstr("2 to 3 GHz"));
}

TEST(FitnessOf, SaysWhichFileTurnsTurboOff) {
  Json environment = good();
  environment["cpu"]["turbo"] = Json{{"value", true}, {"source", "/sys/x/intel_pstate/no_turbo"}};
  EXPECT_EQ(check_of(environment, "clock.turbo").advice,
            "echo 1 | sudo tee /sys/x/intel_pstate/no_turbo");
  environment["cpu"]["turbo"] = Json{{"value", true}, {"source", "/sys/x/cpufreq/boost"}};
  EXPECT_EQ(check_of(environment, "clock.turbo").advice, "echo 0 | sudo tee /sys/x/cpufreq/boost");
}

TEST(FitnessOf, CountsHowOftenTheQuotaStoppedIt) {
  Json environment = good();
  environment["confinement"]["cgroup_cpus"] = reading(8);
  environment["confinement"]["quota_periods"] = reading(1000);
  environment["confinement"]["throttled_periods"] = reading(9);
  EXPECT_EQ(check_of(environment, "cores.quota").fitness, Fitness::reservation);
  environment["confinement"]["throttled_periods"] = reading(11);
  EXPECT_EQ(check_of(environment, "cores.quota").fitness, Fitness::unfit);
  EXPECT_THAT(check_of(environment, "cores.quota").found, HasSubstr("1.1 % of its periods"));
}

TEST(FitnessOf, TakesTheLoadWhereThereIsNoPressure) {
  Json environment = good();
  environment["load"].erase("pressure_cpu_frac");
  environment["load"]["load_1min"] = reading(7.9);
  EXPECT_EQ(check_of(environment, "load.others").fitness, Fitness::fit);
  environment["load"]["load_1min"] = reading(8.1);
  EXPECT_EQ(check_of(environment, "load.others").fitness, Fitness::reservation);
}

TEST(FitnessOf, CountsWhatIsSwappedOut) {
  Json environment = good();
  environment["memory"] = Json{{"swap_total_bytes", reading(1LL << 33)},
                               {"swap_free_bytes", reading((1LL << 33) - (1LL << 20))}};
  EXPECT_EQ(check_of(environment, "memory.swap").slug, "absent");
  environment["memory"]["swap_free_bytes"] = reading(1LL << 32);
  EXPECT_THAT(check_of(environment, "memory.swap").found, HasSubstr("4 GiB"));
}

TEST(Summary, NamesTheUnfitFirst) {
  Json environment = good();
  environment["process"]["tracer_process"] = reading(5);
  environment["cpu"]["smt_active"] = reading(true);
  EXPECT_EQ(summary(fitness_of(environment)), "unfit: process.traced; also cores.smt");
}

TEST(FitnessOf, CanBeAskedOfThisMachine) {
  const Json now = environment_of_this_machine();
  EXPECT_EQ(summary(fitness_of(now)), summary(fitness_of(parse_json(json_text(now), "a test"))));
}

}  // namespace
}  // namespace assay::env
