// SPDX-License-Identifier: MIT
//
// One reader for each table of the experiment file. Each puts what it read, where it stood and
// which defaults it took into the experiment, and throws Error{bad_input} as TableReader says.
#pragma once

#include <string>
#include <vector>

#include "assay/experiment/detail/document.hpp"
#include "assay/experiment/detail/table_reader.hpp"
#include "assay/experiment/experiment.hpp"

namespace assay::experiment::detail {

void read_question(const Node& table, const std::string& file, Experiment& experiment);
void read_predictions(const Node& list, const std::string& file, Experiment& experiment);
// An empty table gives all defaults.
void read_protocol(const Node& table, const std::string& file, Experiment& experiment);
// After read_protocol: the smallest look counts layouts.
void read_layout(const Node& table, const std::string& file, Experiment& experiment);
void read_cases(const Node& table, const std::string& file, Experiment& experiment);
void read_case_tuples(const Node& list, const std::string& file, Experiment& experiment);
// `program` and [build.NAME] of the document.
void read_builds(const TableReader& document, Experiment& experiment);

// [[subject]], after the rest of the document: what else it says must fit commands.
void read_commands(const TableReader& document, Experiment& experiment);

// The values of one axis: a list, a value, or { pow2 = [a, b], tails = […] }.
std::vector<AxisValue> read_axis_values(const Node& node, const std::string& file,
                                        const std::string& path);

// The tables of [[NAME]]. Throws if it is anything else.
const std::vector<Node>& tables_of(const Node& list, const std::string& file,
                                   const std::string& name);

}  // namespace assay::experiment::detail
