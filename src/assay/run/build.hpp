// SPDX-License-Identifier: MIT
//
// The build commands of an experiment file, run before anything is planned.
#pragma once

#include "assay/experiment/experiment.hpp"
#include "assay/run/session.hpp"

namespace assay::run {

// Runs each build's command, if it has one, by /bin/sh in its directory, and looks for its program
// again. With several layouts the command is run once for each, with its number in
// ASSAY_LAYOUT_SEED, and what it made is kept as PROGRAM.layout-NUMBER; a command whose first run
// leaves all of these itself is run once. Throws Error{bad_input} where it makes no program, or the
// same for two seeds. Step::interrupted if the user asked to stop meanwhile, else Step::done.
// Throws Error{worker} with the end of the command's output if it fails.
Step build_programs(experiment::Experiment& experiment, const Hooks& hooks);

}  // namespace assay::run
