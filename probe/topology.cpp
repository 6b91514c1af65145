// SPDX-License-Identifier: MIT
#include "topology.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace assay::probe {

std::int64_t Cache::count_for(std::int64_t threads) const {
  const auto end = of_core.begin() +
                   std::min<std::ptrdiff_t>(threads, static_cast<std::ptrdiff_t>(of_core.size()));
  return static_cast<std::int64_t>(std::set<int>(of_core.begin(), end).size());
}

std::vector<std::size_t> in_turns(const std::vector<int>& group_of) {
  std::map<int, int> members;
  std::vector<std::pair<int, std::size_t>> by_turn;
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    by_turn.emplace_back(members[group_of[i]]++, i);
  }
  std::stable_sort(by_turn.begin(), by_turn.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> order;
  for (const auto& [turn, position] : by_turn) order.push_back(position);
  return order;
}

}  // namespace assay::probe
