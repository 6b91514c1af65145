// SPDX-License-Identifier: MIT
#include "assay/run/build.hpp"

#include <chrono>
#include <map>
#include <optional>

#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/run/crew.hpp"
#include "assay/run/process.hpp"
#include "assay/run/temporary_log.hpp"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* layout_seed_variable = "ASSAY_LAYOUT_SEED";
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

// seed 0: none is passed on.
Step run_command(const experiment::Build& build, const Hooks& hooks, std::int64_t seed = 0) {
  const TemporaryLog log;
  Launch shell;
  shell.program = "/bin/sh";
  shell.arguments = {"-c", "cd \"$1\" && eval \"$2\"", "sh", build.directory.string(),
                     build.command};
  if (seed > 0) shell.environment = {{layout_seed_variable, std::to_string(seed)}};
  shell.log = log.path();
  Process process = Process::start(shell);
  const auto ended = finish(process, hooks);
  if (!ended) return Step::interrupted;
  if (ended->by_signal || ended->code != 0) {
    const std::string output = log.text();
    throw Error(ErrorKind::worker,
                "the command of the build '" + build.name + "' " + ended->text() +
                    (seed > 0 ? " with ASSAY_LAYOUT_SEED=" + std::to_string(seed) : "") + ": " +
                    build.command + "\n" +
                    output.substr(output.size() - std::min(output.size(), shown_bytes)));
  }
  return Step::done;
}

fs::path program_of(const experiment::Build& build) {
  return fs::absolute(experiment::find_program(build));
}

// What lay at a program's place, put aside: a command that finds its product there would not make
// it again with another seed. Put back where the command made none.
class Aside {
 public:
  explicit Aside(fs::path program)
      : program_(std::move(program)), aside_(program_.string() + ".before-layouts") {
    std::error_code absent;
    fs::rename(program_, aside_, absent);
  }
  ~Aside() {
    std::error_code ignored;
    if (fs::exists(program_, ignored)) {
      fs::remove(aside_, ignored);
    } else {
      fs::rename(aside_, program_, ignored);
    }
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  fs::path program_;
  fs::path aside_;
};

// Whether the command has linked the layouts itself, as one that builds an assay_add_program(…
// LAYOUTS …) does.
bool has_linked_them(const experiment::Build& build, const fs::path& program,
                     std::int64_t replicates) {
  std::string missing;
  std::int64_t found = 0;
  for (std::int64_t layout = 1; layout <= replicates; ++layout) {
    const fs::path each = program_of_layout(program, layout);
    if (fs::exists(each)) {
      ++found;
    } else {
      missing += (missing.empty() ? "" : ", ") + each.filename().string();
    }
  }
  if (found == 0 || found == replicates) return found > 0;
  throw Error(
      ErrorKind::bad_input,
      "[layout] replicates = " + std::to_string(replicates) + ", but the command of the build '" +
          build.name + "' linked " + std::to_string(found) + " layouts and left out " + missing +
          ": say so many in assay_add_program(… LAYOUTS " + std::to_string(replicates) + ")");
}

Step build_layouts(experiment::Build& build, std::int64_t replicates, const Hooks& hooks) try {
  const fs::path before = program_of(build);
  // None may be left from an earlier build, and pass for one of this.
  for (std::int64_t layout = 1; layout <= replicates; ++layout) {
    fs::remove(program_of_layout(before, layout));
  }
  const Aside aside(before);
  std::map<std::string, std::int64_t> seeds;  // by digest
  for (std::int64_t seed = 1; seed <= replicates; ++seed) {
    const Step step = run_command(build, hooks, seed);
    if (step != Step::done) return step;
    build.program = program_of(build);
    if (seed == 1 && has_linked_them(build, build.program, replicates)) return Step::done;
    const std::string with = "with ASSAY_LAYOUT_SEED=" + std::to_string(seed);
    if (!fs::exists(build.program)) {
      throw Error(ErrorKind::bad_input,
                  "the command of the build '" + build.name + "' made no " +
                      build.program.string() + " when it was run " + with +
                      ": [layout] replicates = " + std::to_string(replicates) +
                      " needs the program anew for each seed");
    }
    const auto [found, is_new] = seeds.emplace(sha256_hex_of_file(build.program), seed);
    if (!is_new) {
      throw Error(ErrorKind::bad_input,
                  "the command of the build '" + build.name + "' made the same program " + with +
                      " as with seed " + std::to_string(found->second) +
                      ": it has to pass the seed on, as in -Wl,--shuffle-sections=.text*=$" +
                      layout_seed_variable +
                      " for lld, or to link PROGRAM.layout-1, -2, … itself, as assay_add_program(… "
                      "LAYOUTS " +
                      std::to_string(replicates) + ") does");
    }
    const fs::path kept = program_of_layout(build.program, seed);
    if (seed < replicates) {
      fs::rename(build.program, kept);
    } else {
      fs::copy_file(build.program, kept, fs::copy_options::overwrite_existing);
    }
  }
  return Step::done;
} catch (const fs::filesystem_error& error) {
  throw Error(ErrorKind::write, "cannot keep the layouts of the build '" + build.name +
                                    "' beside its program: " + error.what());
}

}  // namespace

Step build_programs(experiment::Experiment& experiment, const Hooks& hooks) {
  for (experiment::Build& build : experiment.builds) {
    if (build.command.empty()) continue;
    const Step step = experiment.layout_replicates > 1
                          ? build_layouts(build, experiment.layout_replicates, hooks)
                          : run_command(build, hooks);
    if (step != Step::done) return step;
    build.program = program_of(build);
  }
  return Step::done;
}

}  // namespace assay::run
