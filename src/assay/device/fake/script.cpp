// SPDX-License-Identifier: MIT
#include "assay/device/fake/script.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <set>
#include <utility>

#include "assay/base/ceilings_json.hpp"
#include "assay/base/json.hpp"
#include "assay/base/small_file.hpp"
#include "assay/base/telemetry.hpp"

namespace assay::device {
namespace {

// More than any device has, and so little that sums of it stay in range for long.
constexpr std::int64_t most_of_a_field = 1'000'000'000'000'000;

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::bad_input, where + ": " + what);
}

double take_at_least(ObjectReader& reader, std::string_view key, double fallback, double least) {
  const auto value = reader.take_or<double>(key, fallback);
  if (!(value >= least)) {
    refuse(reader.where(), "'" + std::string(key) + "' must be at least " + std::to_string(least));
  }
  return value;
}

template <typename T>
std::optional<T> take_optional(ObjectReader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.take<T>(key);
}

Effect read_effect(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Effect effect;
  effect.subject = take_optional<std::string>(reader, "subject");
  effect.problem = take_optional<std::string>(reader, "problem");
  effect.case_id = take_optional<std::string>(reader, "case");
  effect.state = take_optional<std::string>(reader, "state");
  reader.member("factor");
  effect.factor = take_at_least(reader, "factor", 1, 0);
  reader.finish();
  return effect;
}

Fault::Kind fault_kind(const std::string& text, const std::string& where) {
  using Kind = Fault::Kind;
  static constexpr std::array<std::pair<const char*, Kind>, 10> kinds{{
      {"crash", Kind::crash},
      {"exit", Kind::exit},
      {"hang", Kind::hang},
      {"throw", Kind::throws},
      {"wrong-output", Kind::wrong_output},
      {"zero-interval", Kind::zero_interval},
      {"garbage-line", Kind::garbage_line},
      {"truncated-line", Kind::truncated_line},
      {"slow-answer", Kind::slow_answer},
      {"lost", Kind::lost},
  }};
  for (const auto& [name, kind] : kinds) {
    if (text == name) return kind;
  }
  refuse(where, "unknown kind '" + text +
                    "'; expected crash, exit, hang, throw, wrong-output, zero-interval, "
                    "garbage-line, truncated-line, slow-answer or lost");
}

Fault read_fault(const Json& json, const std::string& where) {
  static const std::array<const char*, 10> stages{"describe", "prepare", "check",  "calibrate",
                                                  "warm-up",  "block",   "canary", "ceilings",
                                                  "idle",     "end"};
  ObjectReader reader(json, where);
  Fault fault;
  fault.kind = fault_kind(reader.take<std::string>("kind"), where);
  fault.stage = reader.take<std::string>("stage");
  if (std::find(stages.begin(), stages.end(), fault.stage) == stages.end()) {
    refuse(where,
           "unknown stage '" + fault.stage +
               "'; expected describe, prepare, check, calibrate, warm-up, block, canary, ceilings, "
               "idle or end");
  }
  fault.trial = take_optional<std::int64_t>(reader, "trial");
  fault.subject = take_optional<std::string>(reader, "subject");
  fault.problem = take_optional<std::string>(reader, "problem");
  fault.case_id = take_optional<std::string>(reader, "case");
  fault.state = take_optional<std::string>(reader, "state");
  fault.block = take_optional<std::int64_t>(reader, "block");
  // What only one kind uses is refused with the others, where it would have no effect.
  if (fault.kind == Fault::Kind::crash) {
    const auto signal = reader.take_or<std::string>("signal", "SIGSEGV");
    if (signal != "SIGSEGV" && signal != "SIGABRT") {
      refuse(where, "'signal' must be SIGSEGV or SIGABRT, found '" + signal + "'");
    }
    fault.signal = signal == "SIGSEGV" ? SIGSEGV : SIGABRT;
  } else if (fault.kind == Fault::Kind::exit) {
    fault.code = reader.take<int>("code");
    if (fault.code < 0 || fault.code > 255) refuse(where, "'code' must be 0 to 255");
  } else if (fault.kind == Fault::Kind::slow_answer) {
    reader.member("seconds");
    fault.seconds = take_at_least(reader, "seconds", 0, 0);
  }
  const bool of_a_line = fault.kind == Fault::Kind::garbage_line ||
                         fault.kind == Fault::Kind::truncated_line ||
                         fault.kind == Fault::Kind::slow_answer;
  if (of_a_line && fault.subject) {
    refuse(where, "an answer is about all subjects of a request: this kind takes no subject");
  }
  reader.finish();
  return fault;
}

template <typename T, typename F>
std::vector<T> read_list(ObjectReader& reader, const char* key, F&& read) {
  std::vector<T> result;
  const Json* list = reader.optional_member(key);
  if (list == nullptr) return result;
  const std::string where = reader.where() + "." + key;
  if (!list->is_array()) refuse(where, "must be a list");
  for (std::size_t i = 0; i < list->size(); ++i) {
    result.push_back(read((*list)[i], where + "[" + std::to_string(i) + "]"));
  }
  return result;
}

void read_steps(ObjectReader& reader, TimerScript& timer) {
  timer.resolution_ns = take_at_least(reader, "resolution_ns", timer.resolution_ns, 1e-3);
  timer.floor_ns = take_at_least(reader, "floor_ns", timer.floor_ns, 0);
}

TimerScript read_timer(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  TimerScript timer;
  timer.name = reader.take<std::string>("name");
  timer.boundaries = read_list<std::string>(reader, "boundaries",
                                            [](const Json& boundary, const std::string& place) {
                                              if (!boundary.is_string())
                                                refuse(place, "must be a text");
                                              return boundary.get<std::string>();
                                            });
  if (timer.name.empty() || timer.boundaries.empty()) {
    refuse(where, "a timer needs a 'name' and 'boundaries', at least one");
  }
  read_steps(reader, timer);
  timer.is_per_call = reader.take_or<bool>("is_per_call", false);
  timer.is_slope = reader.take_or<bool>("is_slope", false);
  timer.sees_kernels = reader.take_or<bool>("sees_kernels", false);
  if (timer.sees_kernels && timer.resolution_ns != std::floor(timer.resolution_ns)) {
    refuse(where, "'resolution_ns' must be whole: kernels last whole nanoseconds");
  }
  reader.finish();
  return timer;
}

std::vector<TimerScript> read_timers(ObjectReader& reader) {
  auto timers = read_list<TimerScript>(reader, "timers", read_timer);
  const std::string where = reader.where() + ".timers";
  if (timers.empty() && reader.has("timers")) {
    refuse(where, "a device needs a timer; leave 'timers' out for the ordinary one");
  }
  std::set<std::string> names;
  for (const TimerScript& timer : timers) {
    if (!names.insert(timer.name).second) {
      refuse(where, "two timers are called '" + timer.name + "'; expected a name for each");
    }
  }
  return timers;
}

CanaryScript::Change read_change(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CanaryScript::Change change;
  change.kernel = take_optional<std::string>(reader, "kernel");
  change.moment = take_optional<std::string>(reader, "moment");
  change.from = take_optional<std::int64_t>(reader, "from");
  change.to = take_optional<std::int64_t>(reader, "to");
  reader.member("factor");
  change.factor = take_at_least(reader, "factor", 1, 0);
  reader.finish();
  if (change.kernel && change.kernel != "compute" && change.kernel != "memory") {
    refuse(where, "unknown kernel '" + *change.kernel + "'; expected compute or memory");
  }
  if (change.moment && change.moment != "start" && change.moment != "end") {
    refuse(where, "unknown moment '" + *change.moment + "'; expected start or end");
  }
  return change;
}

CanaryScript read_canary(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CanaryScript canary;
  canary.compute_ns = take_at_least(reader, "compute_ns", canary.compute_ns, 0);
  canary.memory_ns = take_at_least(reader, "memory_ns", canary.memory_ns, 0);
  canary.between_trials_sd = take_at_least(reader, "between_trials_sd", 0, 0);
  canary.within_trial_sd = take_at_least(reader, "within_trial_sd", 0, 0);
  canary.changes = read_list<CanaryScript::Change>(reader, "changes", read_change);
  reader.finish();
  return canary;
}

const TelemetryField& field_named(const std::string& name, const std::string& where) {
  if (const auto field = telemetry_field(name)) return facts_of(*field);
  std::string names;
  for (const TelemetryField& field : telemetry_fields) {
    names += (names.empty() ? "" : ", ") + std::string(field.name);
  }
  refuse(where, "unknown field '" + name + "'; expected one of " + names);
}

std::map<std::string, std::int64_t> read_field_values(ObjectReader& reader, const char* key) {
  std::map<std::string, std::int64_t> values;
  const Json* json = reader.optional_member(key);
  if (json == nullptr) return values;
  ObjectReader member(*json, reader.where() + "." + key);
  for (const auto& item : json->items()) {
    const TelemetryField& field = field_named(item.key(), member.where());
    const auto value = member.take<std::int64_t>(item.key());
    if (value < field.least) {
      refuse(member.where(),
             "'" + item.key() + "' must be at least " + std::to_string(field.least));
    }
    if (value > most_of_a_field) {
      refuse(member.where(), "'" + item.key() + "' must be at most 10^15");
    }
    values[item.key()] = value;
  }
  return values;
}

std::map<std::string, std::string> read_field_reasons(ObjectReader& reader) {
  std::map<std::string, std::string> reasons;
  const Json* json = reader.optional_member("missing");
  if (json == nullptr) return reasons;
  ObjectReader member(*json, reader.where() + ".missing");
  for (const auto& item : json->items()) {
    field_named(item.key(), member.where());
    reasons[item.key()] = member.take<std::string>(item.key());
    if (!is_reason(reasons[item.key()])) {
      refuse(member.where(),
             "the reason for '" + item.key() + "' must be made of a to z, 0 to 9 and dashes");
    }
  }
  return reasons;
}

TelemetryScript::Change read_telemetry_change(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  TelemetryScript::Change change;
  change.stage = take_optional<std::string>(reader, "stage");
  change.from = take_optional<std::int64_t>(reader, "from");
  change.to = take_optional<std::int64_t>(reader, "to");
  change.block = take_optional<std::int64_t>(reader, "block");
  change.values = read_field_values(reader, "values");
  change.advance = read_field_values(reader, "advance");
  reader.finish();
  if (change.stage && *change.stage != "calibrate" && *change.stage != "warm-up" &&
      *change.stage != "block") {
    refuse(where, "unknown stage '" + *change.stage + "'; expected calibrate, warm-up or block");
  }
  return change;
}

// A missing field has no value that could be read or grow.
void refuse_value_of_missing(const std::map<std::string, std::int64_t>& values,
                             const std::string& name, const std::string& where) {
  if (values.contains(name)) {
    refuse(where, "'" + name + "' stands in 'missing' too; expected it in one of them");
  }
}

TelemetryScript read_telemetry(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  TelemetryScript telemetry;
  telemetry.values = read_field_values(reader, "values");
  telemetry.missing = read_field_reasons(reader);
  telemetry.advance = read_field_values(reader, "advance");
  telemetry.changes = read_list<TelemetryScript::Change>(reader, "changes", read_telemetry_change);
  reader.finish();
  for (const auto& [name, reason] : telemetry.missing) {
    refuse_value_of_missing(telemetry.values, name, where + ".values");
    refuse_value_of_missing(telemetry.advance, name, where + ".advance");
    for (const TelemetryScript::Change& change : telemetry.changes) {
      refuse_value_of_missing(change.values, name, where + ".changes");
      refuse_value_of_missing(change.advance, name, where + ".changes");
    }
  }
  return telemetry;
}

}  // namespace

Script parse_script(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  ObjectReader reader(json, where);
  if (reader.take<std::int64_t>("assay_fake") != 1) {
    refuse(where, "'assay_fake' must be 1, the version of the format");
  }
  Script script;
  script.seed = reader.take_or<std::uint64_t>("seed", script.seed);
  auto timers = read_timers(reader);
  if (const Json* timer = reader.optional_member("timer")) {
    if (!timers.empty()) refuse(where, "'timer' and 'timers' exclude each other");
    ObjectReader member(*timer, where + ": timer");
    read_steps(member, script.timers.front());
    member.finish();
  }
  if (!timers.empty()) script.timers = std::move(timers);
  script.has_own_memory = reader.take_or<bool>("has_own_memory", false);
  script.last_level_cache_bytes = take_optional<std::int64_t>(reader, "last_level_cache_bytes");
  if (script.last_level_cache_bytes && *script.last_level_cache_bytes < 1) {
    refuse(reader.where(), "'last_level_cache_bytes' must be at least 1");
  }
  script.evicts_by_writing = reader.take_or<bool>("evicts_by_writing", false);
  script.call_ns = take_at_least(reader, "call_ns", script.call_ns, 0);
  if (const Json* subjects = reader.optional_member("subjects")) {
    ObjectReader member(*subjects, where + ": subjects");
    for (const auto& item : subjects->items()) {
      script.subjects[item.key()] = take_at_least(member, item.key(), 0, 0);
    }
  }
  script.effects = read_list<Effect>(reader, "effects", read_effect);
  script.between_trials_sd = take_at_least(reader, "between_trials_sd", 0, 0);
  script.between_trials_subject_sd = take_at_least(reader, "between_trials_subject_sd", 0, 0);
  script.within_trial_sd = take_at_least(reader, "within_trial_sd", 0, 0);
  script.drift_per_block = take_at_least(reader, "drift_per_block", 0, -1);
  script.control_bias = take_at_least(reader, "control_bias", 1, 0);
  if (const Json* canary = reader.optional_member("canary")) {
    script.canary = read_canary(*canary, where + ": canary");
  }
  if (const Json* ceilings = reader.optional_member("ceilings")) {
    script.ceilings = std::make_shared<const MachineCeilings>(
        ceilings_from_json(*ceilings, where + ": ceilings"));
  }
  if (const Json* ceilings = reader.optional_member("own_ceilings")) {
    script.own_ceilings = std::make_shared<const MachineCeilings>(
        ceilings_from_json(*ceilings, where + ": own_ceilings"));
  }
  if (const Json* telemetry = reader.optional_member("telemetry")) {
    script.telemetry = read_telemetry(*telemetry, where + ": telemetry");
  }
  script.faults = read_list<Fault>(reader, "faults", read_fault);
  reader.finish();
  return script;
}

Script read_script(const std::filesystem::path& file) {
  constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;
  const auto text = read_small_file(file, most_bytes);
  if (!text) {
    throw Error(ErrorKind::bad_input, "cannot read the fake device's script '" + file.string() +
                                          "': " + text.missing().detail +
                                          "; expected a file of JSON");
  }
  return parse_script(*text, file.string());
}

}  // namespace assay::device
