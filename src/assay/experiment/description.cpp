// SPDX-License-Identifier: MIT
#include "assay/experiment/description.hpp"

#include <algorithm>

#include "assay/base/ceilings_json.hpp"
#include "assay/base/error.hpp"
#include "assay/experiment/detail/fail.hpp"
#include "assay/experiment/detail/json_lists.hpp"

namespace assay::experiment {
namespace {

using detail::fail;

// Of sums that a program made of its own parts.
constexpr double kRounding = 1e-9;

Json map_json(const std::map<std::string, std::string>& map) {
  Json json = Json::object();
  for (const auto& [key, value] : map) json[key] = value;
  return json;
}

// Names that stand in ids and in CSV files unquoted.
void check_name(const std::string& name, const std::string& where) {
  if (can_stand_in_id(name)) return;
  throw Error(ErrorKind::bad_input,
              where + ": '" + name +
                  "' cannot be a name; expected text without blanks, commas, quotes, equals signs "
                  "and slashes");
}

void check_names(const std::vector<std::string>& names, const std::string& where) {
  for (const std::string& name : names) check_name(name, where);
}

Json subject_json(const SubjectDescription& subject) {
  return {{"name", subject.name},
          {"threads", subject.threads},
          {"parameters", map_json(subject.parameters)},
          {"reuse_count", subject.reuse_count}};
}

SubjectDescription subject_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  SubjectDescription subject;
  subject.name = reader.take<std::string>("name");
  check_name(subject.name, where + ".name");
  const auto threads = reader.take<std::int64_t>("threads");
  if (threads != -1 && (threads < 1 || threads > 1 << 20)) {
    throw Error(ErrorKind::bad_input, where + ".threads: " + std::to_string(threads) +
                                          " is no number of threads; expected 1 or more, or -1 "
                                          "for all cores");
  }
  subject.threads = static_cast<int>(threads);
  for (const auto& [key, value] : reader.member("parameters").items()) {
    if (!value.is_string()) {
      throw Error(ErrorKind::bad_input, where + ".parameters." + key + ": expected a string");
    }
    subject.parameters[key] = value.get<std::string>();
  }
  subject.reuse_count = reader.take<std::int64_t>("reuse_count");
  reader.finish();
  return subject;
}

Json case_json(const CaseDescription& description) {
  Json subject_work = Json::object();
  for (const auto& [name, work] : description.subject_work) subject_work[name] = to_json(work);
  Json json{{"case", to_json(description.the_case)},
            {"supported", description.supported},
            {"work", detail::work_reading_json(description.work)},
            {"subject_work", subject_work},
            {"footprint_bytes", description.footprint_bytes}};
  if (description.dimensions) json["dimensions"] = to_json(*description.dimensions);
  return json;
}

CaseDescription case_description_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CaseDescription description;
  description.the_case = case_from_json(reader.member("case"), where + ".case");
  description.supported = take_texts(reader, "supported");
  description.work = detail::work_reading_from(reader.member("work"), where + ".work");
  const Json& subject_work = reader.member("subject_work");
  ObjectReader names(subject_work, where + ".subject_work");
  for (const auto& [name, work] : subject_work.items()) {
    description.subject_work[name] = work_from_json(work, where + ".subject_work." + name);
  }
  description.footprint_bytes = reader.take<std::int64_t>("footprint_bytes");
  if (const Json* dimensions = reader.optional_member("dimensions")) {
    description.dimensions = case_dimensions_from_json(*dimensions, where + ".dimensions");
  }
  reader.finish();
  return description;
}

Json axis_json(const AxisDescription& axis) {
  Json values = Json::array();
  for (const AxisValue& value : axis.values) values.push_back(detail::axis_value_json(value));
  return {{"name", axis.name}, {"values", values}};
}

AxisDescription axis_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  AxisDescription axis;
  axis.name = reader.take<std::string>("name");
  check_name(axis.name, where + ".name");
  axis.values =
      take_list<AxisValue>(reader, "values", [](const Json& item, const std::string& place) {
        return detail::axis_value_from(item, place);
      });
  reader.finish();
  return axis;
}

Json problem_json(const ProblemDescription& problem) {
  Json json{{"name", problem.name},
            {"checked", problem.checked},
            {"tolerance", problem.tolerance},
            {"has_tensors", problem.has_tensors},
            {"axes", list_of(problem.axes, axis_json)},
            {"cases", list_of(problem.cases, case_json)},
            {"subjects", list_of(problem.subjects, subject_json)},
            {"states", problem.states}};
  if (problem.has_in_place) json["has_in_place"] = true;
  return json;
}

ProblemDescription problem_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  ProblemDescription problem;
  problem.name = reader.take<std::string>("name");
  check_name(problem.name, where + ".name");
  problem.checked = reader.take<bool>("checked");
  problem.tolerance = reader.take<std::string>("tolerance");
  problem.has_tensors = reader.take<bool>("has_tensors");
  problem.has_in_place = reader.take_or<bool>("has_in_place", false);
  problem.axes = take_list<AxisDescription>(reader, "axes", axis_from);
  problem.cases = take_list<CaseDescription>(reader, "cases", case_description_from);
  problem.subjects = take_list<SubjectDescription>(reader, "subjects", subject_from);
  problem.states = take_texts(reader, "states");
  check_names(problem.states, where + ".states");
  reader.finish();
  return problem;
}

Json timer_json(const TimerDescription& timer) {
  Json json{{"name", timer.name},
            {"boundaries", timer.boundaries},
            {"is_per_call", timer.is_per_call},
            {"resolution_ns", json_of(timer.resolution_ns)},
            {"floor_ns", json_of(timer.floor_ns)}};
  if (timer.is_slope) json["is_slope"] = true;
  return json;
}

TimerDescription timer_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  TimerDescription timer;
  timer.name = reader.take<std::string>("name");
  timer.boundaries = take_texts(reader, "boundaries");
  check_names(timer.boundaries, where + ".boundaries");
  timer.is_per_call = reader.take<bool>("is_per_call");
  timer.is_slope = reader.take_or<bool>("is_slope", false);
  timer.resolution_ns = reader.take_reading<double>("resolution_ns");
  timer.floor_ns = reader.take_reading<double>("floor_ns");
  reader.finish();
  return timer;
}

Json fact_json(const FactDescription& fact) {
  return {{"name", fact.name}, {"reading", json_of(fact.value)}};
}

FactDescription fact_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  FactDescription fact;
  fact.name = reader.take<std::string>("name");
  check_name(fact.name, where + ".name");
  fact.value = reader.take_reading<std::string>("reading");
  reader.finish();
  return fact;
}

// Rates of the memory alone, as devices described them before they knew of arithmetic: medians of
// 15 passes over 512 MiB.
MachineCeilings ceilings_of_memory(ObjectReader& device) {
  MachineCeilings ceilings;
  const auto cache = device.take_reading<std::int64_t>("last_level_cache_bytes");
  ceilings.levels = {{"last-level cache", cache, 1},
                     {memory_level_name, Missing{"not-recorded", ""}, 1}};
  const Missing not_recorded{"not-recorded", "the description has the timer's floor alone"};
  ceilings.calls = {{empty_kernel_name, not_recorded}};
  ceilings.bandwidths =
      take_list<BandwidthCeiling>(device, "ceilings", [](const Json& json, const std::string& at) {
        ObjectReader reader(json, at);
        BandwidthCeiling row;
        row.level = memory_level_name;
        row.kernel = reader.take<std::string>("name");
        check_name(row.kernel, at + ".name");
        row.stores = row.kernel == "read" ? "none" : "regular";
        row.array_bytes = std::int64_t{512} << 20;
        const auto rate = reader.take_reading<double>("bytes_per_s");
        reader.finish();
        if (rate && !(*rate > 0)) {
          throw Error(ErrorKind::bad_input, at + ".bytes_per_s: a rate is more than 0");
        }
        row.bytes_per_s = rate.transform([](double value) { return Passes{value, value, 15}; });
        return row;
      });
  return ceilings;
}

Json device_json(const DeviceDescription& device) {
  return {{"id", device.id},
          {"name", device.name},
          {"facts", list_of(device.facts, fact_json)},
          {"ceilings", device.ceilings ? to_json(*device.ceilings) : Json()},
          {"last_level_cache_bytes", json_of(device.last_level_cache_bytes)}};
}

DeviceDescription device_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  DeviceDescription device;
  device.id = reader.take<std::string>("id");
  device.name = reader.take<std::string>("name");
  device.facts = take_list<FactDescription>(reader, "facts", fact_from);
  const Json& ceilings = reader.member("ceilings");
  if (ceilings.is_object()) {
    device.ceilings = ceilings_from_json(ceilings, where + ".ceilings");
  } else if (!ceilings.is_null() && !(ceilings.is_array() && ceilings.empty())) {
    ObjectReader of_memory(json, where);
    device.ceilings = ceilings_of_memory(of_memory);
  }
  device.last_level_cache_bytes = reader.take_reading<std::int64_t>("last_level_cache_bytes");
  reader.finish();
  return device;
}

Json build_json(const BuildDescription& build) {
  return {{"compiler", build.compiler},   {"flags", build.flags},
          {"optimised", build.optimised}, {"aligned", build.aligned},
          {"sanitizer", build.sanitizer}, {"assay_version", build.assay_version}};
}

BuildDescription build_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  BuildDescription build;
  build.compiler = reader.take<std::string>("compiler");
  build.flags = reader.take<std::string>("flags");
  build.optimised = reader.take<bool>("optimised");
  build.aligned = reader.take<bool>("aligned");
  build.sanitizer = reader.take<std::string>("sanitizer");
  build.assay_version = reader.take<std::string>("assay_version");
  reader.finish();
  return build;
}

}  // namespace

std::map<std::string, double> WorkDescription::flop_by_any_dtype() const {
  std::map<std::string, double> all = flop_by_dtype;
  double rest = flop;
  for (const auto& [dtype, count] : flop_by_dtype) rest -= count;
  if (rest > 0 && (all.empty() || rest > kRounding * flop)) all[""] += rest;
  return all;
}

bool TimerDescription::serves(std::string_view boundary) const {
  return std::find(boundaries.begin(), boundaries.end(), boundary) != boundaries.end();
}

Json to_json(const ProgramDescription& description) {
  return {{"program", description.program},
          {"device", device_json(description.device)},
          {"build", build_json(description.build)},
          {"boundaries", description.boundaries},
          {"timers", list_of(description.timers, timer_json)},
          {"problems", list_of(description.problems, problem_json)}};
}

ProgramDescription description_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  ProgramDescription description;
  description.program = reader.take<std::string>("program");
  description.device = device_from(reader.member("device"), where + ".device");
  description.build = build_from(reader.member("build"), where + ".build");
  description.boundaries = take_texts(reader, "boundaries");
  check_names(description.boundaries, where + ".boundaries");
  description.timers = take_list<TimerDescription>(reader, "timers", timer_from);
  description.problems = take_list<ProblemDescription>(reader, "problems", problem_from);
  reader.finish();
  return description;
}

Json to_json(const WorkDescription& work) {
  Json json{{"bytes_read", work.bytes_read},
            {"bytes_written", work.bytes_written},
            {"flop", work.flop},
            {"items", work.items},
            {"item_name", work.item_name}};
  if (!work.flop_by_dtype.empty()) json["flop_by_dtype"] = work.flop_by_dtype;
  return json;
}

WorkDescription work_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  WorkDescription work;
  work.bytes_read = reader.take<double>("bytes_read");
  work.bytes_written = reader.take<double>("bytes_written");
  work.flop = reader.take<double>("flop");
  work.items = reader.take<double>("items");
  work.item_name = reader.take<std::string>("item_name");
  double of_dtypes = 0;
  if (const Json* by_dtype = reader.optional_member("flop_by_dtype")) {
    ObjectReader dtypes(*by_dtype, where + ".flop_by_dtype");
    for (const auto& item : by_dtype->items()) {
      const auto flop = dtypes.take<double>(item.key());
      if (!(flop >= 0)) fail(dtypes.where(), "'" + item.key() + "' must be at least 0");
      work.flop_by_dtype[item.key()] = flop;
      of_dtypes += flop;
    }
  }
  reader.finish();
  if (of_dtypes > work.flop * (1 + kRounding)) {
    fail(where + ".flop_by_dtype", "more operations than flop says there are");
  }
  return work;
}

}  // namespace assay::experiment
