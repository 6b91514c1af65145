// SPDX-License-Identifier: MIT
//
// Cell: one problem, case, state and boundary made ready to be measured, and the taking of samples.
// What happens between two samples is decided here; the order of samples, their number and their
// length come from the parent. Internal.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/measure/caller.hpp"
#include "assay/measure/copies.hpp"
#include "assay/measure/program.hpp"
#include "assay/wire/messages.hpp"

namespace assay::measure {

// "warm", "cold", "rotate" where the device says how large its last-level cache is, "write-flush"
// where it can, then the problem's own.
std::vector<std::string> states_of(const Problem& problem, const device::Device& device);

class Cell {
 public:
  // The label under which the baseline is measured a second time.
  static constexpr const char* control = "control";

  // Allocates and fills. Throws Error{usage} for names, a state, a boundary or a timer that are not
  // there, or a subject that does not support the case. timers: those of the device, the default
  // first.
  Cell(const Problem& problem, device::Device& device, wire::Mark& mark, wire::Prepare request,
       const std::vector<std::string>& timers);

  // Runs the subjects' own preparations, each timed. A subject whose preparation throws is out.
  wire::Prepared prepare();

  // Calls of a sample at most; nothing: as many as are asked for.
  std::optional<std::int64_t> max_iterations() const;
  const std::string& timer() const noexcept { return request_.timer; }

  // One sample of each, in order. A subject that throws gives a failure instead of its sample.
  // Throws Error{usage} for a name that is not in the cell, or more iterations than are possible.
  wire::BlockDone block(const wire::Block& request);

  // By the library for this subject: the tensors of the cell and its own scratch, so far.
  std::int64_t allocated_bytes(const std::string& label) const;

  // Outputs kept by the last block that was asked to; nullptr if there is none of that label.
  const OutputCopy* kept(const std::string& label) const;

  const Problem& problem() const noexcept { return *problem_; }
  const Case& which() const noexcept { return request_.cell.the_case; }
  // The one that all checks but of timed outputs are about; of a cell that rotates the first.
  Workspace& workspace() noexcept { return copies_->first(); }
  // Every input anew, of all copies alike.
  void fill(std::uint64_t content_key) { copies_->fill(content_key); }
  const Caller& caller() const noexcept { return caller_; }

  // How a sample is prepared.
  struct Preparation {
    enum class Kind { warm, evict, rotate, named };
    Kind kind = Kind::warm;
    device::Eviction how = device::Eviction::clean;
    StateCallback callback;
  };

  struct Member {
    const Subject* subject;
    std::shared_ptr<Context> context;  // the control's is the baseline's
    Preparation preparation;
    // Where it rotates: on each of the copies. The first is `context`.
    std::vector<std::shared_ptr<Context>> on_copies = {};
  };
  // Throws Error{usage} that lists the names.
  const Member& member(const std::string& label) const;
  device::Occasion occasion(const char* stage, const std::string& label) const;

 private:
  // Throws Error{usage} for a state that is not there.
  Preparation preparation_for(const std::string& state) const;
  wire::SampleTaken sample(const std::string& label, const wire::Block& request, const char* stage);
  bool is_to_rotate() const;
  // The subject's contexts: one, or one on each copy.
  static std::vector<std::shared_ptr<Context>> contexts_of(const Member& member);
  void evict(device::Eviction how, const Workspace& workspace, const Context& context);
  experiment::Failure failure(const char* stage, const std::string& label,
                              const std::string& message) const;

  const Problem* problem_;
  wire::Prepare request_;
  Caller caller_;
  std::unique_ptr<Copies> copies_;
  std::map<std::string, Member> members_;
  std::map<std::string, OutputCopy> kept_;
  std::int64_t kept_block_ = -1;
};

}  // namespace assay::measure
