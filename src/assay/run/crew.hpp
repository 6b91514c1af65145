// SPDX-License-Identifier: MIT
//
// Crew: the worker processes of one trial, one per build, side by side. Only the one that is asked
// runs: the request is the token, so blocks interleave across builds as they do within one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assay/run/any_worker.hpp"
#include "assay/run/session.hpp"

namespace assay::run {

// Where the program of a build lies; layout 0 is the program as named, K > 0 its K-th seeded
// layout.
std::filesystem::path program_of_layout(const std::filesystem::path& program, std::int64_t layout);

// Where a trial's processes begin their stack and heap, drawn from the plan's seed: the bytes that
// pad the environment, and those that the worker allocates first. Each covers a page: the operating
// system moves both by whole pages itself.
struct Offsets {
  std::size_t padding_bytes = 0;  // below 4096
  std::size_t heap_bytes = 0;     // a multiple of 16 below 4096
};
Offsets offsets_of_trial(std::uint64_t seed, std::int64_t trial);

// Cores that this process may run on, ascending.
std::vector<int> cores_allowed();

// The build's index in the plan.
std::size_t index_of_build(const experiment::Plan& plan, const std::string& build);

// What a crew is started for.
struct CrewPurpose {
  // Of the cells that it is asked for. What a process must do before the first work for one
  // boundary (a profiler's hooks on a device) may disturb another.
  std::string boundary;
  std::optional<std::size_t> build = {};  // only the worker of this one …
  std::string subject = {};  // … for this subject: to blame for what is not known to be another's
};

class Crew {
 public:
  // Starts a worker per build of the plan, pinned by the trial's draw, and has each describe
  // itself, which opens its device. A failure to start is recorded by the crew, which tries again
  // a few times, pausing in between by Hooks::pause; then the step is hopeless. Not so where the
  // program is missing: that is hopeless at once; nor beyond the budget: then it is spent.
  static std::variant<Crew, Step> start(Session& session, std::int64_t trial,
                                        const CrewPurpose& purpose);

  bool has(std::size_t build) const noexcept {
    return build >= first_build_ && build - first_build_ < workers_.size();
  }
  // `cell`: whom to blame. On a failure it is recorded, and the whole crew is gone. `step` says so.
  struct Asked {
    Step step = Step::done;
    std::optional<wire::Answer> answer;
  };
  Asked ask(std::size_t build, const wire::Request& request, const std::string& stage,
            std::size_t cell);

  // Asks every worker for its canaries and keeps them; moment: "start", "end". Not an error where a
  // worker refuses: its row says so. worker_lost if one did not live through them: the crew is
  // gone, the failure recorded, and none is asked again in this run.
  Step canaries(const std::string& moment);

  // Ends the workers and writes their rows of trials.csv. A worker that cannot end properly is
  // recorded as a failure.
  void end();
  // Kills them and writes their rows with this outcome.
  void abandon(const std::string& outcome);

  std::uint32_t process_of(std::size_t build) const { return rows_number(build); }
  std::int64_t layout() const noexcept { return layout_; }
  std::int64_t trial() const noexcept { return trial_; }
  int core() const noexcept { return core_; }
  const std::string& boundary() const noexcept { return purpose_.boundary; }
  std::int64_t launched_ns(std::size_t build) const {
    return workers_[build - first_build_].launched_ns();
  }
  // The timer of its cells, as its processes describe it: the coarsest step of them. A plan may
  // have been made by a process that did not use it.
  const Reading<double>& timer_step_ns() const noexcept { return timer_step_ns_; }
  // Notes that the cell's warm-up hit its cap.
  void note_not_steady(const std::string& cell_id);

 private:
  Crew(Session& session, std::int64_t trial, CrewPurpose purpose);
  static std::variant<Crew, Step> start_once(Session& session, std::int64_t trial,
                                             const CrewPurpose& purpose);
  void describe_to(wire::Describe& describe) const;
  const char* why_no_canaries() const;  // as far as that is known from the start
  void note_step(const experiment::ProgramDescription& description);
  std::string timer() const;  // of the plan's cells at its boundary
  AnyWorker::Started start_worker(const experiment::Build& build, std::uint32_t process,
                                  const std::vector<int>& cores);
  std::uint32_t rows_number(std::size_t build) const {
    return static_cast<std::uint32_t>(rows_[build - first_build_].process);
  }
  void write_rows(const std::string& outcome);
  void keep_canaries(std::size_t build, const std::string& moment,
                     const std::vector<wire::SampleTaken>& samples);

  Session* session_;
  std::int64_t trial_;
  CrewPurpose purpose_;
  std::size_t first_build_ = 0;
  Reading<double> timer_step_ns_ = Missing{"not-described", "no process has said it"};
  std::int64_t layout_ = 0;
  int core_ = 0;
  std::vector<AnyWorker> workers_;  // in the order of Plan::builds, from first_build_ on
  std::vector<record::Trial> rows_;
};

}  // namespace assay::run
