// SPDX-License-Identifier: MIT
//
// The noise floor of a machine, as `assay doctor --noise` measured it and later runs read it: the
// file noise-floor.json (machine_file.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/base/reading.hpp"
#include "assay/env/machine_file.hpp"

namespace assay::env {

inline constexpr std::string_view noise_floor_format = "assay-noise-floor/1";
inline constexpr const char* noise_floor_name = "noise-floor.json";
inline constexpr MachineFile noise_floor_file{noise_floor_name, noise_floor_format,
                                              "the noise floor", "assay doctor --noise"};

// One kernel against itself.
struct KernelNoise {
  std::string cell;  // "noise-sum/n=4096/warm/call"
  double call_ns = 0;
  double mean_log_ratio = 0;
  double sd_log_ratio = 0;  // of the differences between trials
  std::int64_t trials = 0;  // that both come from
  double floor = 0;         // a fraction: the margin at which it is called equivalent to itself
  double resolvable = 0;    // a fraction: the difference that is called in 80 of 100 experiments

  friend bool operator==(const KernelNoise&, const KernelNoise&) = default;
};

struct NoiseFloor : MachineEntry {
  double floor = 0;           // a fraction: the largest of the kernels'
  double resolvable = 0;      // the same
  std::int64_t trials = 0;    // the fewest of the kernels'
  std::uint64_t seed = 0;     // of the run
  std::string record;         // where its record was written
  std::string record_digest;  // SHA-256 of the record's tagmanifest-sha256.txt
  std::vector<KernelNoise> kernels;

  friend bool operator==(const NoiseFloor&, const NoiseFloor&) = default;
};

// All entries of the file in that directory; none if there is no such file. Throws Error{bad_input}
// for one that cannot be read or understood, with what to do.
std::vector<NoiseFloor> read_noise_floors(const std::filesystem::path& directory);

// The entry of that machine and device. Missing: "not-measured", or "other-machine" where the file
// holds others only. Throws as above.
Reading<NoiseFloor> noise_floor_of(const std::filesystem::path& directory,
                                   const std::string& machine_fingerprint,
                                   const std::string& device);

// Puts the entry in the place of that machine's and device's earlier one; the others stay. The file
// appears whole or not at all; the directory is made. Throws Error{write}, and as above. Returns
// the file.
std::filesystem::path write_noise_floor(const std::filesystem::path& directory,
                                        const NoiseFloor& entry);
// The same, unless stays(what is there of this machine and device): that is returned then.
std::optional<NoiseFloor> write_noise_floor_unless(
    const std::filesystem::path& directory, const NoiseFloor& entry,
    const std::function<bool(const NoiseFloor&)>& stays);

Json to_json(const NoiseFloor& entry);

}  // namespace assay::env
