// SPDX-License-Identifier: MIT
//
// What the stand-in for libnvidia-ml answers: built as a shared library of its own, so that finding
// functions, older libraries and refusals are tested as they happen.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "assay/device/cuda/nvml_api.hpp"

namespace assay::device::cuda::nvml {

struct FakeNvml {
  Return init = success;
  std::string uuid = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f";
  // By symbol; what is not named succeeds.
  std::map<std::string, Return> refuses;
  struct Answer {
    Return result = success;
    unsigned type = type_unsigned_long_long;
    unsigned long long value = 0;
  };
  // By number; what is not named is error 3, "Not Supported".
  std::map<unsigned, Answer> fields;
  std::vector<unsigned> pids;
  unsigned long long energy_mj = 2'280'686;
  unsigned long long clock_reasons = 0x4;
};

// Of the library: "fake_nvml" gives its state.
using FakeNvmlState = FakeNvml* (*)();

}  // namespace assay::device::cuda::nvml
