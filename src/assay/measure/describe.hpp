// SPDX-License-Identifier: MIT
//
// What a worker says of itself: the program's problems, cases and subjects, the device and the
// build. Internal.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/measure/program.hpp"
#include "assay/wire/messages.hpp"

namespace assay::measure {

// Throws Error{usage} for a program that cannot be measured: no problem, a problem without a
// subject, one that is neither checked nor declared unchecked.
void expect_measurable(const Program& program);

// The cases of each problem: those that are asked for, else the product of its axes. A case that is
// asked for must name every axis once; the order of the axes is put right. Throws Error{usage}.
std::map<std::string, std::vector<Case>> cases_of(
    const Program& program, const std::map<std::string, std::vector<Case>>& asked);

// The case with its axes in the problem's order. Throws Error{usage} if they are others.
Case in_order_of_axes(const Problem& problem, const Case& the_case);

experiment::ProgramDescription describe(const Program& program, device::Device& device,
                                        const std::vector<device::Timer>& timers,
                                        const std::map<std::string, std::vector<Case>>& cases);

// The file name of the running program.
std::string name_of_program();

}  // namespace assay::measure
