// SPDX-License-Identifier: MIT
//
// Wall-clock text and the monotonic clock of the parent. Intervals of subjects are timed by a
// device's timers, not by these.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace assay {

// "2026-11-29T21:44:05+00:00": seconds, always UTC and with that offset, the one form that all of
// the record's readers take.
std::string utc_text(std::chrono::system_clock::time_point time);
std::string utc_now_text();

// "20261129T214405Z", for names of directories.
std::string utc_compact_text(std::chrono::system_clock::time_point time);

// CLOCK_MONOTONIC in nanoseconds: one scale for all processes of a machine.
std::int64_t monotonic_ns();

}  // namespace assay
