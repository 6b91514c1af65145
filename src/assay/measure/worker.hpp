// SPDX-License-Identifier: MIT
//
// Worker: the answering side of the protocol. One request, one answer; whatever goes wrong in
// between is an answer too, and the worker lives on. Internal.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/measure/canary.hpp"
#include "assay/measure/cell.hpp"
#include "assay/measure/checker.hpp"
#include "assay/measure/program.hpp"
#include "assay/wire/channel.hpp"
#include "assay/wire/mark.hpp"
#include "assay/wire/messages.hpp"

namespace assay::measure {

// Measures the ceilings of the machine that it runs on, in about budget_s. Throws Error{device}
// where it cannot.
using CeilingKernels = std::function<MachineCeilings(double budget_s)>;

class Worker {
 public:
  // The program must outlive the worker.
  // kernels: of the ceilings; empty in all programs but assay-probe.
  Worker(const Program& program, wire::Channel channel, std::string nonce, wire::Mark mark,
         CeilingKernels kernels = {});

  // Answers until the parent says `end` or is gone. Throws nothing; returns the exit status: 0, or
  // 1 if the channel itself failed.
  int serve();

 private:
  // What became of one answer.
  enum class Next { go_on, leave };

  Next answer_line(const std::string& line);
  wire::Answer answer(const wire::Request& request);
  wire::Answer act(const wire::Describe& request);
  wire::Answer act(const wire::Prepare& request);
  wire::Answer act(const wire::Check& request);
  wire::Answer act(const wire::Block& request);
  wire::Answer act(const wire::Canary& request);
  wire::Answer act(const wire::Ceilings& request);
  wire::Answer act(const wire::Idle& request);
  wire::Answer act(const wire::End& request);
  // Throws Error{usage} if this process cannot make the first call of a subject any more.
  void expect_untouched() const;
  // Tells the device which request is about to be worked on, and remembers it.
  void begin(const char* stage, std::int64_t block = 0);
  device::Device& device() const;
  Cell& cell() const;
  Next send(const std::string& line);

  const Program* program_;
  wire::Channel channel_;
  std::string nonce_;
  wire::Mark mark_;
  std::unique_ptr<device::Device> device_;
  std::vector<device::Timer> timers_;
  std::map<std::string, std::vector<Case>> cases_;
  std::unique_ptr<Cell> cell_;
  Checker checker_;
  Canaries canaries_;
  CeilingKernels kernels_;
  device::Occasion occasion_;
  std::int64_t began_ns_;
  std::string touched_by_;  // what ran in this process that a first call must not come after
};

// Whether the assay command started this process, and the worker that it asked for. Takes the
// variables out of the environment, so that no process that the user's code starts believes itself
// to be a worker.
bool is_started_as_worker();
int serve_as_worker(const Program& program, CeilingKernels kernels = {});

}  // namespace assay::measure
