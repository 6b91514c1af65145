// SPDX-License-Identifier: MIT
#include <algorithm>

#include "assay/base/error.hpp"
#include "assay/experiment/description.hpp"
#include "assay/experiment/detail/check_protocol.hpp"
#include "assay/experiment/detail/readers.hpp"

namespace assay::experiment::detail {
namespace {

const std::vector<std::string_view> known_boundaries = {"device", "call", "cold-start", "command"};

// Takes a value, or notes that its default was used.
template <typename T, typename Value>
void take(const std::optional<Value>& value, T& to, const std::string& key,
          Experiment& experiment) {
  if (value) {
    to = static_cast<T>(*value);
  } else {
    experiment.defaults_used.push_back(key);
  }
}

void check_boundaries(const TableReader& reader, const std::vector<std::string>& boundaries) {
  for (const std::string& boundary : boundaries) {
    if (std::find(known_boundaries.begin(), known_boundaries.end(), boundary) ==
        known_boundaries.end()) {
      reader.fail("boundary", "there is no boundary \"" + boundary + "\"",
                  "some of " + quoted_list(known_boundaries));
    }
  }
}

void check_states(const TableReader& reader, const std::vector<std::string>& states) {
  for (const std::string& state : states) {
    if (!can_stand_in_id(state)) {
      reader.fail("state", "\"" + state + "\" cannot name a state",
                  "a name without blanks, commas, quotes, equals signs and slashes");
    }
  }
}

// trouble ends in what was expected.
constexpr std::int64_t most_blocks = 100'000;
constexpr double shortest_timeout_s = 0.1;

[[noreturn]] void fail_whole(const TableReader& reader, std::string_view key,
                             const std::string& trouble) {
  throw Error(ErrorKind::bad_input, reader.place(reader.line_of(key), key) + ": " + trouble);
}

void read_noise_floor(const TableReader& reader, Protocol& protocol, Experiment& experiment) {
  std::string rule = "apply";
  take(reader.text("noise_floor"), rule, "protocol.noise_floor", experiment);
  if (rule != "apply" && rule != "ignore") {
    reader.fail("noise_floor", "there is no rule \"" + rule + "\"",
                "\"apply\", so that the margin in force is never below it, or \"ignore\"");
  }
  protocol.ignores_noise_floor = rule == "ignore";
}

}  // namespace

void read_protocol(const Node& table, const std::string& file, Experiment& experiment) {
  const TableReader reader(
      table, file, "protocol",
      {"boundary", "state", "looks", "alpha", "margin", "precision", "blocks", "sample", "budget",
       "seed", "timer", "warmup_blocks_max", "timeout", "noise_floor"});
  Protocol& protocol = experiment.protocol;
  take(reader.texts("boundary"), protocol.boundaries, "protocol.boundary", experiment);
  check_boundaries(reader, protocol.boundaries);
  take(reader.texts("state"), protocol.states, "protocol.state", experiment);
  check_states(reader, protocol.states);
  take(reader.number("alpha", {0, 0.5, true, true}), protocol.alpha, "protocol.alpha", experiment);
  take(reader.integers("looks"), protocol.looks, "protocol.looks", experiment);
  const std::string trouble = trouble_with_looks(protocol.looks, protocol.alpha);
  if (!trouble.empty()) {
    fail_whole(reader, reader.find("looks") != nullptr ? "looks" : "alpha", trouble);
  }
  take(reader.number("margin", {0, 1, false, true}), protocol.margin, "protocol.margin",
       experiment);
  // No default here: only a program with one subject has use for one.
  protocol.precision = reader.number("precision", {0, 1, true, true});
  take(reader.integer("blocks", 3), protocol.blocks, "protocol.blocks", experiment);
  if (protocol.blocks > most_blocks) {
    fail_whole(reader, "blocks",
               "this is " + std::to_string(protocol.blocks) + "; expected at most " +
                   std::to_string(most_blocks) + " samples of a subject in a trial");
  }
  take(reader.duration_s("sample"), protocol.sample_s, "protocol.sample", experiment);
  take(reader.duration_s("budget"), protocol.budget_s, "protocol.budget", experiment);
  take(reader.integer("seed", 0), protocol.seed, "protocol.seed", experiment);
  take(reader.text("timer"), protocol.timer, "protocol.timer", experiment);
  take(reader.integer("warmup_blocks_max", 0), protocol.warmup_blocks_max,
       "protocol.warmup_blocks_max", experiment);
  take(reader.duration_s("timeout"), protocol.timeout_s, "protocol.timeout", experiment);
  if (protocol.timeout_s < shortest_timeout_s) {
    fail_whole(reader, "timeout", "too short for any process to answer; expected at least 100ms");
  }
  read_noise_floor(reader, protocol, experiment);
  for (const std::string_view key : {"boundary", "state", "timer", "precision"}) {
    experiment.lines["protocol." + std::string(key)] = reader.line_of(key);
  }
}

void read_layout(const Node& table, const std::string& file, Experiment& experiment) {
  const TableReader reader(table, file, "layout", {"replicates"});
  take(reader.integer("replicates", 1), experiment.layout_replicates, "layout.replicates",
       experiment);
  const std::string trouble =
      trouble_with_replicates(experiment.layout_replicates, experiment.protocol.looks);
  if (!trouble.empty()) fail_whole(reader, "replicates", trouble);
}

}  // namespace assay::experiment::detail
