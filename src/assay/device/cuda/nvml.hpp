// SPDX-License-Identifier: MIT
//
// Nvml: NVIDIA's management library, opened at run time: what a device is set to, and what it does
// at a moment. It only reads: no clock, limit or mode is ever set.
//
// A call takes microseconds to milliseconds (on an H200 with driver 580 several took 1 to 4 ms), so
// none belongs into an interval. Every value stands alone: where one cannot be had, the library's
// own word says why, and the others are there. Internal.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/base/telemetry.hpp"
#include "assay/device/cuda/nvml_api.hpp"
#include "assay/device/device.hpp"

namespace assay::device::cuda {

class Nvml {
 public:
  // uuid: "GPU-f81d4fae-7dec-11d0-a765-00a0c91e6bf6" (NVML knows nothing of CUDA_VISIBLE_DEVICES,
  // so that a number would name another device). Missing: "not-found" (no library), "no-function"
  // (not NVML, or older than 2013), or what the library said of its start or of the device. Never
  // throws.
  static Reading<Nvml> open(const std::string& uuid);
  // The same from a library that is given by name: for tests.
  static Reading<Nvml> open(const std::string& uuid, const std::vector<std::string>& names);

  // What the device is and is set to. Takes some tens of milliseconds the first time.
  std::vector<Fact> facts() const;
  // What it does now. The clocks come first: they change soonest once work has ended. counters:
  // only what tells of the time since the last reading (throttle counters and their reasons), as
  // all of it takes some 10 ms; the rest is missing, "not-read".
  enum class Extent { counters, all };
  Telemetry sample(Extent extent = Extent::all) const;

 private:
  Nvml(const nvml::Api& api, nvml::Handle handle) : api_(api), handle_(handle) {}

  Missing missing(const char* symbol, nvml::Return result) const;
  // What symbol(handle_, before..., &value) gives.
  template <typename T, typename... Parameters, typename... Before>
  Reading<T> value_of(const char* symbol, nvml::Return (*function)(Parameters...),
                      Before... before) const;
  Reading<std::string> text_of(const char* symbol,
                               nvml::Return (*function)(nvml::Handle, char*, unsigned)) const;
  Reading<std::string> text_of(const char* symbol, nvml::Return (*function)(char*, unsigned)) const;
  // The current one of a current and a pending mode.
  Reading<unsigned> mode_of(const char* symbol,
                            nvml::Return (*function)(nvml::Handle, unsigned*, unsigned*)) const;
  Reading<nvml::Memory> memory() const;
  Reading<std::int64_t> temperature_c() const;
  Reading<std::int64_t> clock_reasons() const;
  Reading<std::int64_t> other_processes() const;
  void read_fields(Telemetry& telemetry) const;

  nvml::Api api_;
  nvml::Handle handle_;
};

// A sample of a device whose library could not be opened: every value is missing for that reason,
// so that the record says it.
Telemetry unknown_sample(const Missing& why);

// As NVML and nvidia-smi write it, of the 16 bytes that cuDeviceGetUuid gives.
std::string uuid_text(const std::array<unsigned char, 16>& bytes);

// How many of the processes are not `own`. Missing "own-process-not-listed" where that one is not
// among them: it has the device open, so the list is not of this process's world (a container sees
// an empty one, or the numbers of its host), and nothing can be said.
Reading<std::int64_t> others_among(const std::vector<unsigned>& pids, unsigned own);

}  // namespace assay::device::cuda
