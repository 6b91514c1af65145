// SPDX-License-Identifier: MIT
//
// libFuzzer target for the readers of experiment files and plans, and for writing an experiment
// from a plan: whatever the bytes are, they are read or refused with Error{bad_input}. Anything
// else ends the process.
#include <cstddef>
#include <cstdint>
#include <string>

#include "assay/base/error.hpp"
#include "assay/base/json.hpp"
#include "assay/experiment/plan.hpp"
#include "assay/experiment/scaffold.hpp"

namespace {

template <typename F>
void read_or_refuse(F&& f) {
  try {
    f();
  } catch (const assay::Error& error) {
    if (error.kind() != assay::ErrorKind::bad_input) throw;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  read_or_refuse([&] { assay::experiment::parse_experiment(text, "fuzz/e.toml"); });
  read_or_refuse([&] {
    const auto plan = assay::experiment::plan_from_json(assay::parse_json(text, "plan"), "plan");
    assay::experiment::experiment_text_from_plan(plan);
  });
  return 0;
}
