// SPDX-License-Identifier: MIT
#include "assay/experiment/command_output.hpp"

#include <algorithm>
#include <system_error>

#include "assay/base/error.hpp"

namespace assay::experiment {
namespace {

namespace fs = std::filesystem;

// Where it leads once all links are followed; that of a link to nothing is its own target.
fs::path destination_of(const fs::path& file) {
  std::error_code trouble;
  const fs::path resolved = fs::weakly_canonical(file, trouble);
  if (trouble) return {};
  if (!fs::is_symlink(fs::symlink_status(resolved, trouble))) return resolved;
  const fs::path target = fs::read_symlink(resolved, trouble);
  if (trouble) return {};
  const fs::path there = fs::weakly_canonical(resolved.parent_path() / target, trouble);
  const bool is_known = !trouble && !fs::is_symlink(fs::symlink_status(there, trouble));
  return is_known ? there : fs::path();
}

bool lies_below(const fs::path& file, const fs::path& directory) {
  const auto [end, unused] =
      std::mismatch(directory.begin(), directory.end(), file.begin(), file.end());
  return end == directory.end() && file != directory;
}

std::string trouble_with_what_it_is(const fs::path& file, const Experiment& experiment,
                                    const Plan& plan) {
  std::error_code ignored;
  if (!experiment.file.empty() && fs::equivalent(file, experiment.file, ignored)) {
    return "this is the experiment file itself";
  }
  for (const Command& command : plan.commands) {
    if (fs::equivalent(file, command.program, ignored)) {
      return "this is the program of \"" + command.name + "\"";
    }
  }
  return "";
}

}  // namespace

std::string trouble_with_output(const std::string& output) {
  if (output.empty() || output == "-") return "";
  if (output.find('\0') != std::string::npos) return "it holds a zero byte";
  const fs::path path(output);
  if (path.is_absolute()) return "this is an absolute path";
  if (std::find(path.begin(), path.end(), "..") != path.end())
    return "it leads upwards with \"..\"";
  if (path.filename().empty() || path.filename() == ".") return "this is a folder";
  return "";
}

std::string trouble_with_output(const std::string& output, const fs::path& directory) {
  std::string trouble = trouble_with_output(output);
  if (!trouble.empty() || output.empty() || output == "-") return trouble;
  std::error_code unknown;
  const fs::path home = fs::canonical(directory, unknown);
  if (unknown) return "";  // nothing can lie there yet
  const fs::path destination = destination_of(home / output);
  if (destination.empty()) return "it cannot be told where it leads";
  if (lies_below(destination, home)) return "";
  return "it leads out of the working directory by a symbolic link, to " + destination.string();
}

void check_output_files(const Experiment& experiment, const Plan& plan) {
  const fs::path& directory = experiment.builds.front().directory;
  for (const Command& command : plan.commands) {
    if (command.output.empty() || command.output == "-") continue;
    for (const Cell& cell : plan.cells) {
      const std::string output = expand(command.output, cell.the_case);
      std::string trouble = trouble_with_output(output, directory);
      if (trouble.empty()) {
        trouble = trouble_with_what_it_is(directory / output, experiment, plan);
      }
      if (trouble.empty()) continue;
      throw Error(ErrorKind::bad_input,
                  experiment.file.string() + ": the output \"" + output + "\" of the subject \"" +
                      command.name + "\" at " + cell.the_case.id() + ": " + trouble +
                      "; expected a file of its own below the folder of the experiment file, as "
                      "it is removed before every run");
    }
  }
}

}  // namespace assay::experiment
