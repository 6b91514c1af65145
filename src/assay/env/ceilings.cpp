// SPDX-License-Identifier: MIT
#include "assay/env/ceilings.hpp"

#include <algorithm>

#include "assay/base/ceilings_json.hpp"
#include "assay/base/counted.hpp"

namespace assay::env {
namespace {

namespace fs = std::filesystem;

struct Named {
  const char* name;
  const char* section;
  const char* key;
};
constexpr Named kSummary[] = {{"processor", "cpu", "model"},
                              {"microcode", "cpu", "microcode"},
                              {"governor", "cpu", "governor"},
                              {"turbo", "cpu", "turbo"},
                              {"virtual", "cpu", "virtual"},
                              {"kernel", "system", "kernel"},
                              {"transparent_huge_pages", "memory", "transparent_huge_pages"},
                              {"cgroup_cpus", "confinement", "cgroup_cpus"},
                              {"load_1min", "load", "load_1min"}};

Reading<std::string> text_of(const Json& environment, const Named& named) {
  const Missing absent{"absent", "the environment does not say"};
  if (!environment.contains(named.section)) return absent;
  const Json& section = environment.at(named.section);
  if (!section.contains(named.key)) return absent;
  const Json& reading = section.at(named.key);
  if (reading.contains("value")) {
    const Json& value = reading.at("value");
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
  return Missing{reading.value("missing", "absent"), reading.value("detail", "")};
}

Json summary_json(const EnvironmentSummary& summary) {
  Json json = Json::object();
  for (const auto& [name, reading] : summary) json[name] = json_of(reading);
  return json;
}

EnvironmentSummary summary_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  EnvironmentSummary summary;
  for (const auto& item : json.items()) {
    summary.emplace_back(item.key(), reader.take_reading<std::string>(item.key()));
  }
  return summary;
}

StoredCeilings entry_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  StoredCeilings entry;
  entry.machine_fingerprint = reader.take<std::string>("machine_fingerprint");
  entry.hostname = reader.take<std::string>("hostname");
  entry.device = reader.take<std::string>("device");
  entry.measured_utc = reader.take<std::string>("measured_utc");
  entry.assay_version = reader.take<std::string>("assay_version");
  entry.environment = summary_from(reader.member("environment"), where + ".environment");
  entry.ceilings = ceilings_from_json(reader.member("ceilings"), where + ".ceilings");
  reader.finish();
  return entry;
}

}  // namespace

EnvironmentSummary summary_of(const Json& environment) {
  EnvironmentSummary summary;
  for (const Named& named : kSummary) summary.emplace_back(named.name, text_of(environment, named));
  return summary;
}

std::vector<StoredCeilings> read_ceilings(const fs::path& directory) {
  return read_entries<StoredCeilings>(ceilings_file, directory, entry_from);
}

Reading<StoredCeilings> ceilings_of(const fs::path& directory,
                                    const std::string& machine_fingerprint,
                                    const std::string& device) {
  return entry_of(ceilings_file, directory, read_ceilings(directory), machine_fingerprint, device);
}

bool are_of_cores(const StoredCeilings& entry, const std::vector<int>& cores) {
  if (entry.device != "cpu") return true;
  const auto& measured = entry.ceilings.cores;
  const bool all_known = std::all_of(measured.begin(), measured.end(), [&](int core) {
    return std::find(cores.begin(), cores.end(), core) != cores.end();
  });
  return all_known && entry.ceilings.cores_allowed == static_cast<std::int64_t>(cores.size());
}

Reading<StoredCeilings> ceilings_of(const fs::path& directory,
                                    const std::string& machine_fingerprint,
                                    const std::string& device, const std::vector<int>& cores) {
  auto entry = ceilings_of(directory, machine_fingerprint, device);
  if (!entry || are_of_cores(*entry, cores)) return entry;
  return Missing{"other-cores",
                 "measured where Assay could use " +
                     counted(entry->ceilings.cores_allowed, "core") +
                     ", and this run may use others (" + std::to_string(cores.size()) +
                     "); `assay doctor --ceilings` measures those that it is started on"};
}

fs::path write_ceilings(const fs::path& directory, const StoredCeilings& entry) {
  write_ceilings_unless(directory, entry, [](const StoredCeilings&) { return false; });
  return directory / ceilings_name;
}

std::optional<StoredCeilings> write_ceilings_unless(
    const fs::path& directory, const StoredCeilings& entry,
    const std::function<bool(const StoredCeilings&)>& stays) {
  return write_entry<StoredCeilings>(ceilings_file, directory, entry_from, entry, stays);
}

Json to_json(const StoredCeilings& entry) {
  return {{"machine_fingerprint", entry.machine_fingerprint},
          {"hostname", entry.hostname},
          {"device", entry.device},
          {"measured_utc", entry.measured_utc},
          {"assay_version", entry.assay_version},
          {"environment", summary_json(entry.environment)},
          {"ceilings", to_json(entry.ceilings)}};
}

}  // namespace assay::env
