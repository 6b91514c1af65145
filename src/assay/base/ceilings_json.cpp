// SPDX-License-Identifier: MIT
#include "assay/base/ceilings_json.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

#include "assay/base/json_list.hpp"

namespace assay {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw Error(ErrorKind::bad_input, where + ": " + what);
}

Json passes_json(const Reading<Passes>& reading) {
  if (!reading) return json_of(Reading<double>(reading.missing()));
  return {{"best", reading->best}, {"median", reading->median}, {"passes", reading->count}};
}

// higher_is_better: rates; else times.
Reading<Passes> take_passes(ObjectReader& of, const char* key, bool higher_is_better) {
  ObjectReader reader(of.member(key), of.where() + "." + key);
  if (reader.has("missing")) {
    Missing missing{reader.take<std::string>("missing"), reader.take<std::string>("detail")};
    reader.finish();
    return missing;
  }
  Passes passes;
  passes.best = reader.take<double>("best");
  passes.median = reader.take<double>("median");
  passes.count = reader.take<std::int64_t>("passes");
  reader.finish();
  const auto is_sound = [](double value) { return std::isfinite(value) && value > 0; };
  if (!is_sound(passes.best) || !is_sound(passes.median) || passes.count < 1) {
    refuse(reader.where(), "expected numbers above 0");
  }
  if (higher_is_better ? passes.best < passes.median : passes.best > passes.median) {
    refuse(reader.where(), "the best pass is worse than the median");
  }
  return passes;
}

std::string take_one_of(ObjectReader& reader, const char* key,
                        std::initializer_list<const char*> words) {
  const auto found = reader.take<std::string>(key);
  std::string expected;
  for (const char* word : words) {
    if (found == word) return found;
    expected += (expected.empty() ? "" : ", ") + std::string(word);
  }
  refuse(reader.where() + "." + key, "'" + found + "'; expected one of " + expected);
}

std::int64_t take_count(ObjectReader& reader, const char* key) {
  const auto count = reader.take<std::int64_t>(key);
  if (count < 1) refuse(reader.where() + "." + key, "expected at least 1");
  return count;
}

Json level_json(const MemoryLevel& level) {
  return {{"name", level.name}, {"bytes", json_of(level.bytes)}, {"count", level.count}};
}

MemoryLevel level_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  MemoryLevel level;
  level.name = reader.take<std::string>("name");
  level.bytes = reader.take_reading<std::int64_t>("bytes");
  level.count = take_count(reader, "count");
  reader.finish();
  if (level.name.empty()) refuse(where + ".name", "expected a name");
  if (level.bytes && *level.bytes < 1) refuse(where + ".bytes", "expected at least 1");
  return level;
}

Json bandwidth_json(const BandwidthCeiling& row) {
  Json json{{"level", row.level},
            {"kernel", row.kernel},
            {"stores", row.stores},
            {"threads", row.threads},
            {"array_bytes", row.array_bytes},
            {"bytes_per_s", passes_json(row.bytes_per_s)}};
  if (!row.way.empty()) json["way"] = row.way;
  return json;
}

BandwidthCeiling bandwidth_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  BandwidthCeiling row;
  row.level = reader.take<std::string>("level");
  row.kernel = take_one_of(reader, "kernel", {"read", "write", "copy", "triad"});
  row.stores = take_one_of(reader, "stores", {"none", "regular", "non-temporal"});
  row.threads = take_count(reader, "threads");
  row.array_bytes = take_count(reader, "array_bytes");
  row.bytes_per_s = take_passes(reader, "bytes_per_s", true);
  if (reader.has("way")) row.way = reader.take<std::string>("way");
  reader.finish();
  return row;
}

Json compute_json(const ComputeCeiling& row) {
  Json json{
      {"dtype", row.dtype}, {"threads", row.threads}, {"flop_per_s", passes_json(row.flop_per_s)}};
  // What a processor's rows all are, they do not say.
  if (row.kernel != multiply_add_name) json["kernel"] = row.kernel;
  if (!row.library.empty()) json["library"] = row.library;
  return json;
}

ComputeCeiling compute_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  ComputeCeiling row;
  row.dtype = reader.take<std::string>("dtype");
  row.threads = take_count(reader, "threads");
  row.flop_per_s = take_passes(reader, "flop_per_s", true);
  if (reader.has("kernel")) {
    row.kernel = take_one_of(reader, "kernel", {multiply_add_name, matrix_product_name});
  }
  row.library = reader.take_or<std::string>("library", "");
  reader.finish();
  return row;
}

Json call_json(const CallCost& row) { return {{"name", row.name}, {"ns", passes_json(row.ns)}}; }

CallCost call_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CallCost row;
  row.name =
      take_one_of(reader, "name", {empty_iteration_name, erased_call_name, empty_kernel_name});
  row.ns = take_passes(reader, "ns", false);
  reader.finish();
  return row;
}

int core_from(const Json& json, const std::string& where) {
  if (!json.is_number_integer() || json.get<std::int64_t>() < 0 ||
      json.get<std::int64_t>() > 1'000'000) {
    refuse(where, "expected the number of a core");
  }
  return json.get<int>();
}

bool is_of_threads(const MachineCeilings& ceilings) {
  const auto is_several = [](const auto& row) { return row.threads != 1; };
  return std::any_of(ceilings.bandwidths.begin(), ceilings.bandwidths.end(), is_several) ||
         std::any_of(ceilings.compute.begin(), ceilings.compute.end(), is_several);
}

// A row of n threads ran on n of the cores.
std::int64_t most_threads(const MachineCeilings& ceilings) {
  std::int64_t most = 0;
  for (const auto& row : ceilings.bandwidths) most = std::max(most, row.threads);
  for (const auto& row : ceilings.compute) most = std::max(most, row.threads);
  return most;
}

// A capacity is looked up by position: all caches are nearer than the memory.
void check(const MachineCeilings& ceilings, const std::string& where) {
  if (ceilings.are_of_device() &&
      (ceilings.vector_bits != 0 || ceilings.cores_allowed != 0 || is_of_threads(ceilings))) {
    refuse(where + ".cores", "expected at least one core");
  }
  if (!ceilings.are_of_device()) {
    if (ceilings.vector_bits < 1) refuse(where + ".vector_bits", "expected at least 1");
    if (ceilings.cores_allowed < 1) refuse(where + ".cores_allowed", "expected at least 1");
    const auto cores = static_cast<std::int64_t>(ceilings.cores.size());
    if (std::set<int>(ceilings.cores.begin(), ceilings.cores.end()).size() !=
        ceilings.cores.size()) {
      refuse(where + ".cores", "a core stands there twice");
    }
    if (cores > ceilings.cores_allowed) {
      refuse(where + ".cores_allowed", "expected at least as many as there are cores");
    }
    if (most_threads(ceilings) > cores) {
      refuse(where + ".cores", "a row has more threads than there are cores");
    }
  }
  if (!std::isfinite(ceilings.took_s) || ceilings.took_s < 0) {
    refuse(where + ".took_s", "expected a number of at least 0");
  }
  if (ceilings.levels.empty() || ceilings.levels.back().name != memory_level_name) {
    refuse(where + ".levels", "expected levels from the nearest cache to 'memory'");
  }
  for (const BandwidthCeiling& row : ceilings.bandwidths) {
    const bool is_level =
        std::any_of(ceilings.levels.begin(), ceilings.levels.end(),
                    [&](const MemoryLevel& level) { return level.name == row.level; });
    if (!is_level) refuse(where + ".bandwidths", "'" + row.level + "' is none of the levels");
  }
}

}  // namespace

Json to_json(const MachineCeilings& ceilings) {
  return {{"instructions", ceilings.instructions},
          {"vector_bits", ceilings.vector_bits},
          {"cores", ceilings.cores},
          {"cores_allowed", ceilings.cores_allowed},
          {"took_s", ceilings.took_s},
          {"levels", list_of(ceilings.levels, level_json)},
          {"bandwidths", list_of(ceilings.bandwidths, bandwidth_json)},
          {"compute", list_of(ceilings.compute, compute_json)},
          {"calls", list_of(ceilings.calls, call_json)}};
}

MachineCeilings ceilings_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  MachineCeilings ceilings;
  ceilings.instructions = reader.take<std::string>("instructions");
  ceilings.vector_bits = reader.take<std::int64_t>("vector_bits");
  ceilings.cores = take_list<int>(reader, "cores", core_from);
  ceilings.cores_allowed = reader.take<std::int64_t>("cores_allowed");
  ceilings.took_s = reader.take<double>("took_s");
  ceilings.levels = take_list<MemoryLevel>(reader, "levels", level_from);
  ceilings.bandwidths = take_list<BandwidthCeiling>(reader, "bandwidths", bandwidth_from);
  ceilings.compute = take_list<ComputeCeiling>(reader, "compute", compute_from);
  ceilings.calls = take_list<CallCost>(reader, "calls", call_from);
  reader.finish();
  check(ceilings, where);
  return ceilings;
}

}  // namespace assay
