// SPDX-License-Identifier: MIT
//
// A process under a tool: carried out within limits, its files in a folder that is not the
// companion's. A process can leave its group and live on; what it then writes must not end in a
// record that is sealed. So the record gets copies of what was there when the process ended, and
// the place that the process knows goes away. Internal.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/reading.hpp"
#include "assay/record/companion.hpp"

namespace assay::profile {

struct ProcessLimits {
  double timeout_s = 600;
  // Of the log: of more than run::most_printed_bytes its beginning is kept. Else any number.
  bool is_output_bounded = true;
  std::function<bool()> interrupted = [] { return false; };
};

// Runs the command with what it prints in `log`, until it ends or a limit is reached; then nothing
// of its group is left. Missing: "interrupted", "timed-out", "printed-too-much". Throws
// Error{worker} where it cannot be started, Error{write}.
Reading<record::ProcessEnd> carried_out(
    const std::vector<std::string>& words, const std::filesystem::path& log,
    const ProcessLimits& limits, std::vector<std::pair<std::string, std::string>> environment = {});

}  // namespace assay::profile
