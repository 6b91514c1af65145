// SPDX-License-Identifier: MIT
#include "assay/measure/checker.hpp"

#include <algorithm>

#include "assay/base/large_memory.hpp"
#include "assay/base/random.hpp"
#include "assay/measure/judgement.hpp"
#include "assay/problem/content.hpp"
#include "assay/problem/gate_power.hpp"

namespace assay::measure {
namespace {

// Results of the reference that are kept: the states of one case share their content, so few are
// asked for twice. A result larger than this is kept until the next one comes.
constexpr std::size_t cache_limit_bytes = std::size_t{256} << 20;

std::size_t bytes_of(const ReferenceResult& result) {
  std::size_t doubles = 0;
  for (const ExpectedOutput& output : result.outputs) {
    doubles += output.elements.size() + output.magnitudes.size() + output.flushed_elements.size() +
               output.flushed_magnitudes.size();
  }
  return doubles * sizeof(double);
}

constexpr const char* ordinary = "ordinary";

experiment::CheckResult blank(const char* kind, const Cell& cell, const std::string& subject) {
  experiment::CheckResult result;
  result.kind = kind;
  result.problem = cell.problem().name();
  result.case_id = cell.which().id();
  result.subject = subject;
  result.content = ordinary;
  result.detail = Json::object();
  return result;
}

bool is_wrong(const experiment::CheckResult& result) {
  return result.detail.contains("failure") &&
         result.detail["failure"] == experiment::failure::wrong_output;
}

// A wrong output of a subject that prepared itself before the content was renewed.
void hint_at_preparation(const Problem& problem, const Subject& subject,
                         experiment::CheckResult& result) {
  const std::vector<InputSpec>& inputs = problem.contract().inputs;
  const bool is_renewed = std::any_of(inputs.begin(), inputs.end(), [](const InputSpec& spec) {
    return spec.renewal != Renewal::fixed;
  });
  if (!is_wrong(result) || !subject.preparation() || !is_renewed) return;
  result.reason +=
      "; its preparation ran before the inputs were renewed: what it packs must come from inputs "
      "declared fixed()";
}

// Calls the subject once on the workspace and judges what it did. Everything but names is filled
// in.
void judge_call(const Cell& cell, Workspace& workspace, const Cell::Member& member,
                const ReferenceResult* expected, bool adversarial,
                experiment::CheckResult& result) {
  device::Occasion occasion = cell.occasion("check", result.subject);
  occasion.case_id = result.case_id;
  workspace.restore_in_place();
  workspace.poison_outputs(
      derive_key(workspace.content_id(), {"poison", result.kind, result.subject}));
  try {
    cell.caller().call(*member.subject, *member.context, occasion);
  } catch (const device::DeviceLost&) {
    throw;
  } catch (...) {
    threw(result, failure_of_current_exception(), message_of_current_exception());
    workspace.take_outputs();  // undoes what it may have damaged
    return;
  }
  if (cell.caller().device().disturbance(occasion).kind ==
      device::Disturbance::Kind::wrong_output) {
    workspace.spoil_output();
  }
  judge(cell.problem(), workspace.take_outputs(), expected, adversarial, workspace.helpers(),
        result);
  if (!is_wrong(result)) return;
  if (const auto why = cell.caller().device().refused_code("", 0)) refused_code(result, *why);
}

}  // namespace

wire::Checked Checker::check(Cell& cell, const wire::Check& request,
                             const std::vector<Case>& measured) {
  for (const std::string& name : request.subjects) cell.member(name);
  cell.touch_workspace();
  wire::Checked checked;
  if (request.kind == "before") {
    before(cell, request, checked);
  } else if (request.kind == "timed") {
    timed(cell, request, checked);
  } else if (request.kind == "adversarial") {
    adversarial(cell, request, measured, checked);
  } else if (request.kind == "gate-power") {
    gate_power(cell, request, checked);
  } else {
    throw Error(ErrorKind::usage, "there is no check '" + request.kind +
                                      "': before, timed, adversarial or gate-power");
  }
  return checked;
}

std::shared_ptr<const ReferenceResult> Checker::reference(const Problem& problem,
                                                          Workspace& workspace,
                                                          const std::string& content,
                                                          bool also_flushed,
                                                          wire::Checked& checked) {
  if (problem.is_unchecked() || !problem.contract().reference) return nullptr;
  const ReferenceKey key{problem.name(), workspace.which().id(), workspace.content_id(), content};
  if (const auto found = cache_.find(key); found != cache_.end()) return found->second;
  ReferenceOptions options;
  options.also_flushed = also_flushed;
  options.helpers = workspace.helpers();
  std::shared_ptr<const ReferenceResult> result;
  try {
    result = std::make_shared<const ReferenceResult>(
        run_reference(problem.contract(), workspace.which(), workspace.contents(), options));
  } catch (...) {
    throw ReferenceFailed(ErrorKind::usage, "the reference of the problem '" + problem.name() +
                                                "' failed on the case '" + workspace.which().id() +
                                                "': " + message_of_current_exception());
  }
  checked.reference_ns += static_cast<double>(result->time_ns);
  cached_bytes_ += bytes_of(*result);
  while (!cached_.empty() && cached_bytes_ > cache_limit_bytes) {
    cached_bytes_ -= bytes_of(*cache_.at(cached_.front()));
    cache_.erase(cached_.front());
    cached_.pop_front();
  }
  cache_[key] = result;
  cached_.push_back(key);
  return result;
}

void Checker::before(Cell& cell, const wire::Check& request, wire::Checked& checked) {
  Workspace& workspace = cell.workspace();
  if (request.content_key != 0) cell.fill(request.content_key);
  const auto expected = reference(cell.problem(), workspace, "", false, checked);
  workspace.watch_inputs();
  for (const std::string& name : request.subjects) {
    experiment::CheckResult result = blank("before", cell, name);
    judge_call(cell, workspace, cell.member(name), expected.get(), false, result);
    hint_at_preparation(cell.problem(), *cell.member(name).subject, result);
    checked.results.push_back(std::move(result));
  }
}

void Checker::timed(Cell& cell, const wire::Check& request, wire::Checked& checked) {
  const auto expected = reference(cell.problem(), cell.workspace(), "", false, checked);
  for (const std::string& name : request.subjects) {
    experiment::CheckResult result = blank("timed", cell, name);
    if (const OutputCopy* kept = cell.kept(name)) {
      judge(cell.problem(), *kept, expected.get(), false, cell.workspace().helpers(), result);
      hint_at_preparation(cell.problem(), *cell.member(name).subject, result);
    } else {
      // It gave no sample in that block, which is a failure of its own.
      result.applicable = false;
      result.reason = "no output of a timed sample was kept";
    }
    checked.results.push_back(std::move(result));
  }
}

void Checker::adversarial(Cell& cell, const wire::Check& request, const std::vector<Case>& measured,
                          wire::Checked& checked) {
  if (cell.problem().is_unchecked()) return;
  for (const AdversarialCase& which :
       adversarial_cases(cell.problem().contract(), cell.problem().axes(), measured)) {
    adversarial_case(cell, request, which, checked);
  }
}

void Checker::adversarial_case(Cell& cell, const wire::Check& request, const AdversarialCase& which,
                               wire::Checked& checked) {
  const Problem& problem = cell.problem();
  std::vector<experiment::CheckResult> results;
  std::vector<const Subject*> subjects;
  for (const std::string& name : request.subjects) {
    const Subject* subject = cell.member(name).subject;
    if (!subject->is_supported(which.which)) continue;
    experiment::CheckResult result = blank("adversarial", cell, name);
    result.case_id = which.which.id();
    result.content = which.name;
    results.push_back(std::move(result));
    subjects.push_back(subject);
  }
  if (results.empty()) return;

  std::unique_ptr<Workspace> workspace;
  std::shared_ptr<const ReferenceResult> expected;
  try {
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    for (const InputSpec& spec : problem.contract().inputs) inputs.push_back(which.input(spec));
    for (const OutputSpec& spec : problem.contract().outputs) outputs.push_back(which.output(spec));
    workspace = std::make_unique<Workspace>(problem.contract(), which.which, cell.caller().device(),
                                            std::move(inputs), std::move(outputs),
                                            request.content_key, cell.workspace().helpers());
    workspace->fill(request.content_key);
    expected = reference(problem, *workspace, which.name, which.has_subnormals(), checked);
    workspace->watch_inputs();
  } catch (const device::DeviceLost&) {
    throw;
  } catch (...) {
    // Where the problem itself is not defined, no subject can be at fault.
    const std::string message = message_of_current_exception();
    for (experiment::CheckResult& result : results) {
      result.applicable = false;
      result.reason = "the problem is not defined here: " + message;
      checked.results.push_back(std::move(result));
    }
    return;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Cell::Member member{
        subjects[i], workspace->make_context(cell.caller().threads_of(*subjects[i])), {}};
    bool prepared = true;
    try {
      cell.caller().make_ready(*subjects[i], *member.context,
                               cell.occasion("check", results[i].subject));
    } catch (const device::DeviceLost&) {
      throw;
    } catch (...) {
      threw(results[i], failure_of_current_exception(), message_of_current_exception());
      prepared = false;
    }
    if (prepared) judge_call(cell, *workspace, member, expected.get(), true, results[i]);
    results[i].detail["change"] = which.change;
    checked.results.push_back(std::move(results[i]));
  }
}

void Checker::gate_power(Cell& cell, const wire::Check& request, wire::Checked& checked) {
  Workspace& workspace = cell.workspace();
  if (request.content_key != 0) cell.fill(request.content_key);
  const auto expected = reference(cell.problem(), workspace, "", false, checked);
  if (!expected) return;
  workspace.restore_in_place();
  const std::vector<InputContent> inputs = workspace.contents();
  const Helpers helpers = workspace.helpers();
  for (const ExpectedOutput& output : expected->outputs) {
    // The mutants are made from the expected values, rounded: an output that passes by definition,
    // whatever the subjects do.
    auto payload = large_vector<std::byte>(placement_of(output.tensor).payload_bytes);
    from_doubles(output.tensor, output.elements, payload.data(), helpers);
    for (const GatePowerResult& mutant :
         assay::gate_power(cell.problem().contract(), inputs, output, payload.data(),
                           derive_key(workspace.content_id(), {"gate-power"}), helpers)) {
      experiment::CheckResult result = blank("gate-power", cell, mutant.mutant);
      result.passed = mutant.caught;
      result.applicable = mutant.differs_from_reference;
      if (!result.applicable) {
        result.reason = "here the right output looks just like that";
      } else if (!result.passed) {
        result.reason = "the check would not have noticed it in the output '" + mutant.output + "'";
      }
      result.detail["output"] = mutant.output;
      if (!mutant.source.empty()) result.detail["source"] = mutant.source;
      checked.results.push_back(std::move(result));
    }
  }
}

}  // namespace assay::measure
