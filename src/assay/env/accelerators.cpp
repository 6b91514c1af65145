// SPDX-License-Identifier: MIT
//
// Devices beside the processor, as the kernel and its drivers list them in files: what is there,
// without opening any. What a device says of itself comes from the worker that drives it.
#include <array>
#include <utility>

#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

constexpr const char* nvidia = "/proc/driver/nvidia";

// "0x10de": 10de.
Reading<std::string> hexadecimal(const Sources& sources, const std::string& file) {
  const auto text = sources.word(file);
  if (!text) return text.missing();
  if (text->size() < 3 || text->compare(0, 2, "0x") != 0) return not_understood(*text);
  return text->substr(2);
}

// PCI devices of the classes display (03) and processing accelerator (12).
Reading<Json> pci_devices(const Sources& sources) {
  const std::string folder = "/sys/bus/pci/devices";
  if (!sources.exists(folder)) return Missing{"no-such-file", folder + " is not there"};
  Json list = Json::array();
  for (const auto& address : sources.names(folder)) {
    const std::string device = folder + "/" + address;
    const auto kind = hexadecimal(sources, device + "/class");
    if (!kind || (kind->compare(0, 2, "03") != 0 && kind->compare(0, 2, "12") != 0)) continue;
    Json entry{{"address", as_utf8(address)}, {"class", *kind}};
    for (const char* fact : {"vendor", "device"}) {
      const auto value = hexadecimal(sources, device + "/" + fact);
      if (value) entry[fact] = *value;
    }
    for (const char* fact : {"numa_node", "current_link_speed", "current_link_width"}) {
      const auto value = sources.word(device + "/" + fact);
      if (value && !value->empty()) entry[fact] = *value;
    }
    const auto driver = sources.link(device + "/driver");
    if (driver) entry["driver"] = driver->substr(driver->rfind('/') + 1);
    list.push_back(std::move(entry));
  }
  return list;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug …": the number.
Reading<std::string> nvidia_driver(const Sources& sources) {
  const auto line = sources.field(std::string(nvidia) + "/version", "NVRM version", ':');
  if (!line) return line.missing();
  for (const auto& word : split(*line, ' ')) {
    const bool is_number = word.find('.') != std::string::npos && word.front() != '.' &&
                           word.find_first_not_of("0123456789.") == std::string::npos;
    if (is_number) return word;
  }
  return not_understood(*line);
}

// Without serial numbers: of those only the UUID, which names the device in every tool.
Reading<Json> nvidia_devices(const Sources& sources) {
  const std::string folder = std::string(nvidia) + "/gpus";
  if (!sources.exists(folder)) return Missing{"no-such-file", folder + " is not there"};
  constexpr std::array<std::pair<const char*, const char*>, 4> facts{
      {{"Model", "model"},
       {"GPU UUID", "uuid"},
       {"Video BIOS", "video_bios"},
       {"GPU Firmware", "firmware"}}};
  Json list = Json::array();
  for (const auto& address : sources.names(folder)) {
    Json entry{{"address", as_utf8(address)}};
    for (const auto& [key, name] : facts) {
      const auto value = sources.field(folder + "/" + address + "/information", key, ':');
      if (value) entry[name] = *value;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

// The instances that a device is divided into, by the capabilities that the driver offers for them.
Reading<std::int64_t> mig_instances(const Sources& sources) {
  const std::string folder = std::string(nvidia) + "/capabilities";
  if (!sources.exists(folder)) return Missing{"no-such-file", folder + " is not there"};
  std::int64_t count = 0;
  for (const auto& device : sources.names(folder)) {
    if (device.rfind("gpu", 0) != 0) continue;
    for (const auto& instance : sources.names(folder + "/" + device + "/mig")) {
      if (instance.rfind("gi", 0) == 0) ++count;
    }
  }
  return count;
}

// Whether the driver keeps its counters to administrators, as its parameter says.
Reading<bool> counters_restricted(const Sources& sources) {
  const auto text = sources.field(std::string(nvidia) + "/params", "RmProfilingAdminOnly", ':');
  if (!text) return text.missing();
  if (*text != "0" && *text != "1") return not_understood(*text);
  return *text == "1";
}

// What CUDA's installation says of its parts; none of its programs is run for it.
Json cuda_toolkit(const Sources& sources) {
  const std::string file = "/usr/local/cuda/version.json";
  const auto text = sources.text(file);
  const auto reading = [&]() -> Reading<Json> {
    if (!text) return text.missing();
    const Json all = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
    if (!all.is_object()) return not_understood(*text);
    Json versions = Json::object();
    for (const char* part : {"cuda", "cuda_nvcc", "cuda_nvrtc", "cuda_cupti", "libcublas",
                             "nsight_compute", "nsight_systems"}) {
      const auto found = all.find(part);
      if (found == all.end() || !found->is_object() || !found->contains("version")) continue;
      const Json& version = found->at("version");
      if (version.is_string()) versions[part] = version;
    }
    return versions;
  };
  return sourced(reading(), file);
}

}  // namespace

Json accelerator_facts(const Sources& sources) {
  return Json{
      {"pci_devices", sourced(pci_devices(sources), "/sys/bus/pci/devices")},
      {"nvidia_driver", sourced(nvidia_driver(sources), std::string(nvidia) + "/version")},
      {"nvidia_devices", sourced(nvidia_devices(sources), std::string(nvidia) + "/gpus")},
      {"mig_instances", sourced(mig_instances(sources), std::string(nvidia) + "/capabilities")},
      {"nvidia_counters_restricted",
       sourced(counters_restricted(sources),
               std::string(nvidia) + "/params: RmProfilingAdminOnly")},
      {"cuda_toolkit", cuda_toolkit(sources)}};
}

}  // namespace assay::env
