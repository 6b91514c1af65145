// SPDX-License-Identifier: MIT
//
// In a build without Highway: the program is complete, and says what it lacks.
#include "assay/base/error.hpp"
#include "ceilings.hpp"

namespace assay::probe {

MachineCeilings measure_ceilings(double) {
  throw Error(ErrorKind::device,
              "this assay-probe was built without Highway (Debian, Ubuntu: libhwy-dev), which the "
              "kernels of the ceilings need; build it with it");
}

}  // namespace assay::probe
