// SPDX-License-Identifier: MIT
//
// What a processor, its machine and this process say of themselves during a run. Everything is a
// small file of /proc or /sys that stays open, or a system call; docs/reference/devices.md has what
// each field is. Outside of intervals only: it evicts lines from the caches. Internal.
#pragma once

#include <filesystem>
#include <map>

#include "assay/base/telemetry.hpp"
#include "assay/device/cpu/cycles.hpp"
#include "assay/device/cpu/sensors.hpp"

namespace assay::device {

// Which readings are whole, so that all of them together take no more than a hundredth of the time.
// /proc/stat of a machine with hundreds of cores takes a millisecond.
class Thinning {
 public:
  static constexpr double kMostFrac = 0.01;
  // Whether there is room for two more like the last one.
  bool has_room(std::int64_t now_ns) const;
  void spent(std::int64_t began_ns, std::int64_t took_ns);

 private:
  std::int64_t first_ns_ = -1;  // -1: none yet
  std::int64_t last_took_ns_ = 0;
  std::int64_t all_took_ns_ = 0;
};

class ProcessorTelemetry {
 public:
  // Files are looked for below the root; system calls are about this process, whatever the root.
  explicit ProcessorTelemetry(const std::filesystem::path& root);

  // The next reading is the first one of a request: whether it is whole is decided anew, so that
  // both readings around a block are, or neither.
  void begin_request() { is_decided_ = false; }

  // Never throws. Where there is no time for the files, what they say is missing, "not-read".
  Telemetry read();

 private:
  struct Core {
    OpenFile clock;
    OpenFile core_throttles;
    OpenFile package_throttles;
  };
  Core& files_of(int core);
  void read_files(Telemetry& telemetry, int core);
  void read_stat(Telemetry& telemetry, int core);

  Sources sources_;
  Cycles cycles_;
  std::map<int, Core> cores_;
  OpenFile stat_;
  OpenFile sched_;
  OpenFile cpu_pressure_;
  OpenFile memory_pressure_;
  OpenFile io_pressure_;
  Temperature temperature_;
  PackageEnergy energy_;
  ControlGroup group_;
  Thinning thinning_;
  bool is_decided_ = false;
  bool is_whole_ = true;
};

}  // namespace assay::device
