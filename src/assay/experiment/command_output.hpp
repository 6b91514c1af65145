// SPDX-License-Identifier: MIT
//
// What may be the output of a command: a file below the working directory. It is removed before
// every run, so that nothing else that a text may name, by mistake or through a link, is at stake.
#pragma once

#include <filesystem>
#include <string>

#include "assay/experiment/plan.hpp"

namespace assay::experiment {

// What is wrong with the name of an output, braces replaced or not; empty: nothing. "-" is one.
std::string trouble_with_output(const std::string& output);

// The same, and whether what lies there now leads out of the directory by a symbolic link.
std::string trouble_with_output(const std::string& output, const std::filesystem::path& directory);

// Throws Error{bad_input} if an output of the plan's cells cannot be one, or is the experiment file
// or the program of a command.
void check_output_files(const Experiment& experiment, const Plan& plan);

}  // namespace assay::experiment
