// SPDX-License-Identifier: MIT
//
// What differs between two environments, in the order of how much it matters for times. A
// difference attributes nothing by itself: only where one thing alone differs may a change of times
// be put down to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/base/json.hpp"

namespace assay::env {

// From what makes two measurements incomparable to what is another from one second to the next.
enum class Weight {
  machine,   // another processor, device or hypervisor
  code,      // other machine code was run
  clocks,    // how fast the cores may go, and who shares them
  system,    // kernel, microcode, libraries, drivers
  memory,    // pages, nodes, limits
  process,   // how this process was started
  identity,  // names, which move no time
  moment,    // load, counters: they differ always
};

struct Difference {
  Weight weight;
  std::string fact;  // "cpu.governor", "builds.candidate.sha256"
  // As readings: {"value": …}, {"missing": …}, or null where the environment has no such fact.
  Json before;
  Json after;
};

// "another machine", "other machine code", …: the heading of a group.
std::string_view heading(Weight weight);
// "machine", "code", …
std::string_view name(Weight weight);
Weight weight_of(std::string_view fact);

// Facts that are read differently are compared by their values alone. Sorted by weight, then as the
// facts stand. Throws Error{bad_input} for what is no environment.
std::vector<Difference> differences(const Json& before, const Json& after);

// One paragraph for each weight that has some, then what only one of the two has; "The two
// environments agree.\n" for none.
std::string differences_text(const std::vector<Difference>& all);
Json to_json(const std::vector<Difference>& all);

}  // namespace assay::env
