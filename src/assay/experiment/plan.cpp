// SPDX-License-Identifier: MIT
#include "assay/experiment/plan.hpp"

#include <algorithm>

#include "assay/base/digest.hpp"

namespace assay::experiment {

std::string Cell::id() const {
  return problem + '/' + the_case.id() + '/' + state + '/' + boundary;
}

std::vector<std::pair<std::string, std::string>> states_and_boundaries(
    const std::vector<std::string>& states, const std::vector<std::string>& boundaries) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& state : states) {
    for (const std::string& boundary : boundaries) {
      if (boundary != cold_start_boundary) {
        pairs.emplace_back(state, boundary);
      } else if (&state == &states.front()) {
        pairs.emplace_back(fresh_state, boundary);
      }
    }
  }
  return pairs;
}

double Plan::margin_in_force() const {
  return noise_floor.has_value() ? std::max(protocol.margin, *noise_floor) : protocol.margin;
}

bool Plan::is_noise_floor_in_force() const {
  return noise_floor.has_value() && *noise_floor > protocol.margin;
}

std::size_t Plan::primaries() const {
  return static_cast<std::size_t>(std::count_if(
      comparisons.begin(), comparisons.end(),
      [](const Comparison& comparison) { return comparison.prediction.has_value(); }));
}

std::string protocol_hash(const Plan& plan) {
  const Protocol& protocol = plan.protocol;
  // Sets: the order in which a file lists them changes no number.
  auto boundaries = protocol.boundaries;
  auto states = protocol.states;
  std::sort(boundaries.begin(), boundaries.end());
  std::sort(states.begin(), states.end());
  // The noise floor is the machine's, not the protocol's: two machines may be compared.
  Json json = {{"method", method_version},
               {"boundaries", boundaries},
               {"states", states},
               {"looks", protocol.looks},
               {"alpha", protocol.alpha},
               {"margin", protocol.margin},
               {"precision", protocol.precision ? Json(*protocol.precision) : Json()},
               {"blocks", protocol.blocks},
               {"sample_s", protocol.sample_s},
               {"timer", protocol.timer},
               {"warmup_blocks_max", protocol.warmup_blocks_max},
               {"layout_replicates", plan.layout_replicates},
               {"quick", plan.quick}};
  // Whether it is regarded at all is the protocol's.
  if (protocol.ignores_noise_floor) json["noise_floor"] = "ignore";
  return sha256_hex(json_text(json));
}

}  // namespace assay::experiment
