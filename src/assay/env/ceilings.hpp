// SPDX-License-Identifier: MIT
//
// The ceilings of a machine, as `assay doctor --ceilings` measured them and later runs read them:
// the file ceilings.json (machine_file.hpp).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/base/ceilings.hpp"
#include "assay/base/json.hpp"
#include "assay/base/reading.hpp"
#include "assay/env/machine_file.hpp"

namespace assay::env {

inline constexpr std::string_view ceilings_format = "assay-ceilings/1";
inline constexpr const char* ceilings_name = "ceilings.json";
inline constexpr MachineFile ceilings_file{ceilings_name, ceilings_format, "the ceilings",
                                           "assay doctor --ceilings"};

// What the numbers may depend on, a name and a text each: "governor", "performance".
using EnvironmentSummary = std::vector<std::pair<std::string, Reading<std::string>>>;

struct StoredCeilings : MachineEntry {
  EnvironmentSummary environment;
  MachineCeilings ceilings;

  friend bool operator==(const StoredCeilings&, const StoredCeilings&) = default;
};

// From what environment_of_this_machine() gave.
EnvironmentSummary summary_of(const Json& environment);

// As of the noise floor: throw Error{bad_input} for a damaged file, Error{write}.
std::vector<StoredCeilings> read_ceilings(const std::filesystem::path& directory);
Reading<StoredCeilings> ceilings_of(const std::filesystem::path& directory,
                                    const std::string& machine_fingerprint,
                                    const std::string& device);
// Whether a process that may run on these cores can be held against them: not where a processor's
// were measured on others, or among another number of them. A row of all cores says nothing about
// more of them, or about others.
bool are_of_cores(const StoredCeilings& entry, const std::vector<int>& cores);
// As above; missing "other-cores" where they are not.
Reading<StoredCeilings> ceilings_of(const std::filesystem::path& directory,
                                    const std::string& machine_fingerprint,
                                    const std::string& device, const std::vector<int>& cores);
std::filesystem::path write_ceilings(const std::filesystem::path& directory,
                                     const StoredCeilings& entry);
// The same, unless stays(what is there of this machine and device): that is returned then.
std::optional<StoredCeilings> write_ceilings_unless(
    const std::filesystem::path& directory, const StoredCeilings& entry,
    const std::function<bool(const StoredCeilings&)>& stays);

Json to_json(const StoredCeilings& entry);

}  // namespace assay::env
