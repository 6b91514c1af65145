// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/judge/judge.hpp"

namespace assay::judge {
namespace {

std::string shown(const Json& json) {
  constexpr std::size_t kLongest = 120;
  std::string text = json.dump();
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
  return text;
}

bool agree(const Json& stored, const Json& computed) {
  if (stored.is_number() && computed.is_number()) {
    if (stored.is_number_integer() && computed.is_number_integer()) return stored == computed;
    const double a = stored.get<double>();
    const double b = computed.get<double>();
    return std::abs(a - b) <= kRecomputationTolerance * std::max(std::abs(a), std::abs(b));
  }
  return stored == computed;
}

void compare(const Json& stored, const Json& computed, const std::string& place,
             std::vector<std::string>& differences) {
  if (stored.is_object() && computed.is_object()) {
    for (const auto& [key, value] : computed.items()) {
      if (stored.contains(key)) {
        compare(stored[key], value, place + "." + key, differences);
      } else {
        differences.push_back(
            fmt::format("{}.{}: not in the record; recomputed {}", place, key, shown(value)));
      }
    }
    for (const auto& [key, value] : stored.items()) {
      if (!computed.contains(key)) {
        differences.push_back(fmt::format(
            "{}.{}: {} in the record; recomputing gives no such value", place, key, shown(value)));
      }
    }
  } else if (stored.is_array() && computed.is_array()) {
    if (stored.size() != computed.size()) {
      differences.push_back(fmt::format("{}: {} entries in the record, {} recomputed", place,
                                        stored.size(), computed.size()));
    }
    for (std::size_t i = 0; i < std::min(stored.size(), computed.size()); ++i) {
      compare(stored[i], computed[i], fmt::format("{}[{}]", place, i), differences);
    }
  } else if (!agree(stored, computed)) {
    differences.push_back(
        fmt::format("{}: {} in the record, {} recomputed", place, shown(stored), shown(computed)));
  }
}

// Of the statuses only these two come from outside the tables; every other follows from them.
Ending ending_of(const Json& result) {
  const auto status = result.find("status");
  if (status != result.end() && *status == "interrupted") return Ending::interrupted;
  if (status != result.end() && *status == "budget-spent") return Ending::budget_spent;
  return Ending::complete;
}

}  // namespace

std::vector<std::string> recomputation_differences(const record::Record& record) {
  if (!record.result) {
    return {"result.json: the record holds no result; it was interrupted before it was judged"};
  }
  if (!record.result->is_object()) return {"result.json: not an object"};
  const auto method = record.result->find("method");
  if (method != record.result->end() && *method != experiment::method_version) {
    return {
        fmt::format("result.json.method: {} in the record; this version of Assay computes {} "
                    "only, so nothing can be recomputed",
                    shown(*method), experiment::method_version)};
  }
  std::vector<std::string> differences;
  const Json computed = to_json(judge(record.evidence, ending_of(*record.result)));
  compare(*record.result, computed, "result.json", differences);
  return differences;
}

}  // namespace assay::judge
