// SPDX-License-Identifier: MIT
//
// What the device said of itself, in words that the table and the page share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/judge/result.hpp"

namespace assay::report {

// What and how much, as text: clocks, temperature, power, energy, throttling, other processes,
// flagged samples, and of what is not known why.
std::vector<std::pair<std::string, std::string>> device_rows(const judge::DeviceResult& device);

// The same in a sentence, without what is ordinary.
std::string device_sentence(const judge::DeviceResult& device);

// What a subject needed and what there was: "12.3 MB of its process (allocated by Assay: 4.1 MB);
// it fits, 8.2 GB to spare (machine)".
std::string memory_text(const MemoryUse& use);

}  // namespace assay::report
