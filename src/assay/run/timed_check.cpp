// SPDX-License-Identifier: MIT
#include "assay/run/timed_check.hpp"

#include "assay/base/random.hpp"

namespace assay::run {

bool outputs_are_checked(const Session& session, std::size_t index, std::int64_t trial,
                         std::int64_t block) {
  const experiment::Cell& cell = session.plan().cells[index];
  if (!cell.checked || session.checked_timed.contains(index)) return false;
  const auto blocks =
      static_cast<std::uint64_t>(session.evidence.calibration.cells[index].samples_per_trial);
  Random random(session.key({"timed-check", cell.id()}));
  const auto first_look = static_cast<std::uint64_t>(session.protocol().looks.front());
  const auto drawn_trial = static_cast<std::int64_t>(random.next_below(first_look)) + 1;
  if (trial < drawn_trial) return false;
  if (trial > drawn_trial) {
    random = Random(session.key({"timed-check", cell.id(), std::to_string(trial)}));
  }
  return block == static_cast<std::int64_t>(random.next_below(blocks));
}

}  // namespace assay::run
