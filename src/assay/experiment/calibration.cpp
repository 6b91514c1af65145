// SPDX-License-Identifier: MIT
#include "assay/base/error.hpp"
#include "assay/experiment/detail/json_lists.hpp"
#include "assay/experiment/plan.hpp"

namespace assay::experiment {
namespace {

Json call_json(const std::pair<std::string, double>& call) {
  return {{"subject", call.first}, {"ns", call.second}};
}

std::pair<std::string, double> call_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  std::pair<std::string, double> call{reader.take<std::string>("subject"),
                                      reader.take<double>("ns")};
  reader.finish();
  return call;
}

Json memory_json(const std::pair<std::string, MemoryUse>& memory) {
  return {{"subject", memory.first}, {"use", to_json(memory.second)}};
}

std::pair<std::string, MemoryUse> memory_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  std::pair<std::string, MemoryUse> memory{
      reader.take<std::string>("subject"),
      memory_use_from_json(reader.member("use"), where + ".use")};
  reader.finish();
  return memory;
}

Json launch_json(const Launch& launch) {
  Json json{{"kernel", launch.kernel},
            {"grid", launch.grid},
            {"threads", launch.threads},
            {"occupancy_frac", json_of(launch.occupancy_frac)},
            {"occupancy_limited_by", json_of(launch.occupancy_limited_by)}};
  launch.write_spills(json);
  return json;
}

Launch launch_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Launch launch;
  launch.kernel = reader.take<std::string>("kernel");
  launch.grid = reader.take<std::int64_t>("grid");
  launch.threads = reader.take<std::int64_t>("threads");
  launch.occupancy_frac = reader.take_reading<double>("occupancy_frac");
  launch.occupancy_limited_by = reader.take_reading<std::string>("occupancy_limited_by");
  launch.take_spills(reader);
  reader.finish();
  if (launch.grid < 1 || launch.threads < 1) {
    throw Error(ErrorKind::bad_input, where + ": a launch has at least one block of one thread");
  }
  return launch;
}

using Launches = std::pair<std::string, std::vector<Launch>>;

Json launches_json(const Launches& launches) {
  return {{"subject", launches.first}, {"launches", list_of(launches.second, launch_json)}};
}

Launches launches_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Launches launches{reader.take<std::string>("subject"),
                    take_list<Launch>(reader, "launches", launch_from)};
  reader.finish();
  return launches;
}

// A bare number, or missing with the reason. Records of before that had 0 for what is not known.
Reading<double> step_from(ObjectReader& reader) {
  constexpr const char* key = "timer_resolution_ns";
  if (reader.member(key).is_object()) return reader.take_reading<double>(key);
  const auto step_ns = reader.take<double>(key);
  if (step_ns < 0) {
    throw Error(ErrorKind::bad_input, reader.where() + "." + key + ": expected at least 0");
  }
  if (step_ns == 0) return Missing{"not-recorded", "the record does not say it"};
  return step_ns;
}

Json cell_json(const CellCalibration& cell) {
  Json json{{"cell", cell.cell},
            {"iterations", json_of(cell.iterations)},
            {"estimand", cell.estimand == Estimand::median ? "median" : "mean"},
            {"samples_per_trial", cell.samples_per_trial},
            {"timer", cell.timer},
            {"timer_resolution_ns", cell.timer_resolution_ns ? Json(*cell.timer_resolution_ns)
                                                             : json_of(cell.timer_resolution_ns)},
            {"calls", list_of(cell.call_ns, call_json)}};
  if (cell.rotation) json["rotation"] = assay::to_json(*cell.rotation);
  if (!cell.memory.empty()) json["memory"] = list_of(cell.memory, memory_json);
  if (!cell.launches.empty()) json["launches"] = list_of(cell.launches, launches_json);
  return json;
}

CellCalibration cell_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CellCalibration cell;
  cell.cell = reader.take<std::string>("cell");
  cell.iterations = reader.take_reading<std::int64_t>("iterations");
  if (cell.iterations.has_value() && *cell.iterations < 1) {
    throw Error(ErrorKind::bad_input, where + ".iterations: expected at least 1");
  }
  const auto estimand = reader.take<std::string>("estimand");
  if (estimand != "median" && estimand != "mean") {
    throw Error(ErrorKind::bad_input,
                where + ".estimand: '" + estimand + "'; expected \"median\" or \"mean\"");
  }
  cell.estimand = estimand == "median" ? Estimand::median : Estimand::mean;
  cell.samples_per_trial = reader.take<std::int64_t>("samples_per_trial");
  cell.timer = reader.take<std::string>("timer");
  cell.timer_resolution_ns = step_from(reader);
  cell.call_ns = take_list<std::pair<std::string, double>>(reader, "calls", call_from);
  if (const Json* rotation = reader.optional_member("rotation")) {
    cell.rotation = rotation_from_json(*rotation, where + ".rotation");
  }
  if (reader.has("memory")) {
    cell.memory = take_list<std::pair<std::string, MemoryUse>>(reader, "memory", memory_from);
  }
  if (reader.has("launches")) {
    cell.launches = take_list<Launches>(reader, "launches", launches_from);
  }
  reader.finish();
  return cell;
}

}  // namespace

void Launch::write_spills(Json& json) const {
  if (!stack_bytes && stack_bytes.missing().reason == "not-asked") return;
  json["stack_bytes"] = json_of(stack_bytes);
  json["spill_store_bytes"] = json_of(spill_store_bytes);
  json["spill_load_bytes"] = json_of(spill_load_bytes);
}

void Launch::take_spills(ObjectReader& reader) {
  if (!reader.has("stack_bytes")) return;
  stack_bytes = reader.take_reading<std::int64_t>("stack_bytes");
  spill_store_bytes = reader.take_reading<std::int64_t>("spill_store_bytes");
  spill_load_bytes = reader.take_reading<std::int64_t>("spill_load_bytes");
}

Json to_json(const Calibration& calibration) {
  return {{"format", calibration_format}, {"cells", list_of(calibration.cells, cell_json)}};
}

Calibration calibration_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  const auto format = reader.take<std::string>("format");
  if (format != calibration_format) {
    throw Error(ErrorKind::bad_input, where + ": format '" + format +
                                          "' is not known to this version; expected '" +
                                          std::string(calibration_format) + "'");
  }
  Calibration calibration;
  calibration.cells = take_list<CellCalibration>(reader, "cells", cell_from);
  reader.finish();
  return calibration;
}

}  // namespace assay::experiment
