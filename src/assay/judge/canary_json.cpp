// SPDX-License-Identifier: MIT
#include "assay/judge/canary_json.hpp"

#include "assay/judge/json_parts.hpp"

namespace assay::judge::detail {
namespace {

Json core_json(const CanaryCore& core) {
  return Json{{"core", json_of(core.core)},
              {"trials", core.trials},
              {"time_ns", core.time_ns},
              {"range_ns", range_json(core.range_ns)}};
}

Json kernel_json(const CanaryResult& c) {
  return Json{{"kernel", c.kernel},
              {"boundary", c.boundary},
              {"timer", c.timer},
              {"trials", c.trials},
              {"time_ns", c.time_ns},
              {"range_ns", range_json(c.range_ns)},
              {"between_trials_sd", json_of(c.between_trials_sd)},
              {"end_to_start_trials", c.end_to_start_trials},
              {"end_to_start", json_of(c.end_to_start)},
              {"end_to_start_interval", range_json(c.end_to_start_interval)},
              {"late_to_early", json_of(c.late_to_early)},
              {"late_to_early_interval", range_json(c.late_to_early_interval)},
              {"trials_apart", c.trials_apart},
              {"cores", list_of(c.cores, core_json)}};
}

CanaryCore core_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CanaryCore core;
  core.core = reader.take_reading<std::int64_t>("core");
  core.trials = reader.take<std::int64_t>("trials");
  core.time_ns = reader.take<double>("time_ns");
  core.range_ns = range_from(reader.member("range_ns"), where + ".range_ns");
  reader.finish();
  return core;
}

Json gap_json(const Canaries::Gap& gap) {
  return Json{{"reason", gap.reason}, {"trials", gap.trials}};
}

Canaries::Gap gap_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Canaries::Gap gap;
  gap.reason = reader.take<std::string>("reason");
  gap.trials = reader.take<std::int64_t>("trials");
  reader.finish();
  return gap;
}

CanaryResult kernel_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CanaryResult c;
  c.kernel = reader.take<std::string>("kernel");
  c.boundary = reader.take<std::string>("boundary");
  c.timer = reader.take<std::string>("timer");
  c.trials = reader.take<std::int64_t>("trials");
  c.time_ns = reader.take<double>("time_ns");
  c.range_ns = range_from(reader.member("range_ns"), reader.where() + ".range_ns");
  c.between_trials_sd = reader.take_reading<double>("between_trials_sd");
  c.end_to_start_trials = reader.take<std::int64_t>("end_to_start_trials");
  c.end_to_start = reader.take_reading<double>("end_to_start");
  c.end_to_start_interval = take_range(reader, "end_to_start_interval");
  c.late_to_early = reader.take_reading<double>("late_to_early");
  c.late_to_early_interval = take_range(reader, "late_to_early_interval");
  c.trials_apart = reader.take<std::int64_t>("trials_apart");
  c.cores = take_list<CanaryCore>(reader, "cores", core_from);
  reader.finish();
  return c;
}

}  // namespace

Json canaries_json(const Canaries& canaries) {
  return Json{{"kernels", list_of(canaries.kernels, kernel_json)},
              {"missing", list_of(canaries.missing, gap_json)}};
}

Canaries canaries_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Canaries canaries;
  canaries.kernels = take_list<CanaryResult>(reader, "kernels", kernel_from);
  canaries.missing = take_list<Canaries::Gap>(reader, "missing", gap_from);
  reader.finish();
  return canaries;
}

}  // namespace assay::judge::detail
