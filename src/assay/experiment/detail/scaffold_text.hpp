// SPDX-License-Identifier: MIT
//
// The texts of a new experiment folder: a real little example, to be replaced piece by piece.
#pragma once

#include <string>

namespace assay::experiment::detail {

std::string scaffold_experiment(const std::string& name);
std::string scaffold_program(const std::string& name);
std::string scaffold_cmake(const std::string& name);
std::string scaffold_readme(const std::string& name);

}  // namespace assay::experiment::detail
