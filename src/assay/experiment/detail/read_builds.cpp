// SPDX-License-Identifier: MIT
#include <algorithm>
#include <system_error>

#include "assay/experiment/detail/readers.hpp"

namespace assay::experiment::detail {
namespace {

std::filesystem::path directory_of(const std::filesystem::path& file) {
  // Never empty: a program called "x" would be searched for in PATH, "./x" is not.
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

Build read_build(const Node::Member& entry, const TableReader& document,
                 const std::filesystem::path& directory) {
  const TableReader reader(entry.value, document.file(), "build." + entry.key,
                           {"command", "dir", "program"});
  Build build;
  build.name = entry.key;
  build.command = reader.text("command").value_or("");
  build.directory = directory;
  if (const auto dir = reader.text("dir")) build.directory = directory / *dir;
  const auto program = reader.text("program");
  build.program_as_written = program ? *program : document.text("program").value_or("");
  if (build.program_as_written.empty()) {
    reader.fail("program", "missing", "the program's path here, or `program` for both builds");
  }
  return build;
}

}  // namespace

void read_builds(const TableReader& document, Experiment& experiment) {
  const std::filesystem::path directory = directory_of(experiment.file);
  const Node* tables = document.find("build");
  if (tables == nullptr) {
    Build build;
    build.name = "program";
    build.directory = directory;
    build.program_as_written = document.text("program").value_or("");
    experiment.builds.push_back(std::move(build));
  } else {
    const std::string expected =
        "one table [build.program], or the two [build.baseline] and [build.candidate]";
    if (tables->kind != Node::Kind::table) {
      document.fail("build", "this is " + tables->words(), expected);
    }
    for (const Node::Member& entry : tables->members) {
      if (entry.key != "program" && entry.key != "baseline" && entry.key != "candidate") {
        document.fail_at(entry.line, "build." + entry.key, "unknown build", expected);
      }
      experiment.builds.push_back(read_build(entry, document, directory));
    }
    // By name, "baseline" is before "candidate".
    std::sort(experiment.builds.begin(), experiment.builds.end(),
              [](const Build& a, const Build& b) { return a.name < b.name; });
    const auto& builds = experiment.builds;
    const bool one = builds.size() == 1 && builds[0].name == "program";
    const bool two = builds.size() == 2 && builds[1].name == "candidate";
    if (!one && !two) document.fail("build", "these builds are not two sides", expected);
  }
  for (Build& build : experiment.builds) build.program = find_program(build);
}

}  // namespace assay::experiment::detail

namespace assay::experiment {

std::filesystem::path find_program(const Build& build) {
  if (build.program_as_written.empty()) return {};
  const std::filesystem::path written(build.program_as_written);
  if (written.is_absolute()) return written;
  std::error_code ignored;
  const auto beside = build.directory / written;
  if (std::filesystem::is_regular_file(beside, ignored)) return beside;
  return build.directory / "build" / written;
}

}  // namespace assay::experiment
