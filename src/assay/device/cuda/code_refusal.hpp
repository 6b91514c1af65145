// SPDX-License-Identifier: MIT
//
// Code that the driver does not take: PTX of a newer version than it knows, PTX that it cannot
// compile, or nothing that runs on this device. What a driver says of it ("the provided PTX was
// compiled with an unsupported toolchain") names neither version: here both are told, and what to
// do. Internal.
#pragma once

#include <string>
#include <string_view>

#include "assay/device/cuda/driver.hpp"

namespace assay::device::cuda {

// Whether the driver refused the code itself, rather than what was to be done with it.
bool refuses_code(CUresult result) noexcept;

// "9.0" of the line ".version 9.0"; Missing "not-in-ptx" where there is no such line.
Reading<std::string> ptx_version_in(std::string_view ptx);

// What was offered to the driver.
struct OfferedCode {
  Reading<std::string> ptx_version = Missing{"not-at-hand", ""};
  std::string advice;  // sentences: how to have other code, or a driver that takes it
};

// Assay's own, as text.
OfferedCode own_code(std::string_view ptx);

// What a program brings along, for a device of that architecture ("sm_90").
OfferedCode linked_code(const std::string& architecture);

// What is the matter, both versions, and the advice, for a result that refuses code.
std::string refusal_text(const Driver& driver, CUresult result, const OfferedCode& code);

// As Driver::check; throws CodeRefused, with that text, where the result refuses code.
void check_code(const Driver& driver, CUresult result, const char* what, const OfferedCode& code);

// The refusal that a subject's own words tell of: by the number, or by the name or the text that
// the driver and the CUDA runtime have for it. CUDA_SUCCESS: none.
CUresult refusal_in(std::string_view message, long native_code) noexcept;

}  // namespace assay::device::cuda
