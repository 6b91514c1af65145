// SPDX-License-Identifier: MIT
#include "assay/judge/limits_json.hpp"

#include "assay/judge/json_parts.hpp"

namespace assay::judge::detail {
namespace {

Json limit_json(const Reading<model::Limit>& limit, const char* rate) {
  if (!limit) return missing_json(limit.missing());
  return Json{
      {"value",
       Json{{"ns", limit->ns}, {"at", limit->at}, {"kernel", limit->kernel}, {rate, limit->rate}}}};
}

Reading<model::Limit> limit_from(const Json& json, const std::string& where, const char* rate) {
  return reading_from<model::Limit>(json, where, [&](const Json& value, const std::string& at) {
    ObjectReader reader(value, at);
    model::Limit limit{reader.take<double>("ns"), reader.take<std::string>("at"),
                       reader.take<std::string>("kernel"), reader.take<double>(rate)};
    reader.finish();
    return limit;
  });
}

}  // namespace

Json limits_json(const LimitsResult& r) {
  return Json{{"threads", r.predicted.threads},
              {"memory", limit_json(r.predicted.memory, "bytes_per_s")},
              {"compute", limit_json(r.predicted.compute, "flop_per_s")},
              {"launch_ns", json_of(r.predicted.launch_ns)},
              {"bound_ns", json_of(r.predicted.bound_ns)},
              {"nearest", json_of(r.predicted.nearest)},
              {"share_frac", json_of(r.share_frac)},
              {"bound", json_of(r.bound)},
              {"flop_per_byte", json_of(r.predicted.flop_per_byte)},
              {"items_per_s", json_of(r.items_per_s)},
              {"item_name", r.item_name}};
}

LimitsResult limits_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  LimitsResult r;
  r.predicted.threads = reader.take<std::int64_t>("threads");
  r.predicted.memory = limit_from(reader.member("memory"), where + ".memory", "bytes_per_s");
  r.predicted.compute = limit_from(reader.member("compute"), where + ".compute", "flop_per_s");
  r.predicted.launch_ns = reader.take_reading<double>("launch_ns");
  r.predicted.bound_ns = reader.take_reading<double>("bound_ns");
  r.predicted.nearest = reader.take_reading<std::string>("nearest");
  r.share_frac = reader.take_reading<double>("share_frac");
  r.bound = reader.take_reading<std::string>("bound");
  r.predicted.flop_per_byte = reader.take_reading<double>("flop_per_byte");
  r.items_per_s = reader.take_reading<double>("items_per_s");
  r.item_name = reader.take<std::string>("item_name");
  reader.finish();
  return r;
}

}  // namespace assay::judge::detail
