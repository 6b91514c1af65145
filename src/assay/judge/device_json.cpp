// SPDX-License-Identifier: MIT
#include "assay/judge/device_json.hpp"

#include "assay/judge/json_parts.hpp"

namespace assay::judge::detail {
namespace {

const std::string gpu_meter = "GPU";

Json quantity_json(const DeviceQuantity& quantity) {
  return Json{{"name", quantity.name},
              {"readings", quantity.readings},
              {"least", quantity.least},
              {"median", quantity.median},
              {"greatest", quantity.greatest}};
}

DeviceQuantity quantity_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  DeviceQuantity quantity{reader.take<std::string>("name"), reader.take<std::int64_t>("readings"),
                          reader.take<double>("least"), reader.take<double>("median"),
                          reader.take<double>("greatest")};
  reader.finish();
  return quantity;
}

Json throttling_json(const DeviceThrottling& throttling) {
  return Json{{"reason", throttling.reason},
              {"blocks", throttling.blocks},
              {"advance_ns", throttling.advance_ns}};
}

DeviceThrottling throttling_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  DeviceThrottling throttling{reader.take<std::string>("reason"),
                              reader.take<std::int64_t>("blocks"),
                              reader.take<std::int64_t>("advance_ns")};
  reader.finish();
  return throttling;
}

Json count_json(const DeviceCount& count) {
  return Json{{"name", count.name}, {"count", count.count}};
}

DeviceCount count_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  DeviceCount count{reader.take<std::string>("name"), reader.take<std::int64_t>("count")};
  reader.finish();
  return count;
}

Json missing_column_json(const DeviceGap& gap) {
  return Json{{"name", gap.name}, {"reason", gap.reason}, {"readings", gap.readings}};
}

DeviceGap missing_column_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  DeviceGap gap{reader.take<std::string>("name"), reader.take<std::string>("reason"),
                reader.take<std::int64_t>("readings")};
  reader.finish();
  return gap;
}

Json counter_json(const DeviceCounter& counter) {
  return Json{{"name", counter.name},
              {"known_blocks", counter.known_blocks},
              {"blocks", counter.blocks},
              {"advance", counter.advance}};
}

DeviceCounter counter_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  DeviceCounter counter{reader.take<std::string>("name"), reader.take<std::int64_t>("known_blocks"),
                        reader.take<std::int64_t>("blocks"), reader.take<std::int64_t>("advance")};
  reader.finish();
  return counter;
}

Json change_json(const LoadChange& change) {
  return Json{{"trial", change.trial},
              {"after_s", change.after_s},
              {"before", change.before},
              {"after", change.after}};
}

LoadChange change_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  LoadChange change{reader.take<std::int64_t>("trial"), reader.take<double>("after_s"),
                    reader.take<double>("before"), reader.take<double>("after")};
  reader.finish();
  return change;
}

Json load_json(const LoadResult& load) {
  const auto changes = [&]() -> Json {
    if (!load.changes) return missing_json(load.changes.missing());
    return Json{{"value", list_of(*load.changes, change_json)}};
  };
  return Json{{"quantity", load.quantity},
              {"windows", load.windows},
              {"median", json_of(load.median)},
              {"changes", changes()}};
}

LoadResult load_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  LoadResult load;
  load.quantity = reader.take<std::string>("quantity");
  load.windows = reader.take<std::int64_t>("windows");
  load.median = reader.take_reading<double>("median");
  ObjectReader changes(reader.member("changes"), where + ".changes");
  if (changes.has("value")) {
    load.changes = take_list<LoadChange>(changes, "value", change_from);
  } else {
    load.changes =
        Missing{changes.take<std::string>("missing"), changes.take<std::string>("detail")};
  }
  changes.finish();
  reader.finish();
  return load;
}

Json energy_json(const Reading<DeviceEnergy>& energy) {
  if (!energy) return missing_json(energy.missing());
  Json value{{"energy_j", energy->energy_j},
             {"uncertainty_j", energy->uncertainty_j},
             {"window_s", energy->window_s},
             {"processes", energy->processes}};
  // Older records had one meter, and no word for it.
  if (energy->meter != gpu_meter) value["meter"] = energy->meter;
  return Json{{"value", std::move(value)}};
}

DeviceEnergy energy_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  DeviceEnergy energy;
  energy.energy_j = reader.take<double>("energy_j");
  energy.uncertainty_j = reader.take<double>("uncertainty_j");
  energy.window_s = reader.take<double>("window_s");
  energy.processes = reader.take<std::int64_t>("processes");
  energy.meter = reader.take_or<std::string>("meter", gpu_meter);
  reader.finish();
  return energy;
}

}  // namespace

Json device_json(const DeviceResult& device) {
  Json json{{"blocks", device.blocks},
            {"throttled_blocks", device.throttled_blocks},
            {"shared_blocks", device.shared_blocks},
            {"unknown_shared_blocks", device.unknown_shared_blocks},
            {"quantities", list_of(device.quantities, quantity_json)},
            {"throttling", list_of(device.throttling, throttling_json)},
            {"clock_reasons", list_of(device.clock_reasons, count_json)},
            {"energy", energy_json(device.energy)},
            {"flagged", list_of(device.flagged, count_json)},
            {"missing", list_of(device.missing, missing_column_json)},
            {"median_reading_ns", device.median_reading_ns}};
  // Of one build there are as many as follow from the blocks.
  if (device.readings != 2 * device.blocks) json["readings"] = device.readings;
  if (!device.counters.empty()) json["counters"] = list_of(device.counters, counter_json);
  if (!device.loads.empty()) json["loads"] = list_of(device.loads, load_json);
  return json;
}

DeviceResult device_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  DeviceResult device;
  device.blocks = reader.take<std::int64_t>("blocks");
  device.readings = reader.take_or<std::int64_t>("readings", 2 * device.blocks);
  device.throttled_blocks = reader.take<std::int64_t>("throttled_blocks");
  device.shared_blocks = reader.take<std::int64_t>("shared_blocks");
  device.unknown_shared_blocks = reader.take<std::int64_t>("unknown_shared_blocks");
  device.quantities = take_list<DeviceQuantity>(reader, "quantities", quantity_from);
  device.throttling = take_list<DeviceThrottling>(reader, "throttling", throttling_from);
  device.clock_reasons = take_list<DeviceCount>(reader, "clock_reasons", count_from);
  device.energy =
      reading_from<DeviceEnergy>(reader.member("energy"), where + ".energy", energy_from);
  device.flagged = take_list<DeviceCount>(reader, "flagged", count_from);
  device.missing = take_list<DeviceGap>(reader, "missing", missing_column_from);
  device.median_reading_ns = reader.take<double>("median_reading_ns");
  if (reader.has("counters")) {
    device.counters = take_list<DeviceCounter>(reader, "counters", counter_from);
  }
  if (reader.has("loads")) device.loads = take_list<LoadResult>(reader, "loads", load_from);
  reader.finish();
  return device;
}

}  // namespace assay::judge::detail
