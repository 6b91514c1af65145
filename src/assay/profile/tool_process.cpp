// SPDX-License-Identifier: MIT
#include "assay/profile/tool_process.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "assay/base/error.hpp"
#include "assay/base/time.hpp"
#include "assay/run/flood.hpp"
#include "assay/run/process.hpp"

namespace assay::profile {
namespace {

namespace fs = std::filesystem;

bool is_flooded(const fs::path& log) {
  std::error_code unknown;
  const std::uintmax_t bytes = fs::file_size(log, unknown);
  return !unknown && bytes > run::most_printed_bytes;
}

Missing stopped_flood(const fs::path& log) {
  std::error_code ignored;
  fs::resize_file(log, run::kept_bytes_of_flood, ignored);
  return {"printed-too-much", "the process printed more than " +
                                  std::to_string(run::most_printed_bytes >> 20) +
                                  " MiB; what it printed first is in " + log.filename().string()};
}

}  // namespace

Reading<record::ProcessEnd> carried_out(
    const std::vector<std::string>& words, const fs::path& log, const ProcessLimits& limits,
    std::vector<std::pair<std::string, std::string>> environment) {
  constexpr std::chrono::milliseconds between_looks(10);
  run::Launch launch;
  launch.program = words.front();
  launch.arguments.assign(words.begin() + 1, words.end());
  launch.environment = std::move(environment);
  launch.log = log;
  const std::int64_t begun_ns = monotonic_ns();
  run::Process process = run::Process::start(launch);
  for (;;) {
    const auto ended = process.wait(between_looks);
    if (limits.is_output_bounded && is_flooded(log)) {
      process.kill();
      return stopped_flood(log);
    }
    if (ended) {
      // What it left in its group is not ours to keep.
      process.kill();
      return record::ProcessEnd{ended->by_signal, ended->code};
    }
    if (limits.interrupted()) {
      process.kill();
      return Missing{"interrupted", "the run was stopped"};
    }
    if (static_cast<double>(monotonic_ns() - begun_ns) * 1e-9 > limits.timeout_s) {
      process.kill();
      return Missing{"timed-out", "the process did not end in time; --timeout sets how long"};
    }
  }
}

}  // namespace assay::profile
