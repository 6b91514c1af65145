// SPDX-License-Identifier: MIT
//
// The parts of a judgement that follow from the verdicts. Internal to judge/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/judge/cell_state.hpp"
#include "assay/judge/judge.hpp"
#include "assay/judge/result.hpp"
#include "assay/stats/modes.hpp"

namespace assay::judge::detail {

// One subject of a cell, from its trials up to the one with number last_trial.
SubjectResult subject_result(const Index& index, std::size_t cell, std::size_t slot,
                             const Validity& validity, std::uint32_t last_trial,
                             stats::ModeFinder& find_modes);

// The modes of a subject's times of one call, a list for each trial; at least one trial.
// step_ns: the timer's, of one call.
Reading<ModalityResult> modality_result(const std::vector<std::vector<double>>& call_ns,
                                        const Reading<double>& step_ns, std::uint64_t seed,
                                        stats::ModeFinder& find_modes);

// Names the estimand of every comparison, and gives those of subjects with several modes their
// ratio by the other one. Needs cells and comparisons of the result.
void add_estimands(Result& result, const Index& index, const LookRules& rules,
                   const std::vector<CellState>& states);

// Of the trials up to the one with number last_trial. theta: the margin in force as a log ratio.
Steadiness steadiness_of(const Index& index, std::size_t cell,
                         const std::vector<Validity>& validity, double theta,
                         std::uint32_t last_trial);

// Findings about drift, steady state and the independence of the trials.
void add_of_steadiness(std::vector<Finding>& findings, const Index& index, const CellState& state,
                       const CellResult& cell, std::size_t number);

// The comparisons of all cells: looks, adjustment among those that no prediction names, void.
// `states` by cell.
std::vector<ComparisonResult> comparison_results(const Index& index, const LookRules& rules,
                                                 const std::vector<CellState>& states,
                                                 bool provisional);

// Of a comparison that reached a look, against the verdict that it came to.
Sensitivity sensitivity_of(const LookRules& rules, const ComparisonState& state,
                           stats::Verdict verdict);
void add_disagreements(std::vector<Finding>& findings, const Result& result);

// Nothing where no prediction names the comparison or it is not decided.
std::optional<PredictionScore> score_of(const ComparisonResult& comparison);

// Needs the comparisons of the result.
std::vector<SuiteResult> suites_of(const Index& index, const LookRules& rules,
                                   const std::vector<CellState>& states, const Result& result);

// Gives each cell that reached a look its advice.
void add_advice(std::vector<CellResult>& cells, const record::Evidence& evidence,
                const std::vector<CellState>& states);

GatePower gate_power(const record::Checks& checks);

std::vector<Finding> findings_of(const record::Evidence& evidence,
                                 const std::vector<CellState>& states, const Result& result);

// Needs cells, comparisons and gate of the result.
std::vector<Claim> claims_of(const record::Evidence& evidence, const Result& result);

// Needs cells, comparisons and status of the result.
int exit_status_of(const record::Evidence& evidence, const std::vector<CellState>& states,
                   const Result& result, Ending ending);

// The work of one call of a subject, where the problem or the subject declares it.
Reading<experiment::WorkDescription> work_of(const experiment::Cell& cell, std::size_t slot);

}  // namespace assay::judge::detail
