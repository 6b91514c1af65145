// SPDX-License-Identifier: MIT
//
// What the boundary `cold-start` is about: the phases of a process up to the result of its first
// call. Internal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assay/base/reading.hpp"

namespace assay {

// The boundary of which an interval is the first call of a subject in a fresh process, …
inline constexpr std::string_view cold_start_boundary = "cold-start";
// … and the only state that it has: nothing is done to caches or device before the call.
inline constexpr std::string_view fresh_state = "fresh";

// In the order of time. The interval is `load` and `call` together; the others stand beside it.
enum class StartupPhase : std::uint8_t {
  start,     // from the start of the process until the worker's first step: loader, static objects
  driver,    // the device's driver is opened
  context,   // the device is
  allocate,  // memory for inputs and outputs, by the library
  compile,   // machine code is made of a subject's source, or taken from the cache
  prepare,   // the subject's own preparation
  load,      // that code is brought to the device
  call,      // the first call, until its result is there
};
inline constexpr std::size_t startup_phases = 8;
std::string_view to_string(StartupPhase phase);
std::optional<StartupPhase> startup_phase_of(std::string_view name);

// By the system's monotonic clock.
struct PhaseTime {
  std::int64_t start_ns = 0;
  double interval_ns = 0;

  friend bool operator==(const PhaseTime&, const PhaseTime&) = default;
};

// Why a phase has no time, as a slug.
namespace no_phase {
inline constexpr const char* no_driver = "no-driver";            // the device needs none
inline constexpr const char* no_tensors = "no-tensors";          // of the library
inline constexpr const char* no_source = "no-source";            // the subject is linked code
inline constexpr const char* no_preparation = "no-preparation";  // the subject declares none
inline constexpr const char* not_told = "not-told";              // by the worker
inline constexpr const char* implausible = "implausible";        // by the parent's own clock
}  // namespace no_phase

class Startup {
 public:
  Reading<PhaseTime>& operator[](StartupPhase phase) {
    return times_[static_cast<std::size_t>(phase)];
  }
  const Reading<PhaseTime>& operator[](StartupPhase phase) const {
    return times_[static_cast<std::size_t>(phase)];
  }

 private:
  static Reading<PhaseTime> untold() { return Missing{no_phase::not_told, ""}; }
  std::array<Reading<PhaseTime>, startup_phases> times_{untold(), untold(), untold(), untold(),
                                                        untold(), untold(), untold(), untold()};
};

}  // namespace assay
