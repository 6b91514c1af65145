// SPDX-License-Identifier: MIT
//
// The folders of /sys that describe processors, caches and nodes, for a machine of any size.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"

namespace assay::env {

struct Topology {
  int packages = 0;
  int cores = 0;  // a package
  int threads = 1;
  int nodes = 0;
  std::string offline;  // "504-511"
  int first_offline = -1;
  std::map<std::string, std::string> caches;  // "l1": "48K"; none: nothing is told of caches

  int processors() const { return packages * cores * threads; }
  // Linux counts all first threads, then all second ones.
  int core_of(int cpu) const { return cpu % (packages * cores); }
  int package_of(int cpu) const { return core_of(cpu) / cores; }
  int node_of(int cpu) const { return package_of(cpu) * nodes / packages; }
};

// "packages=2 cores=32 …".
inline Topology topology_from(const std::string& text) {
  Topology topology;
  std::istringstream words(text);
  std::string word;
  while (words >> word) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (name == "packages") topology.packages = std::stoi(value);
    if (name == "cores") topology.cores = std::stoi(value);
    if (name == "threads") topology.threads = std::stoi(value);
    if (name == "nodes") topology.nodes = std::stoi(value);
    if (name == "offline") {
      topology.offline = value;
      topology.first_offline = std::stoi(value);
    }
    if (name[0] == 'l') topology.caches[name] = value;
  }
  return topology;
}

// These processors, as the kernel writes a mask: "00000000,00000003".
inline std::string mask_of(const Topology& topology, const std::vector<int>& cpus) {
  const int groups = (topology.processors() + 31) / 32;
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(groups));
  for (const int cpu : cpus) {
    bits[static_cast<std::size_t>(cpu / 32)] |= std::uint32_t{1} << (cpu % 32);
  }
  std::string text;
  for (int group = groups - 1; group >= 0; --group) {
    char part[9];
    std::snprintf(part, sizeof part, "%08x", bits[static_cast<std::size_t>(group)]);
    text += (text.empty() ? "" : ",") + std::string(part);
  }
  return text + "\n";
}

inline void put_topology(const TemporaryDirectory& root, const Topology& topology) {
  const std::string cpus = "sys/devices/system/cpu/";
  const std::string nodes = "sys/devices/system/node/";
  const int all = topology.processors();
  const int online = topology.first_offline >= 0 ? topology.first_offline : all;
  const auto up_to = [](int count) {
    return (count > 1 ? "0-" + std::to_string(count - 1) : std::string("0")) + "\n";
  };
  root.put(cpus + "online", up_to(online));
  root.put(cpus + "present", up_to(all));
  root.put(cpus + "possible", up_to(all));
  root.put(cpus + "offline", topology.offline + "\n");
  std::map<int, std::vector<int>> by_core;
  std::map<int, std::vector<int>> by_package;
  std::map<int, std::vector<int>> by_node;
  for (int cpu = 0; cpu < online; ++cpu) {
    by_core[topology.core_of(cpu)].push_back(cpu);
    by_package[topology.package_of(cpu)].push_back(cpu);
    by_node[topology.node_of(cpu)].push_back(cpu);
  }
  for (int cpu = 0; cpu < online; ++cpu) {
    const std::string folder = cpus + "cpu" + std::to_string(cpu) + "/";
    const std::string same_core = mask_of(topology, by_core[topology.core_of(cpu)]);
    const std::string same_package = mask_of(topology, by_package[topology.package_of(cpu)]);
    root.put(folder + "topology/thread_siblings", same_core);
    root.put(folder + "topology/core_siblings", same_package);
    root.put(folder + "topology/core_id", std::to_string(topology.core_of(cpu)) + "\n");
    root.put(folder + "topology/physical_package_id",
             std::to_string(topology.package_of(cpu)) + "\n");
    int index = 0;
    for (const auto& [level, size] : topology.caches) {
      const std::string cache = folder + "cache/index" + std::to_string(index++) + "/";
      root.put(cache + "level", level.substr(1) + "\n");
      root.put(cache + "type", level == "l1" ? "Data\n" : "Unified\n");
      root.put(cache + "size", size + "\n");
      root.put(cache + "coherency_line_size", "64\n");
      root.put(cache + "shared_cpu_map", level == "l3" ? same_package : same_core);
    }
  }
  if (topology.nodes == 0) return;
  root.put(nodes + "online", up_to(topology.nodes));
  root.put(nodes + "possible", up_to(topology.nodes));
  for (int node = 0; node < topology.nodes; ++node) {
    const std::string folder = nodes + "node" + std::to_string(node) + "/";
    root.put(folder + "cpumap", mask_of(topology, by_node[node]));
    root.put(folder + "meminfo", "Node " + std::to_string(node) + " MemTotal:       67108864 kB\n");
  }
}

}  // namespace assay::env
