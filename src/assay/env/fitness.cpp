// SPDX-License-Identifier: MIT
#include "assay/env/fitness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "assay/env/text.hpp"

namespace assay::env {
namespace {

// Readings of an environment, by "section" and "name". A record's may lack any.
class Readings {
 public:
  explicit Readings(const Json& environment) : environment_(environment) {}

  std::optional<std::string> text(const char* section, const char* name) const {
    return value<std::string>(section, name, [](const Json& json) { return json.is_string(); });
  }
  std::optional<double> number(const char* section, const char* name) const {
    return value<double>(section, name, [](const Json& json) { return json.is_number(); });
  }
  std::optional<bool> flag(const char* section, const char* name) const {
    return value<bool>(section, name, [](const Json& json) { return json.is_boolean(); });
  }
  Json reading(const char* section, const char* name) const {
    if (!environment_.is_object() || !environment_.contains(section)) return {};
    const Json& content = environment_.at(section);
    return content.is_object() && content.contains(name) ? content.at(name) : Json();
  }
  std::string variable(const std::string& name) const {
    const Json all = reading("process", "variables");
    if (!all.is_object() || !all.contains("value") || !all["value"].is_object()) return {};
    const Json found = all["value"].value(name, Json());
    return found.is_string() ? found.get<std::string>() : std::string();
  }
  // "the system does not tell (no-such-file)".
  std::string why_unknown(const char* section, const char* name) const {
    const Json found = reading(section, name);
    const bool is_missing =
        found.is_object() && found.contains("missing") && found["missing"].is_string();
    return "the system does not tell" +
           (is_missing ? " (" + found["missing"].get<std::string>() + ")" : std::string());
  }

 private:
  template <typename T, typename Fits>
  std::optional<T> value(const char* section, const char* name, Fits fits) const {
    const Json found = reading(section, name);
    if (!found.is_object() || !found.contains("value") || !fits(found["value"])) return {};
    return found["value"].get<T>();
  }

  const Json& environment_;
};

using Checks = std::vector<FitnessCheck>;

constexpr const char* clocks_move =
    "The clock follows the load, so a time depends on what ran before it.";

void add_clocks(Checks& checks, const Readings& facts) {
  const auto governor = facts.text("cpu", "governor");
  const auto low = facts.number("cpu", "lower_limit_hz");
  const auto high = facts.number("cpu", "upper_limit_hz");
  // Under other drivers the highest state that can be asked for is where the turbo acts.
  const std::string driver = facts.text("cpu", "frequency_driver").value_or("");
  const bool is_fixed =
      low && high && *low == *high &&
      (driver.rfind("intel_pstate", 0) == 0 || driver.rfind("amd-pstate", 0) == 0);
  const std::string range =
      low && high ? fmt::format(", clocks {:.3g} to {:.3g} GHz", *low / 1e9, *high / 1e9) : "";
  if (!governor) {
    checks.push_back({"clock.governor", Fitness::unknown, facts.why_unknown("cpu", "governor"),
                      clocks_move, "Virtual machines seldom tell; ask who runs the host."});
  } else if (*governor == "performance" || is_fixed) {
    checks.push_back({"clock.governor", Fitness::fit, *governor + range, clocks_move, ""});
  } else {
    checks.push_back({"clock.governor", Fitness::reservation, *governor + range, clocks_move,
                      "sudo cpupower frequency-set --governor performance"});
  }
  const char* why = "With turbo the clock depends on how many cores work and how warm they are.";
  const auto turbo = facts.flag("cpu", "turbo");
  if (!turbo) {
    checks.push_back({"clock.turbo", Fitness::unknown, facts.why_unknown("cpu", "turbo"), why, ""});
  } else if (!*turbo || is_fixed) {
    checks.push_back({"clock.turbo", Fitness::fit, *turbo ? "on, clocks fixed" : "off", why, ""});
  } else {
    const Json reading = facts.reading("cpu", "turbo");
    const bool has_source = reading.contains("source") && reading["source"].is_string();
    const std::string file = has_source ? reading["source"].get<std::string>() : std::string();
    const bool is_intel = file.find("no_turbo") != std::string::npos;
    checks.push_back({"clock.turbo", Fitness::reservation, "on", why,
                      fmt::format("echo {} | sudo tee {}", is_intel ? 1 : 0, file)});
  }
}

void add_cores(Checks& checks, const Readings& facts) {
  const auto smt = facts.flag("cpu", "smt_active");
  const char* why_smt = "Two hardware threads share one core: a neighbour takes part of its units.";
  if (!smt) {
    checks.push_back(
        {"cores.smt", Fitness::unknown, facts.why_unknown("cpu", "smt_active"), why_smt, ""});
  } else {
    checks.push_back({"cores.smt", *smt ? Fitness::reservation : Fitness::fit,
                      *smt ? "two threads a core are active" : "one thread a core", why_smt,
                      *smt ? "echo off | sudo tee /sys/devices/system/cpu/smt/control" : ""});
  }
  const auto allowed = facts.number("cpu", "allowed_cpu_count");
  if (allowed) {
    checks.push_back({"cores.count", *allowed < 2 ? Fitness::reservation : Fitness::fit,
                      fmt::format("{:.0f} may be used", *allowed),
                      "On a single core the operating system's own work interrupts the samples.",
                      *allowed < 2 ? "Measure where two cores or more may be used." : ""});
  }
}

// A group that was stopped in more of its periods than this had pauses in its times.
constexpr double most_throttled = 0.01;

void add_quota(Checks& checks, const Readings& facts) {
  const auto quota = facts.number("confinement", "cgroup_cpus");
  if (!quota) return;
  const auto periods = facts.number("confinement", "quota_periods");
  const auto throttled = facts.number("confinement", "throttled_periods");
  std::optional<double> share;
  if (periods && throttled && *periods > 0) share = *throttled / *periods;
  const auto allowed = facts.number("cpu", "allowed_cpu_count");
  std::string found = fmt::format("{:.3g} processors' worth of time", *quota);
  found += share ? fmt::format("; stopped in {:.3g} % of its periods", *share * 100)
                 : "; how often it stopped the group is not known";
  Fitness fitness = Fitness::fit;
  if (allowed && *quota < *allowed) fitness = Fitness::reservation;
  // One busy thread is stopped in every period.
  if (*quota < 1 || (share && *share > most_throttled)) fitness = Fitness::unfit;
  checks.push_back({"cores.quota", fitness, found,
                    "A control group that has used up its quota is stopped until the next period: "
                    "the pause is part of the time.",
                    fitness == Fitness::fit ? "" : "Run without a quota (docker: no --cpus)."});
}

void add_load(Checks& checks, const Readings& facts) {
  const char* why = "Who waits for a core is measured waiting.";
  const auto pressure = facts.number("load", "pressure_cpu_frac");
  const auto load = facts.number("load", "load_1min");
  const auto online = facts.number("cpu", "online_cpus");
  constexpr double most_pressure = 0.05;
  constexpr double most_load = 0.5;  // of the processors: the samples need but one
  if (pressure) {
    const bool is_busy = *pressure > most_pressure;
    checks.push_back(
        {"load.others", is_busy ? Fitness::reservation : Fitness::fit,
         fmt::format("some task waited for a core in {:.3g} % of the last 10 s", *pressure * 100),
         why, is_busy ? "See who works here (top), and wait or stop it." : ""});
  } else if (load && online) {
    const bool is_busy = *load > most_load * *online;
    checks.push_back({"load.others", is_busy ? Fitness::reservation : Fitness::fit,
                      fmt::format("load {:.3g} on {:.0f} processors", *load, *online), why,
                      is_busy ? "See who works here (top), and wait or stop it." : ""});
  } else {
    checks.push_back(
        {"load.others", Fitness::unknown, facts.why_unknown("load", "load_1min"), why, ""});
  }
  const auto steal = facts.number("load", "steal_frac_since_boot");
  if (steal && *steal > 0) {
    constexpr double most_steal = 0.01;
    const bool is_much = *steal > most_steal;
    checks.push_back(
        {"load.steal", is_much ? Fitness::reservation : Fitness::fit,
         fmt::format("{:.3g} % of the time since boot was taken by the hypervisor", *steal * 100),
         "Stolen time is part of every interval that it falls into.",
         is_much ? "Measure on a host that is not shared." : ""});
  }
}

void add_surroundings(Checks& checks, const Readings& facts) {
  const auto hypervisor = facts.text("confinement", "hypervisor");
  const bool is_virtual = facts.flag("cpu", "virtual").value_or(false) || hypervisor;
  const bool is_wsl = facts.flag("confinement", "wsl").value_or(false);
  const bool is_known = facts.flag("cpu", "virtual").has_value() || is_virtual || is_wsl;
  checks.push_back(
      {"machine.virtual",
       is_virtual || is_wsl ? Fitness::reservation
       : is_known           ? Fitness::fit
                            : Fitness::unknown,
       is_wsl       ? "a virtual machine of Windows (WSL)"
       : is_virtual ? "a virtual machine" + (hypervisor ? " of " + *hypervisor : std::string())
                    : "no sign of a hypervisor",
       "Neighbours on the host, and the clocks of its processor, are not seen from inside.",
       is_virtual || is_wsl ? "Measure on the machine itself; here, judge by the noise floor."
                            : ""});
  const auto source = facts.text("system", "clock_source");
  if (source) {
    constexpr std::array<std::string_view, 3> slow = {"hpet", "acpi_pm", "jiffies"};
    const bool is_slow = std::find(slow.begin(), slow.end(), *source) != slow.end();
    checks.push_back(
        {"timer.source", is_slow ? Fitness::reservation : Fitness::fit, *source,
         "Reading such a clock takes far longer than reading the processor's counter.",
         is_slow ? "Find out why the kernel does not trust the counter: dmesg | grep -i tsc" : ""});
  }
}

void add_memory(Checks& checks, const Readings& facts) {
  const auto total = facts.number("memory", "swap_total_bytes");
  const auto left = facts.number("memory", "swap_free_bytes");
  constexpr double some_bytes = 64.0 * (1 << 20);
  if (total && left && *total - *left > some_bytes) {
    checks.push_back(
        {"memory.swap", Fitness::reservation,
         value_text("_bytes", Json{{"value", *total - *left}}) + " are swapped out",
         "A page that has to come back from the disk is waited for within an interval.",
         "Close what is not needed; then sudo swapoff -a && sudo swapon -a"});
  }
  const auto nodes = facts.number("cpu", "numa_nodes");
  const auto balancing = facts.number("memory", "numa_balancing");
  if (nodes && *nodes > 1 && balancing && *balancing > 0) {
    checks.push_back({"memory.numa_balancing", Fitness::reservation,
                      fmt::format("on, with {:.0f} nodes", *nodes),
                      "The kernel moves pages between nodes while the kernel under test runs.",
                      "echo 0 | sudo tee /proc/sys/kernel/numa_balancing"});
  }
}

void add_process(Checks& checks, const Readings& facts) {
  if (facts.number("process", "tracer_process").value_or(0) > 0) {
    checks.push_back({"process.traced", Fitness::unfit, "a debugger or tracer is attached",
                      "It stops the process at system calls and signals.",
                      "Run without gdb, strace or rr."});
  }
  for (const char* name : {"LD_PRELOAD", "LD_AUDIT", "MALLOC_PERTURB_", "MALLOC_CHECK_"}) {
    const std::string value = facts.variable(name);
    if (value.empty()) continue;
    checks.push_back({"process.preloaded", Fitness::reservation, name + ("=" + value),
                      "It puts other code into the programs, or makes their allocations slower.",
                      fmt::format("unset {}", name)});
  }
  const auto policy = facts.text("process", "scheduling_policy");
  if (facts.number("process", "nice").value_or(0) > 0 ||
      (policy && (*policy == "batch" || *policy == "idle"))) {
    checks.push_back(
        {"process.priority", Fitness::reservation,
         fmt::format("nice {:.0f}, policy {}", facts.number("process", "nice").value_or(0),
                     policy.value_or("unknown")),
         "Everybody else on the machine goes first.", "Run without nice or chrt."});
  }
  const auto sanitizer = facts.text("assay", "sanitizer");
  const bool is_sanitized = sanitizer && *sanitizer != "none";
  const auto optimised = facts.flag("assay", "optimised");
  if (is_sanitized || (optimised && !*optimised)) {
    checks.push_back({"assay.build", Fitness::unfit,
                      is_sanitized ? "this Assay was built with the sanitizer " + *sanitizer
                                   : "this Assay was built without optimisation",
                      "Its own code surrounds every sample.",
                      "cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo, without ASSAY_SANITIZE"});
  }
}

}  // namespace

std::string_view name(Fitness fitness) {
  constexpr std::array<std::string_view, 4> names = {"fit", "unknown", "reservation", "unfit"};
  return names[static_cast<std::size_t>(fitness)];
}

std::vector<FitnessCheck> fitness_of(const Json& environment) {
  const Readings facts(environment);
  Checks checks;
  add_clocks(checks, facts);
  add_cores(checks, facts);
  add_quota(checks, facts);
  add_load(checks, facts);
  add_surroundings(checks, facts);
  add_memory(checks, facts);
  add_process(checks, facts);
  return checks;
}

Fitness overall(const std::vector<FitnessCheck>& checks) {
  Fitness worst = Fitness::fit;
  for (const FitnessCheck& check : checks) {
    if (check.fitness > Fitness::unknown) worst = std::max(worst, check.fitness);
  }
  return worst;
}

std::string summary(const std::vector<FitnessCheck>& checks) {
  std::string unfit;
  std::string reservations;
  for (const FitnessCheck& check : checks) {
    std::string* const list = check.fitness == Fitness::unfit         ? &unfit
                              : check.fitness == Fitness::reservation ? &reservations
                                                                      : nullptr;
    if (list == nullptr || list->find(check.slug) != std::string::npos) continue;
    *list += (list->empty() ? "" : ", ") + check.slug;
  }
  if (!unfit.empty()) {
    return "unfit: " + unfit + (reservations.empty() ? "" : "; also " + reservations);
  }
  return reservations.empty() ? "fit" : "fit with reservations: " + reservations;
}

Json to_json(const FitnessCheck& check) {
  return Json{{"slug", check.slug},
              {"fitness", name(check.fitness)},
              {"found", check.found},
              {"why", check.why},
              {"advice", check.advice}};
}

}  // namespace assay::env
