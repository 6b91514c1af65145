// SPDX-License-Identifier: MIT
//
// In place of events_pfm.cpp where there is no libpfm4 to build with.
#include "assay/base/error.hpp"
#include "assay/profile/events.hpp"

namespace assay::profile {

NamedEvent event_of_name(const std::string& name) {
  throw Error(ErrorKind::worker,
              "--event " + name.substr(0, 80) +
                  ": this Assay was built without libpfm4, which knows the names "
                  "of events; build it where libpfm4-dev is installed");
}

std::string events_library() { return "without libpfm4"; }

}  // namespace assay::profile
