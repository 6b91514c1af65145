// SPDX-License-Identifier: MIT
#include "assay/run/build.hpp"

#include <chrono>
#include <optional>

#include "assay/base/error.hpp"
#include "assay/run/process.hpp"
#include "assay/run/temporary_log.hpp"

namespace assay::run {
namespace {

constexpr std::size_t shown_bytes = 2000;  // of a failed command's output: its last lines

// Nothing if the user asked to stop.
std::optional<Ended> finish(Process& process, const Hooks& hooks) {
  for (;;) {
    if (const auto ended = process.wait(std::chrono::milliseconds(100))) return ended;
    if (hooks.interrupted()) {
      process.kill();
      return std::nullopt;
    }
  }
}

}  // namespace

Step build_programs(experiment::Experiment& experiment, const Hooks& hooks) {
  for (experiment::Build& build : experiment.builds) {
    if (build.command.empty()) continue;
    const TemporaryLog log;
    Launch shell;
    shell.program = "/bin/sh";
    shell.arguments = {"-c", "cd \"$1\" && eval \"$2\"", "sh", build.directory.string(),
                       build.command};
    shell.log = log.path();
    Process process = Process::start(shell);
    const auto ended = finish(process, hooks);
    if (!ended) return Step::interrupted;
    if (ended->by_signal || ended->code != 0) {
      const std::string output = log.text();
      throw Error(ErrorKind::worker,
                  "the command of the build '" + build.name + "' " + ended->text() + ": " +
                      build.command + "\n" +
                      output.substr(output.size() - std::min(output.size(), shown_bytes)));
    }
    build.program = std::filesystem::absolute(experiment::find_program(build));
  }
  return Step::done;
}

}  // namespace assay::run
