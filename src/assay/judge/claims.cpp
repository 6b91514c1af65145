// SPDX-License-Identifier: MIT
//
// The sentences that the evidence supports, and no wider. Nobody types a claim or its scope: both
// follow from what was randomised, replicated and checked.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "assay/base/counted.hpp"
#include "assay/judge/parts.hpp"
#include "assay/judge/text.hpp"

namespace assay::judge::detail {
namespace {

using stats::Verdict;

// Above so many comparisons of one kind a sentence for each is not read any more.
constexpr std::size_t kSentencesEach = 3;

struct Item {
  std::size_t comparison = 0;
  const experiment::Cell* cell = nullptr;
  const ComparisonResult* result = nullptr;
};

class Writer {
 public:
  Writer(const record::Evidence& evidence, const Result& result)
      : evidence_(evidence), plan_(evidence.plan), result_(result) {}

  std::vector<Claim> claims();

 private:
  std::string machine() const;
  std::string build() const;
  std::string place(const experiment::Cell& cell) const;
  std::string units(std::int64_t look) const;
  std::string sentence(const Item& item) const;
  std::string interval(const ComparisonResult& result) const;
  std::string summary(const std::vector<Item>& items) const;
  std::string one_subject(const std::vector<std::size_t>& cells) const;
  std::string scope(const std::set<const experiment::Cell*>& cells) const;
  std::string unsettled(const std::set<std::size_t>& cells) const;
  std::string validation(const std::set<const experiment::Cell*>& cells) const;
  void add(std::string text, const std::set<const experiment::Cell*>& cells);

  const record::Evidence& evidence_;
  const experiment::Plan& plan_;
  const Result& result_;
  std::vector<Claim> claims_;
};

std::string Writer::machine() const {
  if (plan_.descriptions.empty() || plan_.descriptions[0].device.name.empty()) {
    return "this machine";
  }
  return plan_.descriptions[0].device.name;
}

std::string Writer::build() const {
  if (plan_.layout_replicates > 1) {
    return fmt::format("over {} layouts of this source", plan_.layout_replicates);
  }
  if (plan_.is_of_commands()) return "run as whole commands";
  return plan_.builds.size() > 1 ? "in these two builds" : "in this build";
}

std::string Writer::place(const experiment::Cell& cell) const {
  const bool many_problems =
      std::any_of(plan_.cells.begin(), plan_.cells.end(),
                  [&](const experiment::Cell& c) { return c.problem != cell.problem; });
  std::string where = many_problems ? cell.problem : "";
  const std::string the_case = cell.the_case.id();
  if (the_case != "-") where += (where.empty() ? "" : " ") + the_case;
  if (!where.empty()) where = "at " + where + ", ";
  return fmt::format("{}{}, {} boundary", where, cell.state, cell.boundary);
}

std::string Writer::units(std::int64_t look) const {
  return counted(look, plan_.layout_replicates > 1 ? "layout" : "trial");
}

std::string Writer::interval(const ComparisonResult& result) const {
  if (!result.ratio_interval) return "";
  return fmt::format(" ({} interval {} to {})", percent_text(result.confidence_level),
                     ratio_text(result.ratio_interval->low),
                     ratio_text(result.ratio_interval->high));
}

// What a sentence about these cells adds where times did not settle; else nothing.
std::string Writer::unsettled(const std::set<std::size_t>& cells) const {
  const auto count = std::count_if(cells.begin(), cells.end(), [&](std::size_t i) {
    return !result_.cells[i].steadiness.unsettled().empty();
  });
  if (count == 0) return "";
  return fmt::format(
      "; {}times did not settle, so this holds for the run and not for a steady state",
      cells.size() == 1 ? "" : fmt::format("in {} of these cells ", count));
}

std::string Writer::sentence(const Item& item) const {
  const ComparisonResult& r = *item.result;
  const std::string where = place(*item.cell);
  const std::string head = fmt::format("On {}, {}, ", machine(), build());
  std::string tail;
  if (r.prediction && r.predicted_ratio) {
    static const std::map<PredictionOutcome, std::string> words{
        {PredictionOutcome::supported, "supported"},
        {PredictionOutcome::contradicted, "contradicted"},
        {PredictionOutcome::undecided, "undecided"}};
    tail = fmt::format("; the prediction of {} to {} is {}", ratio_text(r.predicted_ratio->low),
                       ratio_text(r.predicted_ratio->high), words.at(*r.prediction));
  }
  const std::string prediction = tail;
  tail += unsettled({plan_.comparisons[item.comparison].cell});
  const std::string margin = percent_text(plan_.margin_in_force());
  switch (r.verdict) {
    case Verdict::faster:
    case Verdict::slower:
      return fmt::format(
          "{}{} took {}× the time of {}{} {}, over {}: {} by more than the margin "
          "of {}{}.",
          head, r.candidate, ratio_text(*r.ratio), r.baseline, interval(r), where, units(r.look),
          stats::to_string(r.verdict), margin, tail);
    case Verdict::equivalent:
      return fmt::format("{}{} took the time of {} within the margin of {}: {}×{} {}, over {}{}.",
                         head, r.candidate, r.baseline, margin, ratio_text(*r.ratio), interval(r),
                         where, units(r.look), tail);
    case Verdict::inconclusive:
      return fmt::format("{}nothing is decided about {} against {} {}: {}{}.", head, r.candidate,
                         r.baseline, where, r.reason, prediction);
    case Verdict::invalid:
      return fmt::format("{}nothing is said about the time of {} {}: {}.", head, r.candidate, where,
                         r.reason);
    case Verdict::void_:
      return fmt::format("{}nothing is said about {} against {} {}: {}.", head, r.candidate,
                         r.baseline, where, r.reason);
  }
  return {};
}

std::string Writer::summary(const std::vector<Item>& items) const {
  std::map<Verdict, std::size_t> counts;
  std::set<std::string> contexts;
  std::set<std::size_t> cells;
  double low = 0;
  double high = 0;
  for (const Item& item : items) {
    const ComparisonResult& r = *item.result;
    ++counts[r.verdict];
    cells.insert(plan_.comparisons[item.comparison].cell);
    contexts.insert(fmt::format("{}, {} boundary", item.cell->state, item.cell->boundary));
    const bool counted = r.verdict == Verdict::faster || r.verdict == Verdict::slower ||
                         r.verdict == Verdict::equivalent;
    if (!counted) continue;
    low = low == 0 ? *r.ratio : std::min(low, *r.ratio);
    high = std::max(high, *r.ratio);
  }
  std::string parts;
  for (const auto& [verdict, count] : counts) {
    parts += fmt::format("{}{} in {}", parts.empty() ? "" : ", ", stats::to_string(verdict), count);
  }
  std::string where;
  for (const std::string& context : contexts) where += (where.empty() ? "" : "; ") + context;
  const std::string range = high > 0 ? fmt::format(", ratios of the decided ones from {} to {}",
                                                   ratio_text(low), ratio_text(high))
                                     : "";
  const Item& first = items.front();
  const bool many_problems =
      std::any_of(plan_.cells.begin(), plan_.cells.end(),
                  [&](const experiment::Cell& c) { return c.problem != first.cell->problem; });
  return fmt::format("On {}, {}, {} against {}{} was, of {} cells ({}), {} at a margin of {}{}{}.",
                     machine(), build(), first.result->candidate, first.result->baseline,
                     many_problems ? " in " + first.cell->problem : "", items.size(), where, parts,
                     percent_text(plan_.margin_in_force()), range, unsettled(cells));
}

std::string Writer::one_subject(const std::vector<std::size_t>& cells) const {
  const std::string subject = plan_.cells[cells.front()].subjects[0].text();
  const std::string head = fmt::format("On {}, {}, ", machine(), build());
  if (cells.size() > 1) {
    const auto reached = std::count_if(cells.begin(), cells.end(), [&](std::size_t i) {
      return result_.cells[i].precision->is_reached && !result_.cells[i].control.voids &&
             !result_.cells[i].steadiness.has_drifted();
    });
    return fmt::format(
        "{}the time of {} is known to the precision asked for in {} of {} cells; it "
        "is compared with nothing{}.",
        head, subject, reached, cells.size(), unsettled({cells.begin(), cells.end()}));
  }
  const CellResult& cell = result_.cells[cells.front()];
  const std::string where = place(plan_.cells[cells.front()]);
  const SubjectResult& own = cell.subjects.front();
  if (!own.valid) {
    return fmt::format("{}nothing is said about the time of {} {}: {}.", head, subject, where,
                       own.why_invalid);
  }
  if (!cell.refused.empty()) {
    return fmt::format("{}{} was not measured {}: {}.", head, subject, where, cell.refused);
  }
  if (cell.control.voids) {
    return fmt::format(
        "{}nothing is said about the time of {} {}: measured a second time, it took "
        "{}× its own time.",
        head, subject, where, ratio_text(*cell.control.ratio));
  }
  if (!cell.precision->interval_ns) {
    return fmt::format("{}nothing is said about the time of {} {}: {}.", head, subject, where,
                       cell.precision->interval_ns.missing().detail);
  }
  if (cell.steadiness.has_drifted()) {
    return fmt::format("{}nothing is claimed about the time of {} {}: it drifted over the run.",
                       head, subject, where);
  }
  const Range& range = *cell.precision->interval_ns;
  return fmt::format(
      "{}a call of {} took {} ({} interval) {}, over {}{}; it is compared with nothing{}.", head,
      subject, time_range_text(range.low, range.high),
      percent_text(cell.precision->confidence_level), where, units(cell.precision->look),
      cell.precision->is_reached ? "" : ", short of the precision asked for",
      unsettled({cells.front()}));
}

std::string Writer::validation(const std::set<const experiment::Cell*>& cells) const {
  std::set<std::string> unchecked;
  std::set<std::string> checked;
  for (const experiment::Cell* cell : cells) {
    (cell->checked ? checked : unchecked).insert(cell->problem);
  }
  const auto passed = [&](const std::string& kind) {
    return std::any_of(evidence_.checks.results.begin(), evidence_.checks.results.end(),
                       [&](const experiment::CheckResult& check) {
                         return check.kind == kind && check.applicable && check.passed &&
                                checked.count(check.problem) > 0;
                       });
  };
  std::string text;
  if (checked.empty()) {
    text = "outputs unchecked";
  } else if (plan_.is_of_commands() && passed("before")) {
    text = "output equal to the baseline's byte for byte on every case";
  } else if (passed("before")) {
    text = "outputs checked on every case";
    if (passed("adversarial")) text += " and on adversarial inputs";
    if (!result_.gate.missed.empty()) text += ", by a check that is too weak";
  } else {
    text = "no output was checked";
  }
  if (!checked.empty() && !unchecked.empty()) text += ", those of some problems unchecked";
  return text;
}

std::string Writer::scope(const std::set<const experiment::Cell*>& cells) const {
  const std::string builds = plan_.layout_replicates > 1
                                 ? fmt::format("over {} layouts", plan_.layout_replicates)
                             : plan_.is_of_commands()  ? "these commands"
                             : plan_.builds.size() > 1 ? "these two builds"
                                                       : "this build";
  std::string text =
      fmt::format("machine: {}; {}; {}; {}", machine(), builds,
                  plan_.is_of_commands() ? "whole processes" : "microbenchmark", validation(cells));
  text += plan_.question.is_registered() ? "; question registered" : "; no question registered";
  text += plan_.primaries() == 0 ? ", no prediction registered" : ", prediction registered";
  if (plan_.protocol.ignores_noise_floor) text += "; the machine's noise floor ignored";
  return text;
}

void Writer::add(std::string text, const std::set<const experiment::Cell*>& cells) {
  claims_.push_back({fmt::format("c{}", claims_.size() + 1), std::move(text), scope(cells)});
}

std::vector<Claim> Writer::claims() {
  if (plan_.quick) return {};
  const bool any_primary = plan_.primaries() > 0;
  // In the order of the plan: one group for each prediction, or each candidate of a problem.
  std::vector<std::pair<std::string, std::vector<Item>>> groups;
  for (std::size_t i = 0; i < plan_.comparisons.size(); ++i) {
    const experiment::Comparison& comparison = plan_.comparisons[i];
    if (any_primary && !comparison.prediction) continue;
    const Item item{i, &plan_.cells[comparison.cell], &result_.comparisons[i]};
    const std::string key =
        fmt::format("{}\n{}\n{}", item.cell->problem, item.result->candidate,
                    comparison.prediction ? std::to_string(*comparison.prediction) : "");
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& group) { return group.first == key; });
    if (found == groups.end()) found = groups.insert(groups.end(), {key, {}});
    found->second.push_back(item);
  }
  for (const auto& [key, items] : groups) {
    if (items.size() <= kSentencesEach) {
      for (const Item& item : items) add(sentence(item), {item.cell});
      continue;
    }
    std::set<const experiment::Cell*> cells;
    for (const Item& item : items) cells.insert(item.cell);
    add(summary(items), cells);
  }
  std::map<std::string, std::vector<std::size_t>> alone;  // by problem
  for (std::size_t i = 0; i < result_.cells.size(); ++i) {
    if (result_.cells[i].precision) alone[plan_.cells[i].problem].push_back(i);
  }
  for (const auto& [problem, cells] : alone) {
    const bool each = cells.size() <= kSentencesEach;
    std::set<const experiment::Cell*> of_plan;
    for (const std::size_t i : cells) {
      of_plan.insert(&plan_.cells[i]);
      if (each) add(one_subject({i}), {&plan_.cells[i]});
    }
    if (!each) add(one_subject(cells), of_plan);
  }
  return std::move(claims_);
}

}  // namespace

std::vector<Claim> claims_of(const record::Evidence& evidence, const Result& result) {
  return Writer(evidence, result).claims();
}

}  // namespace assay::judge::detail
