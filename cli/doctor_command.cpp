// SPDX-License-Identifier: MIT
#include <filesystem>

#include "assay/base/error.hpp"
#include "assay/doctor/ceilings.hpp"
#include "assay/doctor/doctor.hpp"
#include "assay/doctor/noise.hpp"
#include "cli/measuring.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr int reservations_status = 20;
constexpr int unfit_status = 21;
constexpr int interrupted_status = 130;

// assay-probe lies beside assay, built or installed.
fs::path probe_path() {
  const fs::path probe = fs::read_symlink("/proc/self/exe").parent_path() / "assay-probe";
  if (!fs::exists(probe)) {
    throw Error(ErrorKind::worker, probe.string() +
                                       " does not exist: assay-probe holds the kernels that "
                                       "doctor measures, and is built and installed beside assay");
  }
  return probe;
}

run::Options running_options(const DoctorOptions& options, const std::string& command_line) {
  run::Options running;
  running.device = options.device;
  running.command_line = command_line;
  return running;
}

int examine(const DoctorOptions& options, const std::string& command_line) {
  ProgressPrinter printer;
  run::Options running = running_options(options, command_line);
  if (!options.records.empty()) running.records = options.records;
  set_hooks(running, printer);
  const doctor::Examination examination =
      doctor::examine(probe_path(), running, env::state_directory());
  printer.finish();
  if (examination.is_interrupted) {
    print("Interrupted: the machine was not examined to the end.\n");
    return interrupted_status;
  }
  if (options.json.is_wanted()) print_json(options.json, to_json(examination));
  if (!options.json.is_stdout()) print(examination_text(examination));
  switch (examination.fitness()) {
    case env::Fitness::unfit:
      return unfit_status;
    case env::Fitness::reservation:
      return reservations_status;
    default:
      return 0;
  }
}

constexpr double least_ceilings_budget_s = 1;

int measure_ceilings(const DoctorOptions& options) {
  run::MeasureCeilings measuring;
  measuring.probe = probe_path();
  measuring.device = options.device;
  if (!options.budget.empty()) measuring.budget_s = budget_s(options.budget);
  if (measuring.budget_s < least_ceilings_budget_s) {
    throw Error(ErrorKind::usage, "--budget " + options.budget +
                                      ": measuring ceilings takes at least 1s; 20s is the default");
  }
  run::Options running;
  ProgressPrinter printer;
  set_hooks(running, printer);
  measuring.interrupted = running.hooks.interrupted;
  const doctor::CeilingsReport report = doctor::measure_ceilings(measuring, env::state_directory());
  if (options.json.is_wanted()) print_json(options.json, to_json(report));
  if (!options.json.is_stdout()) print(doctor::ceilings_text(report));
  if (!report.entry) return interrupted_status;
  return report.is_complete() ? 0 : reservations_status;
}

}  // namespace

int doctor_command(const DoctorOptions& options, const std::string& command_line) {
  if (options.noise && options.ceilings) {
    throw Error(ErrorKind::usage,
                "`assay doctor` measures the noise floor or the ceilings, not both at once: say "
                "--noise or --ceilings");
  }
  if (options.ceilings && !options.records.empty()) {
    throw Error(ErrorKind::usage, "--records " + options.records.string() +
                                      ": `assay doctor --ceilings` makes no record; its numbers "
                                      "go to the state directory (ASSAY_STATE_DIR)");
  }
  catch_signals();
  check_json_target(options.json);
  check_device(options.device);
  if (options.ceilings) return measure_ceilings(options);
  if (!options.noise) {
    if (!options.budget.empty()) {
      throw Error(ErrorKind::usage, "--budget is for --noise and --ceilings");
    }
    return examine(options, command_line);
  }
  auto experiment = doctor::noise_experiment(probe_path(), options.trials, options.seed);
  if (!options.budget.empty()) experiment.protocol.budget_s = budget_s(options.budget);
  const fs::path state = env::to_store_in(env::state_directory());
  ProgressPrinter printer;
  run::Options running = running_options(options, command_line);
  running.records = options.records.empty() ? state / "records" : options.records;
  set_hooks(running, printer);
  const doctor::NoiseReport report = doctor::measure_noise(experiment, running, state);
  printer.finish();
  if (options.json.is_wanted()) print_json(options.json, to_json(report));
  if (!options.json.is_stdout()) print(doctor::noise_text(report));
  if (!report.floor) return report.outcome.result.exit_status;
  return report.is_fit() ? 0 : reservations_status;
}

}  // namespace assay::cli
