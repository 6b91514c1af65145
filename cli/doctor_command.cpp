// SPDX-License-Identifier: MIT
#include <filesystem>

#include "assay/base/error.hpp"
#include "assay/doctor/noise.hpp"
#include "cli/measuring.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr int reservations_status = 20;

// assay-probe lies beside assay, built or installed.
fs::path probe_path() {
  const fs::path probe = fs::read_symlink("/proc/self/exe").parent_path() / "assay-probe";
  if (!fs::exists(probe)) {
    throw Error(ErrorKind::worker, probe.string() +
                                       " does not exist: assay-probe holds the kernels of the "
                                       "noise floor and is built and installed beside assay");
  }
  return probe;
}

fs::path state_directory() {
  const auto directory = env::state_directory();
  if (!directory) {
    throw Error(ErrorKind::usage, "there is no place to store the noise floor: " +
                                      directory.missing().detail + "; set ASSAY_STATE_DIR");
  }
  return *directory;
}

}  // namespace

int doctor_command(const DoctorOptions& options, const std::string& command_line) {
  if (!options.noise) {
    throw Error(ErrorKind::usage,
                "`assay doctor` can measure the noise floor so far, and nothing else: say "
                "`assay doctor --noise`");
  }
  catch_signals();
  check_json_target(options.json);
  check_device(options.device);
  auto experiment = doctor::noise_experiment(probe_path(), options.trials, options.seed);
  if (!options.budget.empty()) experiment.protocol.budget_s = budget_s(options.budget);
  const fs::path state = state_directory();
  ProgressPrinter printer;
  run::Options running;
  running.records = options.records.empty() ? state / "records" : options.records;
  running.device = options.device;
  running.command_line = command_line;
  set_hooks(running, printer);
  const doctor::NoiseReport report = doctor::measure_noise(experiment, running, state);
  printer.finish();
  if (options.json.is_wanted()) print_json(options.json, to_json(report));
  if (!options.json.is_stdout()) print(doctor::noise_text(report));
  if (!report.floor) return report.outcome.result.exit_status;
  return report.is_fit() ? 0 : reservations_status;
}

}  // namespace assay::cli
