// SPDX-License-Identifier: MIT
//
// Whole systems, each a file in systems/: what their kernels show, and what the manifest must say.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "assay/env/environment.hpp"
#include "support.hpp"
#include "topology.hpp"

namespace assay::env {
namespace {

namespace fs = std::filesystem;

struct Expectation {
  std::string section;
  std::string fact;
  std::string value;  // JSON, or "missing REASON"
};

// "\0" in a file stands for a NUL.
std::string with_nuls(std::string text) {
  for (std::size_t at = 0; (at = text.find("\\0", at)) != std::string::npos; ++at) {
    text.replace(at, 2, 1, '\0');
  }
  return text;
}

class System {
 public:
  explicit System(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::string path;
    std::string content;
    while (std::getline(stream, line)) {
      if (line.rfind("=== ", 0) == 0) {
        put(path, content);
        path = line.substr(4);
        content.clear();
      } else if (line.rfind("link ", 0) == 0) {
        put(path, content);
        path.clear();
        std::istringstream words(line.substr(5));
        std::string from;
        std::string to;
        words >> from >> to;
        root_.link(from.substr(1), to);
      } else if (!path.empty()) {
        content += line + "\n";
      } else if (line.rfind("topology ", 0) == 0) {
        topology_ = topology_from(line.substr(9));
        put_topology(root_, topology_);
      } else if (line.rfind("expect ", 0) == 0) {
        const auto dot = line.find('.');
        const auto blank = line.find(' ', dot);
        expectations_.push_back({line.substr(7, dot - 7), line.substr(dot + 1, blank - dot - 1),
                                 line.substr(blank + 1)});
      } else if (!line.empty() && line.front() != '#') {
        ADD_FAILURE() << file << ": what is '" << line << "'?";
      }
    }
    put(path, content);
  }

  const fs::path& root() const { return root_.path(); }
  const std::vector<Expectation>& expectations() const { return expectations_; }

 private:
  void put(const std::string& path, const std::string& content) {
    if (path.empty()) return;
    constexpr std::string_view each = "/cpu*/";
    const auto star = path.find(each);
    if (path.back() == '/') {
      fs::create_directories(root_.path() / path.substr(1));
    } else if (star == std::string::npos) {
      root_.put(path.substr(1), with_nuls(content));
    } else {
      for (int cpu = 0; cpu < topology_.processors(); ++cpu) {
        root_.put(path.substr(1, star - 1) + "/cpu" + std::to_string(cpu) + "/" +
                      path.substr(star + each.size()),
                  content);
      }
    }
  }

  TemporaryDirectory root_;
  Topology topology_;
  std::vector<Expectation> expectations_;
};

std::vector<std::string> names_of_systems() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(ASSAY_TEST_SYSTEMS)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Systems : public testing::TestWithParam<std::string> {};

// Whatever order the facts of a value are written in.
nlohmann::json unordered(const Json& json) { return nlohmann::json::parse(json.dump()); }

void expect(const Json& reading, const Expectation& expected) {
  const std::string what = expected.section + "." + expected.fact;
  constexpr std::string_view missing = "missing ";
  if (expected.value.rfind(missing, 0) == 0) {
    EXPECT_EQ(reading.value("missing", std::string("it is there")),
              expected.value.substr(missing.size()))
        << what << ": " << reading;
  } else {
    EXPECT_EQ(unordered(reading.contains("value") ? reading.at("value") : reading),
              nlohmann::json::parse(expected.value))
        << what;
  }
}

TEST_P(Systems, AreDescribedAsTheyAre) {
  const System system(fs::path(ASSAY_TEST_SYSTEMS) / (GetParam() + ".txt"));
  const Json environment = environment_of_this_machine(system.root());
  ASSERT_FALSE(system.expectations().empty());
  for (const Expectation& expected : system.expectations()) {
    ASSERT_TRUE(environment.contains(expected.section)) << expected.section;
    ASSERT_TRUE(environment.at(expected.section).contains(expected.fact)) << expected.fact;
    expect(environment.at(expected.section).at(expected.fact), expected);
  }
  // Whatever the files hold: every fact is a value or a reason, says where it was looked for, and
  // can be written.
  for (const auto& [name, section] : environment.items()) {
    if (!section.is_object()) continue;
    for (const auto& [fact, reading] : section.items()) {
      EXPECT_NE(reading.contains("value"), reading.contains("missing")) << name << "." << fact;
      EXPECT_FALSE(reading.value("source", std::string()).empty()) << name << "." << fact;
      EXPECT_EQ(reading.dump().find(system.root().string()), std::string::npos)
          << name << "." << fact << " names the folder that stands for /";
    }
  }
  EXPECT_NO_THROW(json_text(environment));
  EXPECT_NE(machine_fingerprint(environment), machine_fingerprint(environment_of_this_machine()));
}

INSTANTIATE_TEST_SUITE_P(, Systems, testing::ValuesIn(names_of_systems()), [](const auto& system) {
  std::string name = system.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace assay::env
