// SPDX-License-Identifier: MIT
//
// Any bytes as samples.csv, trials.csv, command-runs.csv, telemetry.csv, kernels.csv and
// counters.csv: they are refused, or what was read writes back as a table that reads the same.
// libFuzzer calls it where ASSAY_FUZZ is on; fuzz_test.cpp everywhere.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "assay/base/error.hpp"
#include "assay/record/counters.hpp"
#include "assay/record/kernels.hpp"
#include "assay/record/tables.hpp"
#include "assay/record/telemetry_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string written(const assay::record::SampleTable& table) {
  std::string text = std::string(assay::record::samples_header) + "\n";
  for (const auto& row : table.rows) assay::record::append_csv(text, table, row);
  return text;
}

std::string written(const std::vector<assay::record::Trial>& trials) {
  std::string text = std::string(assay::record::trials_header) + "\n";
  for (const auto& trial : trials) assay::record::append_csv(text, trial);
  return text;
}

std::string written(const std::vector<assay::record::CommandRun>& runs) {
  std::string text = std::string(assay::record::command_runs_header) + "\n";
  for (const auto& run : runs) assay::record::append_csv(text, run);
  return text;
}

std::string written(const std::vector<assay::record::TelemetryRow>& rows) {
  std::string text =
      assay::record::telemetry_header(rows.empty() ? std::vector<assay::Field>()
                                                   : rows.front().telemetry.fields()) +
      "\n";
  for (const auto& row : rows) assay::record::append_csv(text, row);
  return text;
}

std::string written(const std::vector<assay::record::KernelRuns>& kernels) {
  std::string text = std::string(assay::record::kernels_header) + "\n";
  for (const auto& runs : kernels) assay::record::append_csv(text, runs);
  return text;
}

std::string written(const std::vector<assay::record::Counter>& counters) {
  std::string text = std::string(assay::record::counters_header) + "\n";
  for (const auto& counter : counters) assay::record::append_csv(text, counter);
  return text;
}

template <typename Parse>
void try_to_read(std::string_view text, Parse&& parse) {
  for (const bool allow_cut_tail : {false, true}) {
    std::string once;
    try {
      once = written(parse(text, allow_cut_tail));
    } catch (const assay::Error& error) {
      if (error.kind() != assay::ErrorKind::bad_input) std::abort();
      continue;
    }
    if (written(parse(once, false)) != once) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::record;
  const std::string text(data, data + size);
  try_to_read(text, [](std::string_view t, bool cut) { return parse_samples(t, "samples", cut); });
  try_to_read(text, [](std::string_view t, bool cut) { return parse_trials(t, "trials", cut); });
  try_to_read(text,
              [](std::string_view t, bool cut) { return parse_command_runs(t, "runs", cut); });
  try_to_read(text, [](std::string_view t, bool cut) { return parse_telemetry(t, "tel", cut); });
  try_to_read(text, [](std::string_view t, bool cut) { return parse_kernels(t, "kernels", cut); });
  try_to_read(text, [](std::string_view t, bool) { return parse_counters(t, "counters"); });
  return 0;
}
