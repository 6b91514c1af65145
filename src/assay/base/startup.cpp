// SPDX-License-Identifier: MIT
#include "assay/base/startup.hpp"

#include <algorithm>

namespace assay {
namespace {

constexpr std::array<std::string_view, startup_phases> names = {
    "start", "driver", "context", "allocate", "compile", "prepare", "load", "call"};

}  // namespace

std::string_view to_string(StartupPhase phase) { return names[static_cast<std::size_t>(phase)]; }

std::optional<StartupPhase> startup_phase_of(std::string_view name) {
  const auto* found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<StartupPhase>(found - names.begin());
}

}  // namespace assay
