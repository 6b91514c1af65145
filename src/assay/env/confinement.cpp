// SPDX-License-Identifier: MIT
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

using Sign = std::pair<std::string_view, std::string_view>;  // what is looked for, what it means

template <std::size_t count>
Reading<std::string> first_sign(const std::array<Sign, count>& signs, std::string_view text) {
  for (const auto& [sign, meaning] : signs) {
    if (text.find(sign) != std::string_view::npos) return std::string(meaning);
  }
  return Missing{"not-found", "no known sign of it; some leave none"};
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// The variables of this process as the kernel holds them.
bool has_variable(const Sources& sources, std::string_view name) {
  const auto all = sources.text("/proc/self/environ");
  if (!all) return false;
  for (const auto& each : split(*all, '\0')) {
    if (each.substr(0, each.find('=')) == name) return true;
  }
  return false;
}

Reading<std::string> container(const Sources& sources) {
  if (sources.exists("/.dockerenv")) return std::string("docker");
  if (sources.exists("/run/.containerenv")) return std::string("podman");
  if (sources.exists("/.singularity.d") || has_variable(sources, "APPTAINER_CONTAINER") ||
      has_variable(sources, "SINGULARITY_CONTAINER")) {
    return std::string("apptainer");
  }
  constexpr std::array<Sign, 6> signs{{{"kubepods", "kubepods"},
                                       {"docker", "docker"},
                                       {"containerd", "containerd"},
                                       {"lxc", "lxc"},
                                       {"libpod", "libpod"},
                                       {"crio", "crio"}}};
  const auto own = sources.text("/proc/self/cgroup");
  const auto first = sources.text("/proc/1/cgroup");
  if (!own && !first) return own.missing();
  return first_sign(signs, (own ? *own : "") + (first ? *first : ""));
}

// Who decides where this runs, and what beside it.
Reading<std::string> scheduler(const Sources& sources) {
  if (!sources.exists("/proc/self/environ")) {
    return Missing{"no-such-file", "/proc/self/environ is not there"};
  }
  constexpr std::array<Sign, 4> signs{{{"KUBERNETES_SERVICE_HOST", "kubernetes"},
                                       {"SLURM_JOB_ID", "slurm"},
                                       {"PBS_JOBID", "pbs"},
                                       {"LSB_JOBID", "lsf"}}};
  for (const auto& [variable, meaning] : signs) {
    if (has_variable(sources, variable)) return std::string(meaning);
  }
  const auto group = sources.text("/proc/self/cgroup");
  if (group && group->find("slurm") != std::string::npos) return std::string("slurm");
  return Missing{"not-found", "no known sign of one"};
}

Json wsl(const Sources& sources) {
  const std::string file = "/proc/sys/kernel/osrelease";
  return sourced(sources.word(file).transform([](const std::string& release) {
    return lower(release).find("microsoft") != std::string::npos;
  }),
                 file);
}

// A hypervisor tells programs who it is by CPUID 0x40000000.
std::string hypervisor_of_processor() {
#if defined(__x86_64__)
  unsigned a = 0;
  std::array<unsigned, 3> name{};
  __cpuid(1, a, name[0], name[1], name[2]);
  constexpr unsigned present = 1U << 31;
  if ((name[1] & present) == 0) return {};
  __cpuid(0x40000000, a, name[0], name[1], name[2]);
  std::array<char, sizeof name + 1> text{};
  std::memcpy(text.data(), name.data(), sizeof name);
  return text.data();
#else
  return {};
#endif
}

Json hypervisor(const Sources& sources) {
  constexpr std::array<Sign, 12> signs{{{"KVMKVMKVM", "kvm"},
                                        {"VMwareVMware", "vmware"},
                                        {"Microsoft Hv", "hyper-v"},
                                        {"XenVMMXenVMM", "xen"},
                                        {"TCGTCGTCGTCG", "qemu"},
                                        {"VBoxVBoxVBox", "virtualbox"},
                                        {"bhyve bhyve", "bhyve"},
                                        {"ACRNACRNACRN", "acrn"},
                                        {"Jailhouse", "jailhouse"},
                                        {"QNXQVMBSQG", "qnx"},
                                        {"prl hyperv", "parallels"},
                                        {"NVMM", "nvmm"}}};
  if (sources.is_this_machine()) {
    const std::string name = hypervisor_of_processor();
    const auto known = first_sign(signs, name);
    if (known) return sourced(known, "CPUID 0x40000000");
  }
  constexpr std::array<Sign, 9> products{{{"qemu", "kvm"},
                                          {"kvm", "kvm"},
                                          {"amazon ec2", "kvm"},
                                          {"google compute engine", "kvm"},
                                          {"openstack", "kvm"},
                                          {"vmware", "vmware"},
                                          {"virtualbox", "virtualbox"},
                                          {"virtual machine", "hyper-v"},
                                          {"xen", "xen"}}};
  const auto type = sources.word("/sys/hypervisor/type");
  if (type && !type->empty() && *type != "(null)") return sourced(type, "/sys/hypervisor/type");
  const auto vendor = sources.word("/sys/class/dmi/id/sys_vendor");
  const auto product = sources.word("/sys/class/dmi/id/product_name");
  const std::string names = lower((vendor ? *vendor : "") + " " + (product ? *product : ""));
  // Names of clouds are also on their bare-metal machines: the processor has to agree, and on Arm
  // it does not say.
  const auto flags = sources.field("/proc/cpuinfo", "flags", ':');
  const bool says_so = flags && (" " + *flags + " ").find(" hypervisor ") != std::string::npos;
  return sourced(first_sign(products, says_so ? names : ""),
                 "/sys/hypervisor/type, /sys/class/dmi/id");
}

Json status(const Sources& sources, const std::string& key) {
  const auto text = sources.field("/proc/self/status", key, ':');
  return sourced(text ? integer_from(*text) : Reading<std::int64_t>(text.missing()),
                 "/proc/self/status: " + key);
}

}  // namespace

Json confinement_facts(const Sources& sources) {
  const std::string id = "/sys/class/dmi/id/";
  Json json{{"container", sourced(container(sources), "/.dockerenv, /proc/self/cgroup")},
            {"scheduler", sourced(scheduler(sources), "/proc/self/environ, /proc/self/cgroup")},
            {"hypervisor", hypervisor(sources)},
            {"wsl", wsl(sources)},
            {"vendor", sourced(sources.word(id + "sys_vendor"), id + "sys_vendor")},
            {"product", sourced(sources.word(id + "product_name"), id + "product_name")},
            {"system_call_filter", status(sources, "Seccomp")}};
  json.update(cgroup_facts(sources));
  return json;
}

}  // namespace assay::env
