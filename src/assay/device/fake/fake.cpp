// SPDX-License-Identifier: MIT
#include "assay/device/fake/fake.hpp"

#include <fnmatch.h>
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

constexpr const char* timer_name = "scripted";

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

std::vector<Timer> Fake::timers() {
  return {{timer_name, {"call"}, script_.resolution_ns, script_.floor_ns}};
}

Allocation Fake::allocate(std::size_t bytes) { return allocate_host(bytes); }
void Fake::copy_to_host(void* host, const void* device, std::size_t bytes) {
  std::memcpy(host, device, bytes);
}
void Fake::copy_from_host(void* device, const void* host, std::size_t bytes) {
  std::memcpy(device, host, bytes);
}
void Fake::copy_within(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
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
      default:
        break;
    }
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
    for (const auto& [name, more] : change.advance) advance[name] += more;
  }
  for (const auto& [name, more] : advance) advanced_[name] += is_in_block_ ? more : 0;
  is_in_block_ = true;

  Telemetry telemetry;
  telemetry.time_ns = static_cast<std::int64_t>(clock_ns_);
  for (const TelemetryField& field : telemetry_fields) {
    const std::string name(field.name);
    const auto missing = script.missing.find(name);
    if (missing != script.missing.end()) {
      telemetry.*field.member = Missing{missing->second, "as the script says"};
    } else if (values.contains(name) || advanced_.contains(name)) {
      telemetry.*field.member = values[name] + advanced_[name];
    } else {
      telemetry.*field.member = Missing{"not-scripted", "the script gives no value"};
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

Measured Fake::measure(Invocation& invocation, std::int64_t iterations, const std::string& timer) {
  if (timer != timer_name) {
    throw Error(ErrorKind::usage,
                "there is no timer '" + timer + "' here: 'scripted' is the only one");
  }
  invocation.run(1);
  Measured measured;
  measured.start_ns = static_cast<std::int64_t>(clock_ns_);
  for (const Fault& fault : script_.faults) {
    if (fault.kind == Fault::Kind::zero_interval && fits(fault, now_)) return measured;
  }
  const double step = script_.resolution_ns;
  const bool is_canary = now_.stage == "canary";
  const double true_interval_ns = is_canary ? canary_ns() : true_ns(iterations);
  const double end_ns = clock_ns_ + true_interval_ns + script_.floor_ns;
  measured.interval_ns = (std::floor(end_ns / step) - std::floor(clock_ns_ / step)) * step;
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
