// SPDX-License-Identifier: MIT
#include "assay/judge/canary_json.hpp"

#include "assay/judge/json_parts.hpp"

namespace assay::judge::detail {
namespace {

template <typename F>
void for_each(ObjectReader& parent, std::string_view key, F&& f) {
  const Json& list = parent.member(key);
  const std::string where = parent.where() + "." + std::string(key);
  if (!list.is_array()) throw Error(ErrorKind::bad_input, where + ": expected a list");
  for (std::size_t i = 0; i < list.size(); ++i) {
    ObjectReader reader(list[i], where + "[" + std::to_string(i) + "]");
    f(reader);
    reader.finish();
  }
}

Json core_json(const CanaryCore& core) {
  return Json{{"core", json_of(core.core)},
              {"trials", core.trials},
              {"time_ns", core.time_ns},
              {"range_ns", range_json(core.range_ns)}};
}

Json kernel_json(const CanaryResult& c) {
  Json cores = Json::array();
  for (const CanaryCore& core : c.cores) cores.push_back(core_json(core));
  return Json{{"kernel", c.kernel},
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
              {"cores", std::move(cores)}};
}

CanaryResult kernel_from(ObjectReader& reader) {
  CanaryResult c;
  c.kernel = reader.take<std::string>("kernel");
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
  for_each(reader, "cores", [&](ObjectReader& of_core) {
    CanaryCore core;
    core.core = of_core.take_reading<std::int64_t>("core");
    core.trials = of_core.take<std::int64_t>("trials");
    core.time_ns = of_core.take<double>("time_ns");
    core.range_ns = range_from(of_core.member("range_ns"), of_core.where() + ".range_ns");
    c.cores.push_back(std::move(core));
  });
  return c;
}

}  // namespace

Json canaries_json(const Canaries& canaries) {
  Json kernels = Json::array();
  for (const CanaryResult& c : canaries.kernels) kernels.push_back(kernel_json(c));
  Json missing = Json::array();
  for (const auto& gap : canaries.missing) {
    missing.push_back(Json{{"reason", gap.reason}, {"trials", gap.trials}});
  }
  return Json{{"kernels", std::move(kernels)}, {"missing", std::move(missing)}};
}

Canaries canaries_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Canaries canaries;
  for_each(reader, "kernels",
           [&](ObjectReader& kernel) { canaries.kernels.push_back(kernel_from(kernel)); });
  for_each(reader, "missing", [&](ObjectReader& gap) {
    auto reason = gap.take<std::string>("reason");
    canaries.missing.push_back({std::move(reason), gap.take<std::int64_t>("trials")});
  });
  reader.finish();
  return canaries;
}

}  // namespace assay::judge::detail
