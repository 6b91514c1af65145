// SPDX-License-Identifier: MIT
//
// The ceilings of this machine: measured by assay-probe, stored for later runs, and shown.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "assay/base/json.hpp"
#include "assay/env/ceilings.hpp"
#include "assay/run/ceilings.hpp"

namespace assay::doctor {

// Whether those of a device are kept in the state directory. A CUDA device is asked for its own
// whenever a plan is made.
bool are_stored_of(const std::string& device);

struct CeilingsReport {
  std::optional<env::StoredCeilings> entry;  // absent: interrupted
  std::filesystem::path file;                // where it was stored; empty: it was not
  std::string why_not_stored;                // a sentence, where something better is there already
  // Every row has a number; else the machine is known in part.
  bool is_complete() const;
};

// Measures and stores, in the place of what was known of this machine and device before, unless
// that is complete and this is not. state_directory: need not be known where nothing is stored, as
// are_stored_of says; else Error{usage}. Throws what run::measure_ceilings() throws;
// Error{bad_input} before measuring when the stored file is damaged, and Error{write} when it
// cannot be written.
CeilingsReport measure_ceilings(const run::MeasureCeilings& options,
                                const Reading<std::filesystem::path>& state_directory);

std::string ceilings_text(const CeilingsReport& report);
Json to_json(const CeilingsReport& report);

}  // namespace assay::doctor
