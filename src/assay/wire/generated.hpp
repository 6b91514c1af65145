// SPDX-License-Identifier: MIT
//
// Reading wire::Generated back from a message. Internal to the module.
#pragma once

#include "assay/wire/messages.hpp"

namespace assay::wire {

// Throws Error{bad_input}.
Generated generated_from(ObjectReader& reader);

}  // namespace assay::wire
