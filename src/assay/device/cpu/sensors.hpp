// SPDX-License-Identifier: MIT
//
// Where a machine has the temperature and the energy of its processors, and a process the account
// of its control group: found once, then read. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/device/cpu/open_file.hpp"

namespace assay::device {

// The highest of the processor packages: of the drivers coretemp ("Package id N"), k10temp and
// zenpower (Tdie, else Tctl) or cpu_thermal, else of thermal zones of the types x86_pkg_temp,
// cpu-thermal and cpu_thermal. Missing "no-sensor" where there is none of them.
class Temperature {
 public:
  explicit Temperature(const Sources& sources);
  Reading<std::int64_t> read_c();

 private:
  std::vector<OpenFile> inputs_;  // in thousandths of a degree
};

// Energy of all packages since the first reading, by RAPL; the counters wrap around, after
// about a minute at high power (Intel's Software Developer's Manual, volume 3B, "RAPL"), so that
// they are to be read more often than that.
class PackageEnergy {
 public:
  explicit PackageEnergy(const Sources& sources);
  // Missing "no-such-file" where there is no RAPL, "not-permitted" (to others than root, since
  // Linux 5.10), "not-understood" where a counter goes back and says no range.
  Reading<std::int64_t> read_uj();

 private:
  struct Package {
    OpenFile counter;
    Reading<std::int64_t> range_uj;  // after which it begins at 0
    std::int64_t last_uj = -1;       // -1: not read yet
    std::int64_t sum_uj = 0;
  };
  std::vector<Package> packages_;
};

// cpu.stat of the process's control group, of version 2 or 1.
class ControlGroup {
 public:
  explicit ControlGroup(const Sources& sources);
  struct Throttled {
    Reading<std::int64_t> periods = Missing{"not-read", ""};
    Reading<std::int64_t> time_ns = Missing{"not-read", ""};
  };
  Throttled read();

 private:
  OpenFile file_{Missing{"no-such-file", ""}};
  bool is_version_2_ = false;
};

}  // namespace assay::device
