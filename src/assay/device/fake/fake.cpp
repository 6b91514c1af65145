// SPDX-License-Identifier: MIT
#include "assay/device/fake/fake.hpp"

#include <fnmatch.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "assay/base/error.hpp"
#include "assay/base/random.hpp"
#include "assay/device/host_memory.hpp"

namespace assay::device {
namespace {

constexpr double latest_ns = 9.2e18;  // as an integer it fits 64 bits

bool fits(const std::optional<std::string>& pattern, const std::string& text) {
  return !pattern || fnmatch(pattern->c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

bool fits(const std::optional<std::int64_t>& wanted, std::int64_t value) {
  return !wanted || *wanted == value;
}

bool fits(const Effect& effect, const Occasion& occasion) {
  return fits(effect.subject, occasion.code) && fits(effect.problem, occasion.problem) &&
         fits(effect.case_id, occasion.case_id) && fits(effect.state, occasion.state);
}

bool fits(const Fault& fault, const Occasion& occasion) {
  return fault.stage == occasion.stage && fits(fault.trial, occasion.trial) &&
         fits(fault.subject, occasion.subject) && fits(fault.problem, occasion.problem) &&
         fits(fault.case_id, occasion.case_id) && fits(fault.state, occasion.state) &&
         fits(fault.block, occasion.block);
}

// A standard normal number under the key (Box and Muller 1958).
double normal(std::uint64_t key) {
  Random random(key);
  const double radius = std::sqrt(-2 * std::log(1 - random.next_uniform()));
  return radius * std::cos(2 * 3.14159265358979323846 * random.next_uniform());
}

double factor_of(double sd, std::uint64_t key) {
  return sd == 0 ? 1.0 : std::max(1 + sd * normal(key), 0.0);
}

// One a call, a moment apart; the last one takes what does not divide.
std::vector<KernelRecord> kernels_of(const std::string& code, const Measured& measured,
                                     std::int64_t calls) {
  constexpr std::int64_t apart_ns = 10;
  const auto interval_ns = static_cast<std::int64_t>(measured.interval_ns);
  std::vector<KernelRecord> kernels;
  std::int64_t start_ns = measured.start_ns;
  for (std::int64_t i = 0; i < calls; ++i) {
    const std::int64_t rest_ns = i + 1 == calls ? interval_ns % calls : 0;
    kernels.push_back({code, start_ns, interval_ns / calls + rest_ns, 1, 256});
    start_ns += kernels.back().duration_ns + apart_ns;
  }
  return kernels;
}

bool names(const TelemetryScript& script, Field field) {
  const std::string name(name_of(field));
  const auto& changes = script.changes;
  return script.values.contains(name) || script.missing.contains(name) ||
         script.advance.contains(name) ||
         std::any_of(changes.begin(), changes.end(), [&](const TelemetryScript::Change& change) {
           return change.values.contains(name) || change.advance.contains(name);
         });
}

// Those of a processor if the script names one that only processors have, those of a GPU if it
// names one that only those have, or neither.
std::vector<Field> fields_of(const TelemetryScript& script) {
  const auto names_only_of = [&](std::span<const Field> some, std::span<const Field> others) {
    return std::any_of(some.begin(), some.end(), [&](Field field) {
      return names(script, field) && std::find(others.begin(), others.end(), field) == others.end();
    });
  };
  const bool is_processor = names_only_of(processor_fields(), gpu_fields());
  std::vector<Field> fields;
  for (std::size_t i = 0; i < telemetry_fields.size(); ++i) {
    const auto field = static_cast<Field>(i);
    const auto is_among = [field](std::span<const Field> some) {
      return std::find(some.begin(), some.end(), field) != some.end();
    };
    if ((is_processor && is_among(processor_fields())) ||
        ((!is_processor || names_only_of(gpu_fields(), processor_fields())) &&
         is_among(gpu_fields()))) {
      fields.push_back(field);
    }
  }
  return fields;
}

std::int64_t sum_of(std::int64_t a, std::int64_t b, const std::string& field) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  throw Error(ErrorKind::bad_input, "the script of the fake device lets '" + field +
                                        "' grow beyond 2^63; make its 'advance' smaller");
}

[[noreturn]] void die_by(int signal) {
  // As a real crash would look to the parent, whatever handlers a sanitizer has put in place; no
  // core file for a death on purpose.
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace

std::vector<std::string> Fake::boundaries() const {
  std::vector<std::string> all;
  for (const TimerScript& timer : script_.timers) {
    for (const std::string& boundary : timer.boundaries) {
      if (std::find(all.begin(), all.end(), boundary) == all.end()) all.push_back(boundary);
    }
  }
  return all;
}

std::vector<Eviction> Fake::evictions() const {
  if (script_.evicts_by_writing) return {Eviction::clean, Eviction::by_writing};
  return {Eviction::clean};
}

Reading<std::int64_t> Fake::last_level_cache_bytes() const {
  if (!script_.last_level_cache_bytes) return Missing{"not-scripted", "the script does not say"};
  return *script_.last_level_cache_bytes;
}

std::optional<MachineCeilings> Fake::ceilings(const std::set<std::string>&) {
  if (!script_.own_ceilings) return std::nullopt;
  return *script_.own_ceilings;
}

std::vector<Timer> Fake::timers() {
  const std::string own = use_.boundary.empty() ? boundaries().front() : use_.boundary;
  std::vector<Timer> timers;
  for (const TimerScript& scripted : script_.timers) {
    Timer timer{scripted.name,     scripted.boundaries,  scripted.resolution_ns,
                scripted.floor_ns, scripted.is_per_call, scripted.is_slope};
    const auto& served = scripted.boundaries;
    if (std::find(served.begin(), served.end(), own) == served.end()) {
      timer.resolution_ns = timer.floor_ns =
          Missing{"other-process", "it is measured in processes that use it"};
    }
    timers.push_back(std::move(timer));
  }
  return timers;
}

void Fake::expect_not_lost() const {
  if (is_lost_) throw DeviceLost("the script of the fake device loses it here");
}

void Fake::open_memory(bool is_open) {
  is_open_ = is_open;
  for (const auto& [data, bytes] : *areas_) {
    mprotect(data, bytes, is_open ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}

Allocation Fake::allocate(std::size_t bytes) {
  if (!script_.has_own_memory) return allocate_host(bytes);
  const std::size_t mapped = std::max<std::size_t>(bytes, 1);
  const int protection = is_open_ ? PROT_READ | PROT_WRITE : PROT_NONE;
  void* data = mmap(nullptr, mapped, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    throw Error(ErrorKind::device, "no room for " + std::to_string(bytes) + " bytes");
  }
  areas_->emplace(data, mapped);
  // Memory may outlive the device.
  return {data, bytes, [areas = areas_, mapped](void* at) {
            areas->erase(at);
            munmap(at, mapped);
          }};
}

void Fake::copy_to_host(void* host, const void* device, std::size_t bytes) {
  expect_not_lost();
  const bool was_open = is_open_;
  if (!was_open) open_memory(true);
  std::memcpy(host, device, bytes);
  if (!was_open) open_memory(false);
}
void Fake::copy_from_host(void* device, const void* host, std::size_t bytes) {
  expect_not_lost();
  const bool was_open = is_open_;
  if (!was_open) open_memory(true);
  std::memcpy(device, host, bytes);
  if (!was_open) open_memory(false);
}
void Fake::copy_within(void* to, const void* from, std::size_t bytes) {
  copy_from_host(to, from, bytes);
}

void Fake::synchronize() {
  open_memory(false);
  expect_not_lost();
}

void Fake::begin(const Occasion& occasion) {
  now_ = occasion;
  if (occasion.subject.empty()) {
    is_in_block_ = false;
    request_ = occasion;
  }
  if (clock_trial_ != occasion.trial) {
    clock_trial_ = occasion.trial;
    clock_ns_ = static_cast<double>(occasion.trial) * 1e12;
  }
  for (const Fault& fault : script_.faults) {
    if (!fits(fault, occasion)) continue;
    switch (fault.kind) {
      case Fault::Kind::crash:
        die_by(fault.signal);
      case Fault::Kind::exit:
        std::_Exit(fault.code);
      case Fault::Kind::hang:
        for (;;) pause();
      case Fault::Kind::throws:
        throw std::runtime_error("the script of the fake device throws here");
      case Fault::Kind::lost:
        is_lost_ = true;
        break;
      default:
        break;
    }
  }
  if (occasion.subject.empty()) {
    expect_not_lost();
  } else {
    open_memory(true);
  }
}

Disturbance Fake::disturbance(const Occasion& occasion) {
  for (const Fault& fault : script_.faults) {
    if (!fits(fault, occasion)) continue;
    switch (fault.kind) {
      case Fault::Kind::wrong_output:
        return {Disturbance::Kind::wrong_output, 0};
      case Fault::Kind::garbage_line:
        return {Disturbance::Kind::garbage_line, 0};
      case Fault::Kind::truncated_line:
        return {Disturbance::Kind::truncated_line, 0};
      case Fault::Kind::slow_answer:
        return {Disturbance::Kind::slow_answer, fault.seconds};
      default:
        break;
    }
  }
  return {};
}

std::optional<Telemetry> Fake::telemetry() {
  if (!script_.telemetry) return std::nullopt;
  const TelemetryScript& script = *script_.telemetry;
  std::map<std::string, std::int64_t> values = script.values;
  std::map<std::string, std::int64_t> advance = script.advance;
  for (const TelemetryScript::Change& change : script.changes) {
    const bool applies = (!change.stage || *change.stage == request_.stage) &&
                         fits(change.block, request_.block) &&
                         request_.trial >= change.from.value_or(request_.trial) &&
                         request_.trial <= change.to.value_or(request_.trial);
    if (!applies) continue;
    for (const auto& [name, value] : change.values) values[name] = value;
    for (const auto& [name, more] : change.advance) {
      advance[name] = sum_of(advance[name], more, name);
    }
  }
  for (const auto& [name, more] : advance) {
    advanced_[name] = sum_of(advanced_[name], is_in_block_ ? more : 0, name);
  }
  is_in_block_ = true;

  Telemetry telemetry;
  telemetry.time_ns = static_cast<std::int64_t>(clock_ns_);
  for (const Field field : fields_of(script)) {
    const std::string name(name_of(field));
    const auto missing = script.missing.find(name);
    if (missing != script.missing.end()) {
      telemetry.set(field, Missing{missing->second, "as the script says"});
    } else if (values.contains(name) || advanced_.contains(name)) {
      telemetry.set(field, sum_of(values[name], advanced_[name], name));
    } else {
      telemetry.set(field, Missing{"not-scripted", "the script gives no value"});
    }
  }
  return telemetry;
}

double Fake::canary_ns() {
  const CanaryScript& canary = script_.canary;
  const std::string kernel = now_.code == "canary-memory" ? "memory" : "compute";
  const std::string moment = now_.block == 0 ? "start" : "end";
  double ns = kernel == "memory" ? canary.memory_ns : canary.compute_ns;
  for (const CanaryScript::Change& change : canary.changes) {
    const bool applies = (!change.kernel || *change.kernel == kernel) &&
                         (!change.moment || *change.moment == moment) &&
                         now_.trial >= change.from.value_or(now_.trial) &&
                         now_.trial <= change.to.value_or(now_.trial);
    if (applies) ns *= change.factor;
  }
  const std::string trial = std::to_string(now_.trial);
  ns *= factor_of(canary.between_trials_sd,
                  derive_key(script_.seed, {"canary-trial", trial, kernel}));
  return ns * factor_of(canary.within_trial_sd,
                        derive_key(script_.seed, {"canary", trial, kernel, moment,
                                                  std::to_string(canary_samples_++)}));
}

double Fake::true_ns(std::int64_t iterations) {
  const auto named = script_.subjects.find(now_.code);
  double call_ns = named == script_.subjects.end() ? script_.call_ns : named->second;
  for (const Effect& effect : script_.effects) {
    if (fits(effect, now_)) call_ns *= effect.factor;
  }
  if (now_.subject == "control") call_ns *= script_.control_bias;
  call_ns *= 1 + script_.drift_per_block * static_cast<double>(now_.block);

  const std::string trial = std::to_string(now_.trial);
  const std::string cell = now_.problem + "/" + now_.case_id + "/" + now_.state;
  call_ns *= factor_of(script_.between_trials_sd, derive_key(script_.seed, {"trial", trial, cell}));
  call_ns *= factor_of(script_.between_trials_subject_sd,
                       derive_key(script_.seed, {"subject", trial, cell, now_.subject}));
  call_ns *= factor_of(script_.within_trial_sd,
                       derive_key(script_.seed, {"sample", trial, cell, now_.subject, now_.stage,
                                                 std::to_string(samples_++)}));
  return call_ns * static_cast<double>(iterations);
}

Measured Fake::measure(Invocation& invocation, std::int64_t iterations, const std::string& name) {
  const auto timer = std::find_if(script_.timers.begin(), script_.timers.end(),
                                  [&](const TimerScript& each) { return each.name == name; });
  if (timer == script_.timers.end()) {
    throw Error(ErrorKind::usage, "there is no timer '" + name + "' here: '" +
                                      script_.timers.front().name + "' is the default");
  }
  invocation.run(1);
  synchronize();
  Measured measured;
  measured.start_ns = static_cast<std::int64_t>(clock_ns_);
  for (const Fault& fault : script_.faults) {
    if (fault.kind == Fault::Kind::zero_interval && fits(fault, now_)) return measured;
  }
  const double step = timer->resolution_ns;
  const bool is_canary = now_.stage == "canary";
  const double true_interval_ns = is_canary ? canary_ns() : true_ns(iterations);
  const double end_ns = clock_ns_ + true_interval_ns + timer->floor_ns;
  if (!(end_ns < latest_ns)) {
    throw Error(ErrorKind::bad_input,
                "the script of the fake device lasts beyond what a clock of nanoseconds can show "
                "(2^63); make its times and factors smaller");
  }
  measured.interval_ns = (std::floor(end_ns / step) - std::floor(clock_ns_ / step)) * step;
  if (timer->sees_kernels) measured.kernels = kernels_of(now_.code, measured, iterations);
  if (is_canary) {
    // By whole steps: where in a step the first sample of a subject begins stays as it was.
    clock_ns_ += step * std::ceil((true_interval_ns + 100) / step);
    return measured;
  }
  // A gap between samples that is no multiple of the step: where in a step a sample begins varies,
  // as on a real clock.
  Random gap(derive_key(script_.seed, {"gap", std::to_string(samples_)}));
  clock_ns_ = end_ns + 100 + step * gap.next_uniform();
  return measured;
}

}  // namespace assay::device
