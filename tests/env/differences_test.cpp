// SPDX-License-Identifier: MIT
#include "assay/env/differences.hpp"

#include <gmock/gmock.h>

#include "assay/base/error.hpp"
#include "assay/env/environment.hpp"
#include "assay/env/text.hpp"

namespace assay::env {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Json value(Json content) { return Json{{"value", std::move(content)}, {"source", "a test"}}; }

Json environment() {
  return Json{{"format", "assay-environment/1"},
              {"machine_fingerprint", "abc"},
              {"system", {{"hostname", value("a")}, {"kernel", value("6.1")}}},
              {"cpu", {{"model", value("A")}, {"governor", value("performance")}}},
              {"memory", {{"numa_policy", value("default")}}},
              {"load", {{"load_1min", value(0.5)}}},
              {"process", {{"variables", value(Json{{"OMP_NUM_THREADS", "2"}})}}},
              {"builds", Json::array({Json{{"build", "program"},
                                           {"file", "/a/b"},
                                           {"sha256", value("11")},
                                           {"source", {{"revision", value("aa")}}}}})}};
}

std::vector<std::string> facts_of(const std::vector<Difference>& all) {
  std::vector<std::string> facts;
  for (const Difference& each : all) facts.push_back(each.fact);
  return facts;
}

TEST(Differences, AreNoneBetweenAnEnvironmentAndItself) {
  EXPECT_TRUE(differences(environment(), environment()).empty());
  EXPECT_EQ(differences_text({}), "The two environments agree.\n");
  const Json now = environment_of_this_machine();
  EXPECT_TRUE(differences(now, now).empty());
}

TEST(Differences, ComeInTheOrderOfHowMuchTheyMatter) {
  Json after = environment();
  after["system"]["hostname"] = value("b");
  after["system"]["kernel"] = value("6.2");
  after["load"]["load_1min"] = value(3.5);
  after["process"]["variables"] = value(Json::object());
  after["memory"]["numa_policy"] = value("bind:0");
  after["cpu"]["governor"] = value("powersave");
  after["builds"][0]["sha256"] = value("22");
  after["builds"][0]["file"] = "/c/d";
  after["cpu"]["model"] = value("B");
  EXPECT_THAT(facts_of(differences(environment(), after)),
              ElementsAre("cpu.model", "builds.program.sha256", "cpu.governor", "system.kernel",
                          "memory.numa_policy", "process.variables", "system.hostname",
                          "builds.program.file", "load.load_1min"));
}

TEST(Differences, AreOfValuesNotOfWhereTheyWereRead) {
  Json after = environment();
  after["cpu"]["model"]["source"] = "elsewhere";
  after["machine_fingerprint"] = "def";
  EXPECT_TRUE(differences(environment(), after).empty());
}

TEST(Differences, TellAMissingFactFromOneThatWasNotRecorded) {
  Json after = environment();
  after["cpu"]["governor"] = Json{{"missing", "no-such-file"}, {"source", "x"}};
  after["cpu"].erase("model");
  after["cpu"]["turbo"] = value(true);
  const std::string text = differences_text(differences(environment(), after));
  EXPECT_THAT(text, HasSubstr("cpu.governor: performance → unknown (no-such-file)\n"));
  EXPECT_THAT(text, HasSubstr("cpu.model: only in the first\n"));
  EXPECT_THAT(text, HasSubstr("cpu.turbo: only in the second\n"));
  EXPECT_THAT(text, HasSubstr("Clocks and sharing of the cores\n  cpu.governor"));
}

TEST(Differences, FindABuildByItsName) {
  Json before = environment();
  before["builds"].push_back(Json{{"build", "other"}, {"sha256", value("33")}});
  Json after = before;
  std::swap(after["builds"][0], after["builds"][1]);
  EXPECT_TRUE(differences(before, after).empty());
}

// As in a file that somebody put together: none hides the others.
TEST(Differences, OfBuildsOfOneNameAreThoseOfEach) {
  Json before = environment();
  before["builds"].push_back(before["builds"][0]);
  Json after = before;
  EXPECT_TRUE(differences(before, after).empty());
  after["builds"][1]["sha256"] = value("22");
  EXPECT_THAT(facts_of(differences(before, after)), ElementsAre("builds.program#2.sha256"));
  EXPECT_EQ(weight_of("builds.program#2.file"), Weight::identity);
}

TEST(Differences, AreWrittenWithTheirWeight) {
  Json after = environment();
  after["cpu"]["governor"] = value("powersave");
  EXPECT_EQ(to_json(differences(environment(), after)),
            Json::array({Json{{"weight", "clocks"},
                              {"fact", "cpu.governor"},
                              {"before", Json{{"value", "performance"}}},
                              {"after", Json{{"value", "powersave"}}}}}));
}

// What a foreign file holds is not for the terminal to obey.
TEST(Differences, PrintNoControlCharacters) {
  Json after = environment();
  after["cpu"]["governor"] = value("\x1b[2J\rfake\nline");
  after["cpu"]["model"] = Json{{"missing", 7}};
  const std::string text = differences_text(differences(environment(), after));
  EXPECT_THAT(text, HasSubstr("performance →  [2J fake line\n"));
  EXPECT_THAT(text, HasSubstr("A → unknown (?)\n"));
}

TEST(Differences, RefuseWhatIsNoEnvironment) {
  for (const Json& each :
       {Json(), Json::array(), Json::object(), Json{{"format", ""}}, Json{{"format", 7}}}) {
    EXPECT_THROW(differences(each, environment()), Error) << each;
    EXPECT_THROW(differences(environment(), each), Error) << each;
  }
  // Whatever else an environment holds, it is compared.
  Json odd = environment();
  odd["cpu"] = Json::array({1, Json::object(), nullptr});
  odd["builds"] = Json::array({1, Json::array()});
  EXPECT_NO_THROW(differences_text(differences(environment(), odd)));
}

// Each fact of this machine has a place in the order that was thought about.
TEST(WeightOf, KnowsEverySection) {
  const Json now = environment_of_this_machine();
  for (const auto& [section, content] : now.items()) {
    if (!content.is_object()) continue;
    EXPECT_EQ(weight_of(section + ".a fact of tomorrow"),
              section == "topology" || section == "accelerators" ? Weight::machine
              : section == "cpu"                                 ? Weight::clocks
              : section == "memory"                              ? Weight::memory
              : section == "load"                                ? Weight::moment
              : section == "process"                             ? Weight::process
              : section == "assay"                               ? Weight::code
                                                                 : Weight::system)
        << section;
  }
}

TEST(ValueText, HasUnitsForPeople) {
  const auto text = [](const char* fact, Json content) { return value_text(fact, value(content)); };
  EXPECT_EQ(text("highest_hz", 2100000000), "2.1 GHz");
  EXPECT_EQ(text("total_bytes", 68719476736), "64 GiB");
  EXPECT_EQ(text("pressure_cpu_frac", 0.125), "12.5 %");
  EXPECT_EQ(text("throttled_ns", 7800000), "7.8 ms");
  EXPECT_EQ(text("online_cpus", 128), "128");
  EXPECT_EQ(text("turbo", true), "yes");
  EXPECT_EQ(text("features", Json::array({"avx2", "fma"})), "avx2 fma");
  EXPECT_EQ(text("features", Json::array()), "none");
  EXPECT_EQ(text("flags", ""), "empty");
  EXPECT_EQ(text("caches", Json::array({Json{{"level", 1}, {"size_bytes", 49152}}})),
            "level 1, size_bytes 48 KiB");
  EXPECT_EQ(value_text("cgroup_cpus", Json{{"missing", "not-limited"}}), "no limit");
  EXPECT_EQ(value_text("container", Json{{"missing", "not-found"}}), "none found");
  EXPECT_EQ(value_text("governor", Json()), "not recorded");
  // Cut between characters.
  std::string euros;
  for (int i = 0; i < 100; ++i) euros += "€";
  EXPECT_EQ(text("diff", "a\nb" + euros).size(), 3U + 52 * 3 + 4);
}

TEST(EnvironmentText, HasEveryFactOfThisMachine) {
  Json now = environment_of_this_machine();
  now["machine_fingerprint"] = machine_fingerprint(now);
  const std::string text = environment_text(now);
  for (const auto& [section, content] : now.items()) {
    if (!content.is_object()) continue;
    for (const auto& [fact, reading] : content.items()) EXPECT_THAT(text, HasSubstr(fact));
  }
  EXPECT_THAT(text, HasSubstr(machine_fingerprint(now)));
}

}  // namespace
}  // namespace assay::env
