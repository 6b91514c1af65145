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
  // is_untouched: nothing that a first call must not come after has run in this process.
  Cell(const Problem& problem, device::Device& device, wire::Mark& mark, wire::Prepare request,
       const std::vector<std::string>& timers, bool is_untouched = false);

  // Runs the subjects' own preparations, each timed. A subject whose preparation throws is out.
  wire::Prepared prepare();

  // Calls of a sample at most; nothing: as many as are asked for.
  std::optional<std::int64_t> max_iterations() const;
  const std::string& timer() const noexcept { return request_.timer; }

  // One sample of each, in order. A subject that throws gives a failure instead of its sample.
  // Throws Error{usage} for a name that is not in the cell, or more iterations than are possible.
  wire::BlockDone block(const wire::Block& request);

  // So many calls of the subject, made ready for as a sample is, with the window open around them
  // instead of a timer. Lets through what the subject throws. Throws Error{usage} for a name that
  // is not in the cell, or more calls than are possible.
  void count(const std::string& label, std::int64_t calls, CountingWindow& window);

  // By the library for this subject: the tensors of the cell and its own scratch, so far.
  std::int64_t allocated_bytes(const std::string& label) const;

  // Of the boundary cold-start: how long the parts took that are its own; the rest is untold.
  bool is_cold_start() const { return request_.cell.boundary == cold_start_boundary; }
  const Startup& startup() const noexcept { return startup_; }

  // Outputs kept by the last block that was asked to; nullptr if there is none of that label.
  const OutputCopy* kept(const std::string& label) const;

  const Problem& problem() const noexcept { return *problem_; }
  const Case& which() const noexcept { return request_.cell.the_case; }
  // The one that all checks but of timed outputs are about; of a cell that rotates the first.
  Workspace& workspace() noexcept { return copies_->first(); }
  // To be said by whoever is going to read it or to call on it beside the samples.
  void touch_workspace() noexcept { copies_->touch(0); }
  // Every input anew, of all copies alike.
  void fill(std::uint64_t content_key) { copies_->fill(content_key); }
  const Caller& caller() const noexcept { return caller_; }

  // How a sample is prepared.
  struct Preparation {
    enum class Kind { warm, evict, rotate, named, fresh };
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
  Preparation preparation_of(const Subject& subject) const;
  void expect_first_call(const wire::Block& request) const;
  void leave_out(experiment::Failure why, wire::Prepared& answer);  // of the cell
  void make_code(const std::string& name, const Subject& subject, Context& context,
                 wire::Prepared& answer);
  void run_preparation(const std::string& name, const Subject& subject, Context& context,
                       wire::Prepared& answer);
  void note_first_call(const device::Measured& interval);
  void expect_possible(std::int64_t iterations) const;
  // Where the next calls of a subject work: in the one workspace, or in the next of its copies.
  struct Place {
    Workspace* workspace;
    Context* context;
    bool rotates = false;
    bool is_hot = false;  // of one that rotates: others worked on it since its last turn
  };
  Place take_place(const Member& measured);
  // What comes right before the calls of a sample. poison_key: of outputs that are going to be
  // looked at.
  void make_ready(const Member& measured, const Place& place, const device::Occasion& now,
                  std::optional<std::uint64_t> poison_key);
  wire::SampleTaken sample(const std::string& label, const wire::Block& request, const char* stage);
  bool is_to_rotate() const;
  // The subject's contexts: one, or one on each copy.
  static std::vector<std::shared_ptr<Context>> contexts_of(const Member& member);
  void evict(device::Eviction how, const Place& place);
  experiment::Failure failure(const char* stage, const std::string& label,
                              const std::string& message) const;
  // Of the exception that is being handled.
  experiment::Failure failure_now(const char* stage, const std::string& label) const;

  const Problem* problem_;
  wire::Prepare request_;
  Caller caller_;
  std::unique_ptr<Copies> copies_;
  std::map<std::string, Member> members_;
  std::map<std::string, OutputCopy> kept_;
  std::int64_t kept_block_ = -1;
  Startup startup_;
  bool is_untouched_;
  std::shared_ptr<const SourceLaunch> unloaded_;  // loaded by the first call
};

}  // namespace assay::measure
