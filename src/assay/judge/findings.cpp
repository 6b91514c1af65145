// SPDX-License-Identifier: MIT
//
// What weakens the result, as far as the evidence itself shows it. Each finding stands beside the
// verdicts and changes none of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "assay/base/counted.hpp"
#include "assay/env/fitness.hpp"
#include "assay/judge/canaries.hpp"
#include "assay/judge/device.hpp"
#include "assay/judge/dimensions.hpp"
#include "assay/judge/parts.hpp"
#include "assay/judge/text.hpp"
#include "assay/judge/validity.hpp"

namespace assay::judge::detail {
namespace {

// What a machine that is merely busy or free-running costs, the intervals hold already.
void add_of_machine(std::vector<Finding>& findings, const record::Evidence& evidence) {
  if (!evidence.environment) return;
  for (const env::FitnessCheck& check : env::fitness_of(*evidence.environment)) {
    if (check.fitness != env::Fitness::unfit) continue;
    findings.push_back(
        {"machine.unfit", fmt::format("{}: {}. {}", check.slug, check.found, check.why), ""});
  }
}

std::string joined(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void add_of_cells(std::vector<Finding>& findings, const record::Evidence& evidence,
                  const std::vector<CellState>& states, const Result& result) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    const CellResult& cell = result.cells[i];
    if (cell.control.voids) {
      findings.push_back({"control.void",
                          fmt::format("The baseline measured twice took {}× its own time; nothing "
                                      "is said about this cell.",
                                      ratio_text(*cell.control.ratio)),
                          cell.cell});
    } else if (cell.control.is_finding) {
      findings.push_back({"control.leaning",
                          fmt::format("The baseline measured twice took {}× its own time, beyond "
                                      "half the margin at the unshared level: among so many cells "
                                      "this may be chance.",
                                      ratio_text(*cell.control.ratio)),
                          cell.cell});
    }
    for (const ComparisonState& comparison : states[i].comparisons) {
      if (!comparison.outcome || !comparison.outcome->skewed) continue;
      findings.push_back(
          {"differences.lopsided",
           fmt::format("The trials of {} differ from the baseline lopsidedly: one side has slow "
                       "trials now and then.",
                       evidence.plan.cells[i].subjects[comparison.slot].text()),
           cell.cell});
    }
  }
}

// The same subject compared by the other estimand; empty for the baseline.
std::string other_ratio_of(const Result& result, const std::string& cell,
                           const std::string& subject) {
  for (const ComparisonResult& c : result.comparisons) {
    if (c.cell != cell || c.candidate != subject || !c.other_estimand) continue;
    const OtherEstimand& other = *c.other_estimand;
    if (!c.ratio || !other.ratio) return "";
    const auto interval = [](const Reading<Range>& range) {
      return range ? fmt::format(" ({} to {})", ratio_text(range->low), ratio_text(range->high))
                   : "";
    };
    return fmt::format(" Its ratio is {}{} by the {}, as registered, and {}{} by the {}.",
                       ratio_text(*c.ratio), interval(c.ratio_interval), estimand_text(c.estimand),
                       ratio_text(*other.ratio), interval(other.ratio_interval),
                       estimand_text(other.estimand));
  }
  return "";
}

void add_of_memory(std::vector<Finding>& findings, const Result& result) {
  // A tenth of what is resident on another node is more than the pages of the libraries.
  constexpr double most_remote_frac = 0.1;
  for (const CellResult& cell : result.cells) {
    for (const SubjectResult& subject : cell.subjects) {
      if (!subject.memory) continue;
      const MemoryUse& use = *subject.memory;
      const auto fits = use.fits();
      if (fits && !*fits) {
        const bool is_swapped = use.swapped_bytes && *use.swapped_bytes > 0;
        findings.push_back(
            {"memory.does-not-fit",
             is_swapped
                 ? fmt::format("The steady state of {} does not fit into memory: {:.4g} MB "
                               "of its process are swapped out.",
                               subject.subject, static_cast<double>(*use.swapped_bytes) * 1e-6)
                 : fmt::format("The steady state of {} does not fit: its process had {:.4g} "
                               "MB resident, and there was room for {:.4g} MB ({}).",
                               subject.subject, static_cast<double>(*use.peak_bytes) * 1e-6,
                               static_cast<double>(*use.capacity_bytes) * 1e-6, use.capacity_of),
             cell.cell});
      }
      if (use.managed_bytes && *use.managed_bytes > 0) {
        findings.push_back(
            {"memory.managed",
             fmt::format("The code of {} held {:.4g} MB of managed memory. The driver may keep it "
                         "in the host's memory and move it: the time is that of where its pages "
                         "lay, and may be another where they have to be fetched.",
                         subject.subject, static_cast<double>(*use.managed_bytes) * 1e-6),
             cell.cell});
      }
      if (use.remote_bytes && use.peak_bytes &&
          static_cast<double>(*use.remote_bytes) >
              most_remote_frac * static_cast<double>(*use.peak_bytes)) {
        findings.push_back(
            {"memory.remote",
             fmt::format("{:.4g} MB of the process of {} were on another memory node than the core "
                         "that it ran on.",
                         static_cast<double>(*use.remote_bytes) * 1e-6, subject.subject),
             cell.cell});
      }
    }
  }
}

// The control is left out: it is the baseline's code.
void add_of_modes(std::vector<Finding>& findings, const Result& result) {
  for (const CellResult& cell : result.cells) {
    for (const SubjectResult& subject : cell.subjects) {
      if (subject.subject == experiment::control_name) continue;
      if (!subject.modality || !subject.modality->several) continue;
      const bool only_between = subject.modality->seen == "between-trials";
      findings.push_back(
          {only_between ? "modes.between-trials" : "modes.several",
           fmt::format("The times of {} have {}.{}{}", subject.subject,
                       modes_text(*subject.modality),
                       only_between ? " Within a trial there is one, as where trials run on cores "
                                      "of different speed; ratios are taken within trials."
                                    : "",
                       other_ratio_of(result, cell.cell, subject.subject)),
           cell.cell});
    }
  }
}

// Failures that no subject is to blame for: those of a subject are the reason of its verdict.
void add_of_workers(std::vector<Finding>& findings, const record::Evidence& evidence) {
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> counts;
  for (const experiment::Failure& failure : evidence.checks.failures) {
    if (!failure.subject.empty()) continue;
    const bool is_note = was_overcome(failure, evidence.trials);
    ++counts[{
        failure.kind,
        failure.message + (is_note ? "; the measurement went on, and no sample was lost" : ""),
        failure.cell}];
  }
  for (const auto& [what, count] : counts) {
    const auto& [kind, message, cell] = what;
    findings.push_back({"failure." + kind,
                        count == 1 ? message : fmt::format("{} times: {}", count, message), cell});
  }
}

void add_of_words(std::vector<Finding>& findings, const experiment::Plan& plan) {
  if (!plan.question.is_registered()) {
    findings.push_back({"question.none",
                        "No question was registered before the measurement: what the times are "
                        "for was not written down.",
                        ""});
  }
  if (plan.predictions.empty()) {
    findings.push_back({"prediction.none",
                        "No prediction was registered: all comparisons are screened together, "
                        "none stands alone.",
                        ""});
  }
  for (std::size_t i = 0; i < plan.predictions.size(); ++i) {
    const bool is_matched =
        std::any_of(plan.comparisons.begin(), plan.comparisons.end(),
                    [&](const experiment::Comparison& one) { return one.prediction == i; });
    if (is_matched) continue;
    findings.push_back({"prediction.unmatched",
                        fmt::format("The prediction about {} is about nothing that was measured.",
                                    plan.predictions[i].candidate),
                        ""});
  }
  std::set<std::string> unchecked;
  for (const experiment::Cell& cell : plan.cells) {
    if (!cell.checked) unchecked.insert(cell.problem);
  }
  if (!unchecked.empty()) {
    findings.push_back(
        {"unchecked",
         fmt::format("Outputs were not checked against a reference: {}.", joined(unchecked)), ""});
  }
}

void add_of_margin(std::vector<Finding>& findings, const experiment::Plan& plan) {
  if (plan.protocol.ignores_noise_floor) {
    findings.push_back({"noise.floor-ignored",
                        "The plan ignores the machine's noise floor: a difference that is called "
                        "here may be smaller than what identical code shows on this machine.",
                        ""});
  }
  if (plan.is_noise_floor_in_force() && !plan.comparisons.empty()) {
    findings.push_back(
        {"margin.below-noise-floor",
         fmt::format("The declared margin of {} is below this machine's noise floor "
                     "of {}, which is in force instead.",
                     percent_text(plan.protocol.margin), percent_text(*plan.noise_floor)),
         ""});
  }
}

void add_of_build(std::vector<Finding>& findings, const experiment::Plan& plan) {
  const bool is_cpu = !plan.descriptions.empty() && plan.descriptions[0].device.id == "cpu";
  if (is_cpu && plan.layout_replicates <= 1) {
    findings.push_back({"layout.single",
                        "One build was measured: where its code happens to lie in memory is part "
                        "of every ratio here. A claim about the source needs several layouts.",
                        ""});
  }
}

void add_of_trials(std::vector<Finding>& findings, const std::vector<record::Trial>& trials) {
  std::map<std::string, std::size_t> capped;
  for (const record::Trial& trial : trials) {
    std::size_t start = 0;
    while (start < trial.not_steady.size()) {
      const std::size_t end = std::min(trial.not_steady.find(';', start), trial.not_steady.size());
      if (trial.trial > 0 && end > start) ++capped[trial.not_steady.substr(start, end - start)];
      start = end + 1;
    }
  }
  for (const auto& [cell, count] : capped) {
    findings.push_back({"warm-up.capped",
                        fmt::format("Warm-up ended at its cap, not in a steady state, in {}.",
                                    counted(count, "trial")),
                        cell});
  }
}

}  // namespace

GatePower gate_power(const record::Checks& checks) {
  std::map<std::pair<std::string, std::string>, bool> caught;  // problem and mutant
  std::set<std::string> problems;
  for (const experiment::CheckResult& check : checks.results) {
    if (check.kind != "gate-power" || !check.applicable) continue;
    problems.insert(check.problem);
    bool& found = caught[{check.problem, check.subject}];
    found = found || check.passed;
  }
  GatePower power;
  power.applicable = !caught.empty();
  for (const auto& [what, was_caught] : caught) {
    if (was_caught) continue;
    power.missed.push_back(problems.size() > 1 ? fmt::format("{} ({})", what.second, what.first)
                                               : what.second);
  }
  return power;
}

std::vector<Finding> findings_of(const record::Evidence& evidence,
                                 const std::vector<CellState>& states, const Result& result) {
  std::vector<Finding> findings;
  if (!result.gate.missed.empty()) {
    findings.push_back({"gate.weak",
                        fmt::format("The check of correctness is too weak: no case caught {}.",
                                    joined({result.gate.missed.begin(), result.gate.missed.end()})),
                        ""});
  }
  add_of_machine(findings, evidence);
  add_of_cells(findings, evidence, states, result);
  add_disagreements(findings, result);
  add_of_margin(findings, evidence.plan);
  add_of_modes(findings, result);
  add_of_build(findings, evidence.plan);
  add_of_dimensions(findings, evidence.plan);
  add_of_workers(findings, evidence);
  add_of_words(findings, evidence.plan);
  add_of_trials(findings, evidence.trials);
  add_of_canaries(findings, result.canaries);
  add_of_memory(findings, result);
  if (result.device) add_of_device(findings, *result.device);
  return findings;
}

}  // namespace assay::judge::detail
