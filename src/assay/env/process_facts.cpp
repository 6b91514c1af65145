// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

// What changes how a program is loaded, allocates, uses threads or finds devices. The rest of the
// environment is nobody's business and may hold secrets.
bool matters(std::string_view variable) {
  constexpr std::array<std::string_view, 30> prefixes = {"OMP_",
                                                         "GOMP_",
                                                         "KMP_",
                                                         "MKL_",
                                                         "OPENBLAS_",
                                                         "BLIS_",
                                                         "VECLIB_",
                                                         "NUMEXPR_",
                                                         "MALLOC_",
                                                         "LD_",
                                                         "CUDA_",
                                                         "CUBLAS_",
                                                         "CUDNN_",
                                                         "NVIDIA_",
                                                         "NCCL_",
                                                         "HIP_",
                                                         "HSA_",
                                                         "ROCR_",
                                                         "OCL_",
                                                         "POCL_",
                                                         "SYCL_",
                                                         "ASSAY_",
                                                         "TBB_",
                                                         "PYTORCH_",
                                                         "XLA_",
                                                         "LC_",
                                                         "LANG=",
                                                         "GLIBC_TUNABLES=",
                                                         "PYTHONHASHSEED=",
                                                         "SLURM_CPU"};
  return std::any_of(prefixes.begin(), prefixes.end(), [variable](std::string_view prefix) {
    return variable.substr(0, prefix.size()) == prefix;
  });
}

Reading<std::vector<std::string>> parts_of(const Sources& sources, const std::string& path) {
  return sources.text(path).transform([](const std::string& text) { return split(text, '\0'); });
}

Json command_line(const Sources& sources) {
  const std::string file = "/proc/self/cmdline";
  return sourced(parts_of(sources, file).transform([](const auto& parts) {
    Json words = Json::array();
    for (const auto& part : parts) words.push_back(as_utf8(part));
    return words;
  }),
                 file);
}

Json variables(const Sources& sources) {
  const std::string file = "/proc/self/environ";
  return sourced(parts_of(sources, file).transform([](const auto& parts) {
    Json values = Json::object();
    for (const auto& part : parts) {
      const auto equals = part.find('=');
      if (equals == std::string::npos || !matters(part)) continue;
      values[as_utf8(part.substr(0, equals))] = as_utf8(part.substr(equals + 1));
    }
    return values;
  }),
                 file);
}

// Fields of /proc/self/stat by their numbers in proc(5). The second, the name, is in parentheses
// and may hold anything, so counting starts behind its last one.
Reading<std::int64_t> stat_field(const Sources& sources, std::size_t number) {
  const auto text = sources.text("/proc/self/stat");
  if (!text) return text.missing();
  const auto end_of_name = text->rfind(')');
  if (end_of_name == std::string::npos) return not_understood(*text);
  constexpr std::size_t first = 3;
  const auto fields = split(trimmed(std::string_view(*text).substr(end_of_name + 1)), ' ');
  if (fields.size() <= number - first) return not_understood(*text);
  return integer_from(fields[number - first]);
}

Json nice(const Sources& sources) {
  constexpr std::size_t field = 19;
  return sourced(stat_field(sources, field), "/proc/self/stat: nice");
}

Json scheduling_policy(const Sources& sources) {
  constexpr std::size_t field = 41;
  const auto number = stat_field(sources, field);
  const auto named = [&]() -> Reading<std::string> {
    if (!number) return number.missing();
    constexpr std::array<const char*, 8> names = {"other", "fifo", "round-robin", "batch",
                                                  "iso",   "idle", "deadline",    "ext"};
    if (*number < 0 || *number >= std::ssize(names)) return not_understood(std::to_string(*number));
    return std::string(names[static_cast<std::size_t>(*number)]);
  };
  return sourced(named(), "/proc/self/stat: policy");
}

// "Max stack size   8388608   unlimited   bytes": the first of the two, which is in force.
Json limit(const Sources& sources, const std::string& name) {
  const std::string file = "/proc/self/limits";
  const auto text = sources.text(file);
  const auto reading = [&]() -> Reading<std::int64_t> {
    if (!text) return text.missing();
    for (const auto& line : split(*text, '\n')) {
      if (line.rfind(name, 0) != 0) continue;
      const auto rest = trimmed(std::string_view(line).substr(name.size()));
      const auto value = rest.substr(0, rest.find(' '));
      if (value == "unlimited") return Missing{"not-limited", "unlimited"};
      return integer_from(value);
    }
    return Missing{"no-such-field", file + " has no '" + name + "'"};
  };
  return sourced(reading(), file + ": " + name);
}

Json status_field(const Sources& sources, const std::string& key) {
  const auto text = sources.field("/proc/self/status", key, ':');
  return sourced(text ? integer_from(*text) : Reading<std::int64_t>(text.missing()),
                 "/proc/self/status: " + key);
}

}  // namespace

Json process_facts(const Sources& sources) {
  return Json{{"command_line", command_line(sources)},
              {"variables", variables(sources)},
              {"nice", nice(sources)},
              {"scheduling_policy", scheduling_policy(sources)},
              {"stack_limit_bytes", limit(sources, "Max stack size")},
              {"locked_memory_limit_bytes", limit(sources, "Max locked memory")},
              {"tracer_process", status_field(sources, "TracerPid")}};
}

}  // namespace assay::env
