// SPDX-License-Identifier: MIT
#include <assay/assay.hpp>

void assay::define(assay::Program& program) {
  auto& nothing = program.problem("nothing").unchecked();
  nothing.subject("empty", [] {});
  nothing.subject("also-empty", [] {});
}
