// SPDX-License-Identifier: MIT
//
// In a build without Highway or hwloc: the program is complete, and says what it lacks.
#include "assay/base/error.hpp"
#include "ceilings.hpp"

namespace assay::probe {

MachineCeilings measure_ceilings(double) {
  throw Error(ErrorKind::device,
              "this assay-probe was built without Highway and hwloc (Debian, Ubuntu: libhwy-dev, "
              "libhwloc-dev), which the kernels of the ceilings need; build it with them");
}

}  // namespace assay::probe
