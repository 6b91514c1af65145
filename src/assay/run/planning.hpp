// SPDX-License-Identifier: MIT
//
// The plan of a run: the builds are asked to describe themselves, then the experiment is laid over
// what they say.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/base/json.hpp"
#include "assay/experiment/experiment.hpp"
#include "assay/experiment/outcome.hpp"
#include "assay/experiment/plan.hpp"
#include "assay/run/run.hpp"

namespace assay::run {

struct Planned {
  experiment::Plan plan;
  std::optional<experiment::Failure>
      failure;      // a build could not describe itself: the plan has no cells
  std::string log;  // what the programs printed meanwhile
  // What each build's program had loaded when it had described itself, by the build's name.
  std::map<std::string, Json> libraries;
  bool interrupted = false;
};

// Throws Error{bad_input, nothing} when the experiment and the program do not fit.
Planned make_plan(const experiment::Experiment& experiment, const Options& options);

// SHA-256 of every program (and layout, build by build) that the plan names. Throws
// Error{bad_input} naming a layout that is not there.
std::vector<std::string> program_digests(const std::vector<experiment::Build>& builds,
                                         std::int64_t layout_replicates);
// SHA-256 of the program of each command. Throws Error{bad_input} if one cannot be read.
std::vector<std::string> command_digests(const std::vector<experiment::Command>& commands);

}  // namespace assay::run
