// SPDX-License-Identifier: MIT
//
// The sections of the page, each as markup. Internal to report/.
#pragma once

#include <string>

#include "assay/judge/index.hpp"
#include "assay/judge/result.hpp"
#include "assay/record/reader.hpp"

namespace assay::report {

// Tables of subjects and comparisons, one for each problem, state and boundary.
std::string result_section(const judge::Result& result, const experiment::Plan& plan);
// What the machine allows; empty where no ceiling is known.
std::string limits_section(const judge::Result& result, const experiment::Plan& plan);
// How launches fill a device; empty where none were seen.
std::string launches_section(const judge::Result& result, const experiment::Plan& plan);
// The words, the predictions and the protocol.
std::string plan_section(const record::Record& record, const judge::Result& result);
// What has no verdict, findings, what was left out.
std::string caveats_section(const judge::Result& result, const experiment::Plan& plan);
// Per cell: the subjects' numbers, charts.
std::string cells_section(const judge::Result& result, const judge::Index& index);
// Parts of them: the tensors of a cell and what was declared of it (empty where programs do not
// tell); every statistic of a cell's subjects; the same comparisons by ranks (empty where
// no look was reached); what came true of stated probabilities (empty where none were).
std::string dimensions_part(const judge::CellResult& cell);
std::string subject_table(const judge::CellResult& cell);
std::string sensitivity_table(const judge::Result& result, const judge::CellResult& cell);
std::string calibration_table(const judge::PredictionReview& review);
// Phases of cold starts; empty where there are none.
std::string startup_section(const judge::Result& result);
// Empty where there are no canaries and nothing says why.
std::string canaries_section(const judge::Result& result);
// Empty where the device tells nothing of itself.
std::string device_section(const judge::Result& result);
std::string machine_section(const record::Record& record);

}  // namespace assay::report
