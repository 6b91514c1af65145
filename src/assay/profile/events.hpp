// SPDX-License-Identifier: MIT
//
// Names of events as numbers that the kernel takes: libpfm4 knows those of every processor. It is
// asked here, in the command, so that no program that is measured has to be linked with it.
// Internal.
#pragma once

#include <string>
#include <vector>

#include "assay/base/perf_event.hpp"

namespace assay::profile {

struct NamedEvent {
  std::string name;
  std::string unit;
  std::string meaning;
  PerfEvent event;
};

// What a person wants to know first, by the kernel's own generic numbers.
std::vector<NamedEvent> default_events();

// In libpfm4's syntax, PMU::EVENT:MASK:MODIFIER. Without modifiers of the mode: in programs, not in
// the kernel for them; of the kernel's own events (page faults, context switches) in both. Throws
// Error{usage} for a name that libpfm4 does not know on this processor, Error{worker} where Assay
// was built without it.
NamedEvent event_of_name(const std::string& name);

// "libpfm4", or that there is none.
std::string events_library();

}  // namespace assay::profile
