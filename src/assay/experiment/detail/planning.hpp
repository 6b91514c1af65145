// SPDX-License-Identifier: MIT
//
// The steps of make_plan. Each takes the plan as far as it has come.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/experiment/plan.hpp"

namespace assay::experiment::detail {

// How LeftOut::what begins for the cells that --filter left out; its text follows.
inline constexpr std::string_view left_out_by_filter = "filter ";

// The timer of a resolved protocol's cells at that boundary.
std::string timer_of(const Plan& plan, const std::string& boundary);

// Boundaries, states and timer of plan.protocol.
void resolve_protocol(const Experiment& experiment, Plan& plan);

// plan.protocol.precision, where a problem of which cells are measured has one subject only.
void resolve_precision(const Experiment& experiment, Plan& plan);

// plan.cells and plan.left_out.
void plan_cells(const Experiment& experiment, Plan& plan);

// plan.comparisons, with the prediction of each.
void plan_comparisons(const Experiment& experiment, Plan& plan);

// The subjects of a problem that are measured, baseline first, whatever they support. Throws
// Error{bad_input} if the named baseline is not among several.
std::vector<SubjectId> subjects_of(const Experiment& experiment, const Plan& plan,
                                   const ProblemDescription& problem);

// Throws Error{bad_input} where the cell's timer takes a slope over the calls of a sample, and its
// state or one of its subjects binds a sample to one call.
void check_timer(const Experiment& experiment, const Plan& plan, const Cell& cell);

// Takes the candidates out of the cell whose own state cannot be had in it, into plan.left_out.
// Returns why there can be no such cell, or nothing.
std::string keep_possible_subjects(Plan& plan, Cell& cell);

}  // namespace assay::experiment::detail
