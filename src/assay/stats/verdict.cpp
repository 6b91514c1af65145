// SPDX-License-Identifier: MIT
#include "assay/stats/verdict.hpp"

#include <array>
#include <utility>

namespace assay::stats {
namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 6> kVerdictWords{{
    {Verdict::faster, "faster"},
    {Verdict::slower, "slower"},
    {Verdict::equivalent, "equivalent"},
    {Verdict::inconclusive, "inconclusive"},
    {Verdict::invalid, "invalid"},
    {Verdict::void_, "void"},
}};

}  // namespace

std::string_view to_string(Verdict verdict) {
  for (const auto& [value, word] : kVerdictWords) {
    if (value == verdict) return word;
  }
  return "unknown";
}

std::optional<Verdict> verdict_from_string(std::string_view word) {
  for (const auto& [value, known] : kVerdictWords) {
    if (known == word) return value;
  }
  return std::nullopt;
}

}  // namespace assay::stats
