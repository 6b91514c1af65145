// SPDX-License-Identifier: MIT
//
// One number for a candidate over its cells. States and boundaries stay apart: a mean over warm and
// cold times answers no question.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/judge/parts.hpp"
#include "assay/stats/suite.hpp"
#include "assay/stats/summary.hpp"

namespace assay::judge::detail {
namespace {

struct Member {
  const ComparisonResult* result;
  const ComparisonState* state;
};

std::string why_left_out(const Member& member) {
  if (member.result->verdict == stats::Verdict::invalid ||
      member.result->verdict == stats::Verdict::void_) {
    return fmt::format("{}: {}", member.result->cell, stats::to_string(member.result->verdict));
  }
  if (!member.state->look) return fmt::format("{}: no look was reached", member.result->cell);
  return "";
}

// D by trial, or with layouts by layout: one row a cell, only what all cells have. Every cell is
// used up to its own look: what came later is no part of its verdict either.
std::vector<std::vector<double>> common_differences(const std::vector<Member>& members,
                                                    bool by_layout) {
  std::map<std::uint32_t, std::size_t> seen;
  for (const Member& member : members) {
    for (std::size_t k = 0; k < member.state->look->trials; ++k)
      ++seen[member.state->pairs[k].trial];
  }
  std::vector<std::vector<double>> rows;
  for (const Member& member : members) {
    std::map<std::int64_t, std::vector<double>> units;  // by trial or layout
    for (std::size_t k = 0; k < member.state->look->trials; ++k) {
      const TrialPair& pair = member.state->pairs[k];
      if (seen[pair.trial] < members.size()) continue;
      units[by_layout ? pair.layout : std::int64_t{pair.trial}].push_back(pair.log_ratio);
    }
    rows.emplace_back();
    for (const auto& [unit, differences] : units) rows.back().push_back(stats::mean(differences));
  }
  return rows;
}

SuiteResult suite_of(const LookRules& rules, const experiment::Cell& cell,
                     const std::vector<Member>& all) {
  SuiteResult suite;
  suite.baseline = all.front().result->baseline;
  suite.candidate = all.front().result->candidate;
  suite.state = cell.state;
  suite.boundary = cell.boundary;
  suite.confidence_level = 1 - rules.other_alpha;
  std::vector<Member> members;
  double floor = 0;  // what the timer supports: steps in phase with one cell do not average out
  for (const Member& member : all) {
    const std::string why = why_left_out(member);
    if (!why.empty()) {
      suite.left_out.push_back(why);
      continue;
    }
    members.push_back(member);
    if (const auto& half = member.state->outcome->resolution_half_width) floor += *half;
  }
  suite.cells = static_cast<std::int64_t>(members.size());
  if (members.size() < 2) {
    const Missing few{"too-few-cells", fmt::format("a mean over cells needs at least 2 of them "
                                                   "that were judged; {} of {} were",
                                                   members.size(), all.size())};
    suite.ratio = few;
    suite.ratio_interval = few;
    return suite;
  }
  const auto rows = common_differences(members, rules.by_layout);
  suite.trials = static_cast<std::int64_t>(rows.front().size());
  if (!rows.front().empty()) {
    std::vector<double> means;
    for (const auto& row : rows) means.push_back(stats::mean(row));
    suite.ratio = std::exp(stats::mean(means));
  } else {
    suite.ratio = Missing{"too-few-trials", "no trial counts in every cell"};
  }
  suite.ratio_interval =
      stats::suite_mean(rows, suite.confidence_level, floor / static_cast<double>(members.size()))
          .transform([](const stats::SuiteMean& mean) {
            return Range{std::exp(mean.interval.low), std::exp(mean.interval.high)};
          });
  return suite;
}

}  // namespace

std::vector<SuiteResult> suites_of(const Index& index, const LookRules& rules,
                                   const std::vector<CellState>& states, const Result& result) {
  const experiment::Plan& plan = index.plan();
  std::vector<SuiteResult> suites;
  if (plan.quick) return suites;
  std::vector<std::pair<std::string, std::vector<Member>>> groups;
  std::map<std::string, std::size_t> by_key;
  for (const CellState& state : states) {
    for (const ComparisonState& comparison : state.comparisons) {
      const ComparisonResult& of_result = result.comparisons[comparison.comparison];
      const experiment::Cell& cell = plan.cells[plan.comparisons[comparison.comparison].cell];
      const std::string key = fmt::format("{}\n{}\n{}\n{}", of_result.candidate, of_result.baseline,
                                          cell.state, cell.boundary);
      const auto [found, is_new] = by_key.emplace(key, groups.size());
      if (is_new) groups.push_back({key, {}});
      groups[found->second].second.push_back({&of_result, &comparison});
    }
  }
  for (const auto& [key, members] : groups) {
    if (members.size() < 2) continue;
    const std::size_t first = members.front().state->comparison;
    suites.push_back(suite_of(rules, plan.cells[plan.comparisons[first].cell], members));
  }
  return suites;
}

}  // namespace assay::judge::detail
