// SPDX-License-Identifier: MIT
#include "assay/measure/caller.hpp"

#include <sched.h>

#include <algorithm>
#include <exception>

namespace assay::measure {
namespace {

// While it lives, the mark names the subject.
class Marked {
 public:
  Marked(wire::Mark& mark, const std::string& subject) : mark_(mark) { mark_.set(subject); }
  ~Marked() { mark_.set({}); }
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;

 private:
  wire::Mark& mark_;
};

class SubjectLoop final : public device::Invocation {
 public:
  SubjectLoop(detail::Loop& loop, Context& context) : loop_(loop), context_(context) {}
  void run(std::int64_t iterations) override { loop_.run(context_, iterations); }

 private:
  detail::Loop& loop_;
  Context& context_;
};

int cores_of_process() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(CPU_COUNT(&set), 1);
}

long native_code_of_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::device ? error.native_code() : 0;
  } catch (...) {
    return 0;
  }
}

}  // namespace

// A fault of a device shows at a later call, and code that checks for itself throws something of
// its own: what was the device's doing is told as that, with the subject that ran. So is code that
// the device's driver does not take, of which it depends on the subject what it makes of it.
template <typename F>
void Caller::blaming(const device::Occasion& occasion, F&& f) const {
  try {
    try {
      f();
    } catch (const device::DeviceLost&) {
      throw;
    } catch (const device::CodeRefused&) {
      throw;
    } catch (...) {
      const std::exception_ptr own = std::current_exception();
      const std::string message = message_of_current_exception();
      const long native_code = native_code_of_current_exception();
      try {
        device_->synchronize();
      } catch (const device::DeviceLost&) {
        throw;
      } catch (const std::exception&) {
        // What the subject said is the cause.
      }
      if (const auto refused = device_->refused_code(message, native_code)) {
        throw device::CodeRefused(message + "; " + *refused, native_code);
      }
      std::rethrow_exception(own);
    }
  } catch (device::DeviceLost& lost) {
    lost.subject = occasion.subject;
    throw;
  }
}

int Caller::threads_of(const Subject& subject) const {
  if (subject.declared_threads() != all_cores) return subject.declared_threads();
  return all_cores_.empty() ? cores_of_process() : static_cast<int>(all_cores_.size());
}

void Caller::bind(const Subject& subject) const {
  device_->bind_to_cores(subject.declared_threads() == 1 ? single_core_ : all_cores_);
}

void Caller::make_ready(const Subject& subject, Context& context,
                        const device::Occasion& occasion) const {
  if (subject.source() != nullptr) load(subject, context, occasion);
  if (subject.preparation()) prepare(subject, context, occasion);
}

std::shared_ptr<SourceLaunch> Caller::compile(const Subject& subject, Context& context,
                                              const device::Occasion& occasion) const {
  bind(subject);
  const Marked marked(*mark_, occasion.subject);
  device_->begin(occasion);
  std::shared_ptr<SourceLaunch> launch;
  blaming(occasion, [&] {
    launch = std::make_shared<SourceLaunch>(*subject.source(), context, *device_);
    device_->synchronize();
  });
  context.set_launch(launch);
  return launch;
}

std::shared_ptr<SourceLaunch> Caller::load(const Subject& subject, Context& context,
                                           const device::Occasion& occasion) const {
  auto launch = compile(subject, context, occasion);
  const Marked marked(*mark_, occasion.subject);
  blaming(occasion, [&] {
    launch->load();
    device_->synchronize();
  });
  return launch;
}

void Caller::prepare(const Subject& subject, Context& context,
                     const device::Occasion& occasion) const {
  bind(subject);
  const Marked marked(*mark_, occasion.subject);
  device_->begin(occasion);
  blaming(occasion, [&] {
    subject.preparation()(context);
    device_->synchronize();
  });
}

void Caller::call(const Subject& subject, Context& context,
                  const device::Occasion& occasion) const {
  bind(subject);
  const Marked marked(*mark_, occasion.subject);
  device_->begin(occasion);
  blaming(occasion, [&] {
    subject.loop(context.which()).run(context, 1);
    device_->synchronize();
  });
}

device::Measured Caller::measure(const Subject& subject, Context& context, std::int64_t iterations,
                                 const std::string& timer, const device::Occasion& occasion) const {
  SubjectLoop loop(subject.loop(context.which()), context);
  const Marked marked(*mark_, occasion.subject);
  device_->begin(occasion);
  device::Measured measured;
  blaming(occasion, [&] { measured = device_->measure(loop, iterations, timer); });
  return measured;
}

void Caller::count(const Subject& subject, Context& context, std::int64_t calls,
                   CountingWindow& window, const device::Occasion& occasion) const {
  bind(subject);
  detail::Loop& loop = subject.loop(context.which());
  const Marked marked(*mark_, occasion.subject);
  device_->begin(occasion);
  blaming(occasion, [&] {
    window.open();
    assay_counted_calls(&loop, &context, calls);
    window.close();
    device_->synchronize();
  });
}

const char* failure_of_current_exception() {
  try {
    throw;
  } catch (const device::CodeRefused&) {
    return experiment::failure::code_refused;
  } catch (...) {
    return experiment::failure::subject_error;
  }
}

std::string message_of_current_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

}  // namespace assay::measure
