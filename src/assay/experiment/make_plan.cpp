// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/base/counted.hpp"
#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/experiment/command_output.hpp"
#include "assay/experiment/described.hpp"
#include "assay/experiment/detail/check_protocol.hpp"
#include "assay/experiment/detail/planning.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::experiment {
namespace {

// A quick look answers while one waits.
constexpr double quick_budget_s = 10;

// A worker that described other cases than it was asked for would have others measured.
void check_cases(const Experiment& experiment, const ProgramDescription& description) {
  for (const auto& [name, cases] : cases_asked(experiment, description)) {
    const ProblemDescription* problem = find_problem(description, name);
    std::vector<std::string> described;
    for (const CaseDescription& one : problem->cases) described.push_back(one.the_case.id());
    std::vector<std::string> asked;
    for (const Case& one : cases) asked.push_back(one.id());
    std::sort(described.begin(), described.end());
    std::sort(asked.begin(), asked.end());
    if (described == asked) continue;
    throw Error(ErrorKind::worker, "the program " + description.program + " was asked for " +
                                       counted(asked.size(), "case") + " of the problem " + name +
                                       " and described others (" +
                                       std::to_string(described.size()) + ")");
  }
}

void check_rules(const Experiment& experiment) {
  const Protocol& protocol = experiment.protocol;
  const std::string looks = detail::trouble_with_looks(protocol.looks, protocol.alpha);
  if (!looks.empty()) throw Error(ErrorKind::bad_input, "looks: " + looks);
  const std::string layouts =
      detail::trouble_with_replicates(experiment.layout_replicates, protocol.looks);
  if (!layouts.empty()) throw Error(ErrorKind::bad_input, "layout.replicates: " + layouts);
}

[[noreturn]] void fail_with_nothing_left(const Plan& plan) {
  std::string reasons;
  for (std::size_t i = 0; i < plan.left_out.size() && i < 3; ++i) {
    reasons += "; " + plan.left_out[i].what + ": " + plan.left_out[i].reason;
  }
  throw Error(ErrorKind::nothing, "there is no cell to measure in " + plan.name +
                                      (reasons.empty() ? ": the program has no case" : reasons));
}

}  // namespace

Plan make_plan(const Experiment& experiment, const std::vector<ProgramDescription>& descriptions,
               const std::vector<std::string>& program_digests, const std::string& created_utc) {
  ASSAY_EXPECTS(!descriptions.empty() && descriptions.size() == experiment.builds.size());
  check_rules(experiment);
  for (const ProgramDescription& description : descriptions) check_cases(experiment, description);

  Plan plan;
  plan.name = experiment.name;
  plan.created_utc = created_utc;
  plan.assay_version = ASSAY_VERSION;
  plan.question = experiment.question;
  plan.predictions = experiment.predictions;
  plan.protocol = experiment.protocol;
  plan.layout_replicates = experiment.layout_replicates;
  plan.builds = experiment.builds;
  plan.commands = experiment.commands;
  plan.program_digests = program_digests;
  plan.descriptions = descriptions;
  plan.defaults_used = experiment.defaults_used;
  if (!experiment.file_text.empty()) plan.experiment_digest = sha256_hex(experiment.file_text);
  plan.publication = experiment.publication;
  plan.quick = experiment.quick;
  if (plan.quick) plan.protocol.budget_s = std::min(plan.protocol.budget_s, quick_budget_s);

  detail::resolve_protocol(experiment, plan);
  detail::plan_cells(experiment, plan);
  if (plan.cells.empty()) fail_with_nothing_left(plan);
  check_output_files(experiment, plan);
  detail::resolve_precision(experiment, plan);
  detail::plan_comparisons(experiment, plan);
  return plan;
}

}  // namespace assay::experiment
