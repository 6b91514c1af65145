// SPDX-License-Identifier: MIT
//
// Fake: a device whose clock and faults come from a script, so that everything behind the worker,
// up to the verdict and the exit status, can be tested without waiting and with known truth. Its
// start times lie on a scale of their own (a trial begins at trial · 10^12 ns), so that the same
// script gives the same record.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/device/fake/script.hpp"

namespace assay::device {

class Fake : public Device {
 public:
  explicit Fake(Script script, Use use = {}) : script_(std::move(script)), use_(std::move(use)) {}

  std::string id() const override { return "fake"; }
  std::string name() const override { return "scripted clock"; }
  std::shared_ptr<const MachineCeilings> known_ceilings() override { return script_.ceilings; }
  std::optional<MachineCeilings> ceilings(const std::set<std::string>& dtypes) override;
  std::vector<std::string> boundaries() const override;
  std::vector<Eviction> evictions() const override;
  // One, "scripted", unless the script says otherwise. As on a GPU a process knows the steps of the
  // timers of its own boundary only; one that is for any takes the first.
  std::vector<Timer> timers() override;

  Allocation allocate(std::size_t bytes) override;
  bool is_host_memory() const override { return !script_.has_own_memory; }
  void copy_to_host(void* host, const void* device, std::size_t bytes) override;
  void copy_from_host(void* device, const void* host, std::size_t bytes) override;
  void copy_within(void* to, const void* from, std::size_t bytes) override;
  void* stream() override { return nullptr; }
  void synchronize() override;
  Reading<std::int64_t> last_level_cache_bytes() const override;
  void bind_to_cores(const std::vector<int>&) override {}
  void evict(Eviction, std::span<const Range>) override {}

  // Carries out the faults of this place that end or stop the process, or throw. A lost device
  // shows at what comes next, as on a real one: at once only where no subject is about to run.
  void begin(const Occasion& occasion) override;
  Disturbance disturbance(const Occasion& occasion) override;
  // By the script; the first reading after begin() of a request is that before its block.
  std::optional<Telemetry> telemetry() override;
  // Runs the invocation once, whatever `iterations` says.
  Measured measure(Invocation& invocation, std::int64_t iterations,
                   const std::string& timer) override;

 private:
  double true_ns(std::int64_t iterations);
  double canary_ns();
  void expect_not_lost() const;
  // Own memory: where it is and how much, and whether the host may touch it just now.
  using Areas = std::map<void*, std::size_t>;
  void open_memory(bool is_open);

  Script script_;
  Use use_;
  std::shared_ptr<Areas> areas_ = std::make_shared<Areas>();
  bool is_open_ = false;
  bool is_lost_ = false;
  Occasion now_;
  Occasion request_;  // the same of the request that is being worked on
  std::int64_t clock_trial_ = -1;
  double clock_ns_ = 0;
  std::uint64_t samples_ = 0;
  std::map<std::string, std::int64_t> advanced_;  // by field, in this process
  bool is_in_block_ = false;                      // the reading before it was taken
  std::uint64_t canary_samples_ = 0;  // apart, so that canaries change no subject's samples
};

}  // namespace assay::device
