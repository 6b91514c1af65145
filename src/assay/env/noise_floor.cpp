// SPDX-License-Identifier: MIT
#include "assay/env/noise_floor.hpp"

#include <charconv>
#include <cmath>

namespace assay::env {
namespace {

namespace fs = std::filesystem;

Json json_of_kernel(const KernelNoise& kernel) {
  return {{"cell", kernel.cell},
          {"call_ns", kernel.call_ns},
          {"mean_log_ratio", kernel.mean_log_ratio},
          {"sd_log_ratio", kernel.sd_log_ratio},
          {"trials", kernel.trials},
          {"floor_frac", kernel.floor},
          {"resolvable_frac", kernel.resolvable}};
}

// No machine is known to take a hundred times as long for the same code: such a number is a slip of
// a hand or of a disk, and as a margin it would make everything equivalent.
constexpr double most_fraction = 100;
constexpr double most_call_ns = 1e15;  // eleven days

double number_from(ObjectReader& reader, const char* key, double least, double most) {
  const auto value = reader.take<double>(key);
  if (std::isfinite(value) && value >= least && value <= most) return value;
  throw Error(ErrorKind::bad_input, reader.where() + "." + key +
                                        ": expected a number of at least " + std::to_string(least) +
                                        " and at most " + std::to_string(most));
}

double fraction(ObjectReader& reader, const char* key) {
  return number_from(reader, key, 0, most_fraction);
}

std::int64_t trials_from(ObjectReader& reader) {
  const auto trials = reader.take<std::int64_t>("trials");
  if (trials < 1) {
    throw Error(ErrorKind::bad_input,
                reader.where() + ".trials: expected an integer of at least 1");
  }
  return trials;
}

KernelNoise kernel_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  KernelNoise kernel;
  kernel.cell = reader.take<std::string>("cell");
  kernel.call_ns = number_from(reader, "call_ns", 0, most_call_ns);
  kernel.mean_log_ratio = number_from(reader, "mean_log_ratio", -most_fraction, most_fraction);
  kernel.sd_log_ratio = number_from(reader, "sd_log_ratio", 0, most_fraction);
  kernel.trials = trials_from(reader);
  kernel.floor = fraction(reader, "floor_frac");
  kernel.resolvable = fraction(reader, "resolvable_frac");
  reader.finish();
  return kernel;
}

std::uint64_t seed_from(const std::string& text, const std::string& where) {
  std::uint64_t seed = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    throw Error(ErrorKind::bad_input, where + ".seed: expected decimal digits in a string");
  }
  return seed;
}

NoiseFloor floor_entry_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  NoiseFloor entry;
  entry.machine_fingerprint = reader.take<std::string>("machine_fingerprint");
  entry.hostname = reader.take<std::string>("hostname");
  entry.device = reader.take<std::string>("device");
  entry.floor = fraction(reader, "floor_frac");
  entry.resolvable = fraction(reader, "resolvable_frac");
  entry.trials = trials_from(reader);
  entry.measured_utc = reader.take<std::string>("measured_utc");
  entry.assay_version = reader.take<std::string>("assay_version");
  entry.seed = seed_from(reader.take<std::string>("seed"), where);
  entry.record = reader.take<std::string>("record");
  entry.record_digest = reader.take<std::string>("record_digest");
  entry.kernels = take_list<KernelNoise>(reader, "kernels", kernel_from);
  reader.finish();
  return entry;
}

}  // namespace

std::vector<NoiseFloor> read_noise_floors(const fs::path& directory) {
  return read_entries<NoiseFloor>(noise_floor_file, directory, floor_entry_from);
}

Reading<NoiseFloor> noise_floor_of(const fs::path& directory,
                                   const std::string& machine_fingerprint,
                                   const std::string& device) {
  return entry_of(noise_floor_file, directory, read_noise_floors(directory), machine_fingerprint,
                  device);
}

fs::path write_noise_floor(const fs::path& directory, const NoiseFloor& entry) {
  write_noise_floor_unless(directory, entry, [](const NoiseFloor&) { return false; });
  return directory / noise_floor_name;
}

std::optional<NoiseFloor> write_noise_floor_unless(
    const fs::path& directory, const NoiseFloor& entry,
    const std::function<bool(const NoiseFloor&)>& stays) {
  return write_entry<NoiseFloor>(noise_floor_file, directory, floor_entry_from, entry, stays);
}

Json to_json(const NoiseFloor& entry) {
  return {{"machine_fingerprint", entry.machine_fingerprint},
          {"hostname", entry.hostname},
          {"device", entry.device},
          {"floor_frac", entry.floor},
          {"resolvable_frac", entry.resolvable},
          {"trials", entry.trials},
          {"measured_utc", entry.measured_utc},
          {"assay_version", entry.assay_version},
          {"seed", std::to_string(entry.seed)},
          {"record", entry.record},
          {"record_digest", entry.record_digest},
          {"kernels", list_of(entry.kernels, json_of_kernel)}};
}

}  // namespace assay::env
