// SPDX-License-Identifier: MIT
//
// AnyWorker: what a crew asks, whatever kind of worker answers.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "assay/run/command_worker.hpp"
#include "assay/run/worker.hpp"

namespace assay::run {

class AnyWorker {
 public:
  // A worker of kind `assay`, or of kind `command`.
  explicit AnyWorker(Worker worker) : worker_(std::move(worker)) {}
  explicit AnyWorker(CommandWorker worker) : worker_(std::move(worker)) {}

  Worker::Asked ask(const wire::Request& request, const std::string& stage) {
    return std::visit([&](auto& worker) { return worker.ask(request, stage); }, worker_);
  }
  std::variant<std::monostate, experiment::Failure> end() {
    return std::visit([](auto& worker) { return worker.end(); }, worker_);
  }
  const std::string& build() const {
    return std::visit([](const auto& worker) -> const std::string& { return worker.build(); },
                      worker_);
  }
  // Absent for commands, which are other processes each time.
  std::optional<std::int64_t> process_id() const {
    const auto* worker = std::get_if<Worker>(&worker_);
    if (worker == nullptr) return std::nullopt;
    return worker->process_id();
  }

  // Of a worker's process; 0 of commands.
  std::int64_t launched_ns() const {
    const auto* worker = std::get_if<Worker>(&worker_);
    return worker == nullptr ? 0 : worker->launched_ns();
  }

  // One of either kind, or why there is none.
  using Started = std::variant<AnyWorker, experiment::Failure>;
  template <typename Kind>
  static Started from(std::variant<Kind, experiment::Failure> started) {
    if (auto* failure = std::get_if<experiment::Failure>(&started)) return std::move(*failure);
    return AnyWorker(std::move(std::get<Kind>(started)));
  }

 private:
  std::variant<Worker, CommandWorker> worker_;
};

}  // namespace assay::run
