// SPDX-License-Identifier: MIT
#include "assay/profile/programs.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/run/crew.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

std::map<std::string, fs::path> by_build(const experiment::Plan& plan,
                                         const std::vector<std::string>& named) {
  std::map<std::string, fs::path> paths;
  for (const std::string& text : named) {
    const auto split = text.find('=');
    const std::string build = text.substr(0, split);
    const bool is_of_build =
        split != std::string::npos &&
        std::any_of(plan.builds.begin(), plan.builds.end(),
                    [&](const experiment::Build& each) { return each.name == build; });
    if (is_of_build) {
      paths[build] = text.substr(split + 1);
    } else if (plan.builds.size() == 1) {
      paths[plan.builds.front().name] = text;
    } else {
      throw Error(ErrorKind::usage,
                  "--program " + text + ": the record has two builds, so say which: " +
                      plan.builds.front().name + "=PATH or " + plan.builds.back().name + "=PATH");
    }
  }
  return paths;
}

std::string short_of(const std::string& digest) { return digest.substr(0, 12) + "…"; }

}  // namespace

std::vector<record::ProfiledProgram> programs_of(const experiment::Plan& plan,
                                                 const std::vector<std::string>& named,
                                                 bool allow_other) {
  const auto paths = by_build(plan, named);
  const auto layouts = static_cast<std::size_t>(std::max<std::int64_t>(plan.layout_replicates, 1));
  std::vector<record::ProfiledProgram> programs;
  for (std::size_t i = 0; i < plan.builds.size(); ++i) {
    const experiment::Build& build = plan.builds[i];
    record::ProfiledProgram program;
    program.build = build.name;
    program.layout = layouts > 1 ? 1 : 0;
    const auto found = paths.find(build.name);
    if (found != paths.end() && found->second.empty()) {
      throw Error(ErrorKind::usage,
                  "--program names no file for the build '" + build.name + "': expected a path");
    }
    const fs::path path = fs::absolute(run::program_of_layout(
        found == paths.end() ? build.program : found->second, program.layout));
    program.path = path.string();
    if (!fs::is_regular_file(path)) {
      throw Error(ErrorKind::bad_input, "the program " + path.string() +
                                            " is not there: build it as it was built for the "
                                            "record, or name its place with --program");
    }
    program.sha256 = sha256_hex_of_file(path);
    program.timed_sha256 =
        i * layouts < plan.program_digests.size() ? plan.program_digests[i * layouts] : "";
    if (!program.is_timed_one() && !allow_other) {
      throw Error(
          ErrorKind::bad_input,
          "the program " + path.string() + " is not the one that was timed: its SHA-256 is " +
              short_of(program.sha256) + ", the record's " + short_of(program.timed_sha256) +
              ". What it counts need not hold for the times of the record. Build that "
              "state again or name its place with --program, run the experiment anew, or go "
              "on with --other-program, which marks the counters.");
    }
    programs.push_back(std::move(program));
  }
  return programs;
}

}  // namespace assay::profile
