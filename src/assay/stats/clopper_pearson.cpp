// SPDX-License-Identifier: MIT
#include "assay/stats/clopper_pearson.hpp"

#include <boost/math/special_functions/beta.hpp>

#include "assay/base/error.hpp"

namespace assay::stats {

Interval clopper_pearson(std::size_t successes, std::size_t trials, double confidence_level) {
  ASSAY_EXPECTS(trials >= 1 && successes <= trials);
  ASSAY_EXPECTS(confidence_level > 0 && confidence_level < 1);
  const double tail = (1 - confidence_level) / 2;
  const auto hits = static_cast<double>(successes);
  const auto misses = static_cast<double>(trials - successes);
  return {successes == 0 ? 0.0 : boost::math::ibeta_inv(hits, misses + 1, tail),
          successes == trials ? 1.0 : boost::math::ibetac_inv(hits + 1, misses, tail)};
}

}  // namespace assay::stats
