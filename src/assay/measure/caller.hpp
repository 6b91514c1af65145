// SPDX-License-Identifier: MIT
//
// Caller: calls a subject the way a worker always does: on the right cores, with the mark set, the
// device told, and the device's work finished before anyone looks. Internal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/measure/context.hpp"
#include "assay/measure/counted_calls.hpp"
#include "assay/measure/source_launch.hpp"
#include "assay/measure/subject.hpp"
#include "assay/wire/mark.hpp"

namespace assay::measure {

class Caller {
 public:
  // single_core: for subjects of one thread; all_cores: for the others. Empty: the process's own.
  Caller(device::Device& device, wire::Mark& mark, std::vector<int> single_core,
         std::vector<int> all_cores)
      : device_(&device),
        mark_(&mark),
        single_core_(std::move(single_core)),
        all_cores_(std::move(all_cores)) {}

  device::Device& device() const noexcept { return *device_; }
  // The threads that a call uses: as declared, or as many as there are cores for it.
  int threads_of(const Subject& subject) const;

  // All let through what the subject throws. The occasion names the subject.

  // Whatever must be done before the first call with this context: load and prepare, as far as the
  // subject has the one and the other.
  void make_ready(const Subject& subject, Context& context, const device::Occasion& occasion) const;
  // Of a subject that is given as source: compiles it; the context launches it from now on, and
  // loads it when it does so first.
  std::shared_ptr<SourceLaunch> compile(const Subject& subject, Context& context,
                                        const device::Occasion& occasion) const;
  // The same, and loads it.
  std::shared_ptr<SourceLaunch> load(const Subject& subject, Context& context,
                                     const device::Occasion& occasion) const;
  void prepare(const Subject& subject, Context& context, const device::Occasion& occasion) const;
  void call(const Subject& subject, Context& context, const device::Occasion& occasion) const;
  device::Measured measure(const Subject& subject, Context& context, std::int64_t iterations,
                           const std::string& timer, const device::Occasion& occasion) const;

  // So many calls without a timer, the window open around them and nothing else.
  void count(const Subject& subject, Context& context, std::int64_t calls, CountingWindow& window,
             const device::Occasion& occasion) const;

  void bind(const Subject& subject) const;

 private:
  template <typename F>
  void blaming(const device::Occasion& occasion, F&& f) const;

  device::Device* device_;
  wire::Mark* mark_;
  std::vector<int> single_core_;
  std::vector<int> all_cores_;
};

// The kind of failure that the exception which is being handled is: code-refused, subject-error.
const char* failure_of_current_exception();

// The text of the exception that is being handled.
std::string message_of_current_exception();

}  // namespace assay::measure
