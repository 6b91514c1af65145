// SPDX-License-Identifier: MIT
#include "assay/wire/startup_json.hpp"

#include <cmath>

#include "assay/base/telemetry.hpp"

namespace assay::wire {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& expected) {
  throw Error(ErrorKind::bad_input, where + ": expected " + expected);
}

Reading<PhaseTime> phase_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  if (reader.has("missing")) {
    const Missing missing{reader.take<std::string>("missing"), reader.take<std::string>("detail")};
    reader.finish();
    if (!is_reason(missing.reason)) refuse(where, "a slug of a to z, 0 to 9 and dashes");
    return missing;
  }
  PhaseTime time;
  time.start_ns = reader.take<std::int64_t>("start_ns");
  time.interval_ns = reader.take<double>("interval_ns");
  reader.finish();
  if (time.start_ns < 0 || !(time.interval_ns >= 0) || !std::isfinite(time.interval_ns)) {
    refuse(where, "times of at least 0");
  }
  return time;
}

}  // namespace

Json startup_json(const StartupTold& startup) {
  Json json{{"began_ns", startup.began_ns}};
  for (std::size_t i = 0; i < startup_phases; ++i) {
    const auto phase = static_cast<StartupPhase>(i);
    if (phase == StartupPhase::start) continue;
    const Reading<PhaseTime>& time = startup.phases[phase];
    json[std::string(to_string(phase))] =
        time ? Json{{"start_ns", time->start_ns}, {"interval_ns", time->interval_ns}}
             : Json{{"missing", time.missing().reason}, {"detail", time.missing().detail}};
  }
  return json;
}

StartupTold startup_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  StartupTold told;
  told.began_ns = reader.take<std::int64_t>("began_ns");
  if (told.began_ns < 0) refuse(where + ".began_ns", "at least 0");
  for (std::size_t i = 0; i < startup_phases; ++i) {
    const auto phase = static_cast<StartupPhase>(i);
    if (phase == StartupPhase::start) continue;
    const std::string name(to_string(phase));
    if (const Json* time = reader.optional_member(name)) {
      told.phases[phase] = phase_from(*time, where + "." + name);
    }
  }
  reader.finish();
  return told;
}

}  // namespace assay::wire
