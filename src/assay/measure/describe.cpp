// SPDX-License-Identifier: MIT
#include "assay/measure/describe.hpp"

#include <filesystem>
#include <system_error>

#include "assay/measure/cell.hpp"
#include "assay/problem/placement.hpp"

#ifndef ASSAY_VERSION
#error "the build defines ASSAY_VERSION"
#endif

namespace assay::measure {
namespace {

experiment::WorkDescription work_of(const Work& work) {
  return {work.bytes_read, work.bytes_written, work.flop,
          work.items,      work.item_name,     work.flop_by_dtype};
}

experiment::Operand operand_of(const std::string& name, const char* role, const Tensor& tensor) {
  experiment::Operand operand{name, role, tensor.dtype().name, tensor.shape(), tensor.strides()};
  // Where its place lies in a page is drawn anew for each trial, in steps of this many bytes.
  std::size_t alignment = payload_alignment_bytes;
  while (tensor.misaligned_by() % alignment != 0) alignment /= 2;
  operand.alignment_bytes = static_cast<std::int64_t>(alignment);
  return operand;
}

experiment::CaseDimensions dimensions_of(const Problem& problem, const Case& the_case) {
  const Contract& contract = problem.contract();
  experiment::CaseDimensions dimensions;
  for (const InputSpec& spec : contract.inputs) {
    dimensions.operands.push_back(
        operand_of(spec.name, spec.mutable_in_place ? "in-place" : "input", spec.tensor(the_case)));
  }
  for (const OutputSpec& spec : contract.outputs) {
    dimensions.operands.push_back(operand_of(spec.name, "output", spec.tensor(the_case)));
  }
  if (contract.dimensions) dimensions.declared = contract.dimensions(the_case);
  for (const auto& subject : problem.subjects()) {
    if (!subject->is_supported(the_case)) continue;
    auto parameters = subject->parameters_of(the_case);
    if (!parameters.empty()) dimensions.parameters[subject->name()] = std::move(parameters);
  }
  return dimensions;
}

experiment::CaseDescription describe_case(const Problem& problem, const Case& the_case) {
  experiment::CaseDescription description;
  description.the_case = the_case;
  const Contract& contract = problem.contract();
  for (const auto& subject : problem.subjects()) {
    if (!subject->is_supported(the_case)) continue;
    description.supported.push_back(subject->name());
    if (subject->work_model()) {
      description.subject_work[subject->name()] = work_of(subject->work_model()(the_case));
    }
  }
  if (contract.work) description.work = work_of(contract.work(the_case));
  std::size_t bytes = 0;
  for (const InputSpec& spec : contract.inputs) bytes += spec.tensor(the_case).bytes();
  for (const OutputSpec& spec : contract.outputs) bytes += spec.tensor(the_case).bytes();
  description.footprint_bytes = static_cast<std::int64_t>(bytes);
  description.dimensions = dimensions_of(problem, the_case);
  return description;
}

experiment::ProblemDescription describe_problem(const Problem& problem,
                                                const device::Device& device,
                                                const std::vector<Case>& cases) {
  experiment::ProblemDescription description;
  description.name = problem.name();
  description.checked = !problem.is_unchecked();
  if (description.checked) description.tolerance = problem.contract().tolerance->text();
  description.has_tensors =
      !problem.contract().inputs.empty() || !problem.contract().outputs.empty();
  for (const InputSpec& spec : problem.contract().inputs) {
    description.has_in_place = description.has_in_place || spec.mutable_in_place;
  }
  for (const Axis& axis : problem.axes()) {
    description.axes.push_back({axis.name, axis.values.values()});
  }
  for (const Case& the_case : cases) {
    try {
      description.cases.push_back(describe_case(problem, the_case));
    } catch (const std::exception& error) {
      throw Error(ErrorKind::usage, "the problem '" + problem.name() +
                                        "' cannot describe its case '" + the_case.id() +
                                        "': " + error.what());
    }
  }
  for (const auto& subject : problem.subjects()) {
    description.subjects.push_back({subject->name(), subject->declared_threads(),
                                    subject->parameters(), subject->reuse_count()});
  }
  description.states = states_of(problem, device);
  return description;
}

}  // namespace

std::string name_of_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string("program") : path.filename().string();
}

void expect_measurable(const Program& program) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorKind::usage, message); };
  if (program.problems().empty()) {
    refuse("the program declares no problem: call program.problem(\"name\") and give it subjects");
  }
  for (const Problem& problem : program.problems()) {
    const std::string name = "the problem '" + problem.name() + "'";
    const Contract& contract = problem.contract();
    if (problem.subjects().empty()) refuse(name + " has no subject");
    if (problem.is_unchecked()) continue;
    if (!contract.reference) {
      refuse(name + " has no reference: give it one, or declare it unchecked()");
    }
    if (!contract.tolerance) {
      refuse(name + " has a reference but no tolerance: say how far an output may lie from it");
    }
    bool compared = !contract.outputs.empty();
    for (const InputSpec& spec : contract.inputs) compared = compared || spec.mutable_in_place;
    if (!compared) {
      refuse(name + " has a reference but nothing to compare: declare an output");
    }
  }
}

Case in_order_of_axes(const Problem& problem, const Case& the_case) {
  std::vector<Case::Entry> entries;
  std::string axes;
  for (const Axis& axis : problem.axes()) {
    axes += (axes.empty() ? "" : ", ") + axis.name;
    if (const AxisValue* value = the_case.find(axis.name)) entries.emplace_back(axis.name, *value);
  }
  if (entries.size() != problem.axes().size() || entries.size() != the_case.entries().size()) {
    throw Error(ErrorKind::usage, "the case '" + the_case.id() + "' does not fit the problem '" +
                                      problem.name() +
                                      "', whose axes are: " + (axes.empty() ? "none" : axes));
  }
  return Case(std::move(entries));
}

std::map<std::string, std::vector<Case>> cases_of(
    const Program& program, const std::map<std::string, std::vector<Case>>& asked) {
  std::map<std::string, std::vector<Case>> cases;
  for (const auto& [name, list] : asked) {
    const Problem* problem = program.find(name);
    if (problem == nullptr) {
      throw Error(ErrorKind::usage, "the program has no problem '" + name + "'");
    }
    std::vector<Case>& ordered = cases[name];
    for (const Case& the_case : list) ordered.push_back(in_order_of_axes(*problem, the_case));
  }
  for (const Problem& problem : program.problems()) {
    if (asked.find(problem.name()) == asked.end()) cases[problem.name()] = product(problem.axes());
  }
  return cases;
}

experiment::ProgramDescription describe(const Program& program, device::Device& device,
                                        const std::vector<device::Timer>& timers,
                                        const std::map<std::string, std::vector<Case>>& cases) {
  experiment::ProgramDescription description;
  description.program = name_of_program();
  description.device.id = device.id();
  description.device.name = device.name();
  for (device::Fact& fact : device.facts()) {
    description.device.facts.push_back({std::move(fact.name), std::move(fact.value)});
  }
  description.device.last_level_cache_bytes = device.last_level_cache_bytes();
  const BuildFacts& build = program.problems().front().subjects().front()->build();
  description.build = {build.compiler, build.flags,     build.optimised,
                       build.aligned,  build.sanitizer, ASSAY_VERSION};
  description.boundaries = device.boundaries();
  for (const device::Timer& timer : timers) {
    description.timers.push_back({timer.name, timer.boundaries, timer.resolution_ns, timer.floor_ns,
                                  timer.is_per_call, timer.is_slope});
  }
  for (const Problem& problem : program.problems()) {
    description.problems.push_back(describe_problem(problem, device, cases.at(problem.name())));
  }
  return description;
}

}  // namespace assay::measure
