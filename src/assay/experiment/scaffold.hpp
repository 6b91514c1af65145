// SPDX-License-Identifier: MIT
//
// What `assay new` writes: a folder that builds and runs as it is, to be edited; and an experiment
// file made from a run of the light path.
#pragma once

#include <filesystem>
#include <string>

#include "assay/experiment/plan.hpp"

namespace assay::experiment {

// experiment.toml, NAME.cpp, CMakeLists.txt and README.md. The name must be able to name a CMake
// target. Throws Error{usage} if the folder exists or the name cannot be used, Error{write}.
void write_scaffold(const std::filesystem::path& folder, const std::string& name);

// An experiment file that repeats the plan, the words left to write in comments. It reads back as
// it is; paths are as the plan has them. Where a --filter chose cells that no file can name, a
// comment says so. Throws Error{bad_input} with what is wrong with the plan: it has no cells, or
// holds what no file can say.
std::string experiment_text_from_plan(const Plan& plan);

}  // namespace assay::experiment
