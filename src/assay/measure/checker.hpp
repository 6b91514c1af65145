// SPDX-License-Identifier: MIT
//
// Checker: judges outputs against the reference: before timing, of timed samples, on adversarial
// inputs; and whether the check would have caught a subject that does not do the work. Results of
// the reference are kept, so that all subjects of a case share one. Internal.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/measure/cell.hpp"
#include "assay/problem/adversarial.hpp"
#include "assay/problem/compare.hpp"

namespace assay::measure {

class Checker {
 public:
  // What Check::kind asks for. measured: the cases of the problem that are measured, which the
  // adversarial cases are made from. Throws Error{usage} for an unknown kind or subject, and
  // ReferenceFailed.
  wire::Checked check(Cell& cell, const wire::Check& request, const std::vector<Case>& measured);

  // The reference threw: nothing can be said of any subject.
  class ReferenceFailed : public Error {
   public:
    using Error::Error;
  };

 private:
  void before(Cell& cell, const wire::Check& request, wire::Checked& checked);
  void timed(Cell& cell, const wire::Check& request, wire::Checked& checked);
  void adversarial(Cell& cell, const wire::Check& request, const std::vector<Case>& measured,
                   wire::Checked& checked);
  void adversarial_case(Cell& cell, const wire::Check& request, const AdversarialCase& which,
                        wire::Checked& checked);
  void gate_power(Cell& cell, const wire::Check& request, wire::Checked& checked);

  // nullptr for an unchecked problem. Adds the time to checked.reference_ns.
  std::shared_ptr<const ReferenceResult> reference(const Problem& problem, Workspace& workspace,
                                                   const std::string& content, bool also_flushed,
                                                   wire::Checked& checked);

  std::map<ReferenceKey, std::shared_ptr<const ReferenceResult>> cache_;
  std::deque<ReferenceKey> cached_;  // oldest first
  std::size_t cached_bytes_ = 0;
};

}  // namespace assay::measure
