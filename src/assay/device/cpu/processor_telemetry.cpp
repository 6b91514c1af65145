// SPDX-License-Identifier: MIT
#include "assay/device/cpu/processor_telemetry.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "assay/base/time.hpp"

namespace assay::device {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

std::int64_t process_time_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * ns_per_s + time.tv_nsec;
}

// "some avg10=0.12 avg60=0.05 avg300=0.01 total=123456": 123456.
Reading<std::int64_t> pressure_us(OpenFile& file) {
  const auto text = file.text();
  if (!text) return text.missing();
  const auto some = line_of(*text, "some");
  constexpr std::string_view key = "total=";
  const auto at = some ? some->find(key) : std::string_view::npos;
  if (at == std::string_view::npos) {
    return Missing{"no-such-field", "the file has no total of 'some'"};
  }
  return count_from(trimmed(some->substr(at + key.size())));
}

struct CoreTime {
  Reading<std::int64_t> busy_ns = Missing{"not-read", ""};
  Reading<std::int64_t> steal_ns = Missing{"not-read", ""};
};

// "user nice system idle iowait irq softirq steal …", in ticks (proc(5)). Time of guests is within
// that of users.
CoreTime core_time(const Reading<std::string_view>& line) {
  CoreTime time;
  if (!line) {
    time.busy_ns = time.steal_ns = line.missing();
    return time;
  }
  constexpr std::size_t idle = 3;
  constexpr std::size_t iowait = 4;
  constexpr std::size_t steal = 7;
  const std::int64_t tick_ns = ns_per_s / ::sysconf(_SC_CLK_TCK);
  Reading<std::int64_t> busy = std::int64_t{0};
  std::string_view rest = *line;
  for (std::size_t place = 0; place <= steal; ++place) {
    const std::string_view field = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    if (field.empty()) {
      time.busy_ns = time.steal_ns = Missing{"no-such-field", "/proc/stat has no steal time"};
      return time;
    }
    const auto ns = times(count_from(field), tick_ns);
    if (place == idle || place == iowait) continue;
    if (place == steal) {
      time.steal_ns = ns;
    } else if (!ns) {
      busy = ns.missing();
    } else if (busy) {
      constexpr std::int64_t most = std::int64_t{1} << 60;
      if (*ns > most - std::min(*busy, most)) {
        busy = Missing{"not-understood", "/proc/stat counts more time than there was"};
      } else {
        busy = *busy + *ns;
      }
    }
  }
  time.busy_ns = busy;
  return time;
}

}  // namespace

bool Thinning::has_room(std::int64_t now_ns) const {
  if (first_ns_ < 0) return true;
  const double allowed_ns = kMostFrac * static_cast<double>(now_ns - first_ns_);
  // The first one is what it costs to know the cost.
  const std::int64_t later_ns = all_took_ns_ + 2 * last_took_ns_;
  return static_cast<double>(later_ns) <= allowed_ns;
}

void Thinning::spent(std::int64_t began_ns, std::int64_t took_ns) {
  if (first_ns_ < 0) {
    first_ns_ = began_ns;
    last_took_ns_ = took_ns;
    return;
  }
  last_took_ns_ = took_ns;
  all_took_ns_ += took_ns;
}

ProcessorTelemetry::ProcessorTelemetry(const std::filesystem::path& root)
    : sources_(root),
      stat_(sources_, "/proc/stat"),
      sched_(sources_, "/proc/thread-self/sched"),
      cpu_pressure_(sources_, "/proc/pressure/cpu"),
      memory_pressure_(sources_, "/proc/pressure/memory"),
      io_pressure_(sources_, "/proc/pressure/io"),
      temperature_(sources_),
      energy_(sources_),
      group_(sources_) {}

ProcessorTelemetry::Core& ProcessorTelemetry::files_of(int core) {
  const auto found = cores_.find(core);
  if (found != cores_.end()) return found->second;
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(core);
  return cores_
      .emplace(core, Core{OpenFile(sources_, folder + "/cpufreq/scaling_cur_freq"),
                          OpenFile(sources_, folder + "/thermal_throttle/core_throttle_count"),
                          OpenFile(sources_, folder + "/thermal_throttle/package_throttle_count")})
      .first->second;
}

void ProcessorTelemetry::read_stat(Telemetry& telemetry, int core) {
  const auto text = stat_.text();
  const auto line = [&](const std::string& name) -> Reading<std::string_view> {
    if (!text) return text.missing();
    return line_of(*text, name);
  };
  const CoreTime all = core_time(line("cpu"));
  telemetry.set(Field::busy_ns, all.busy_ns);
  telemetry.set(Field::steal_ns, all.steal_ns);
  const CoreTime one = core_time(line("cpu" + std::to_string(core)));
  telemetry.set(Field::core_busy_ns, one.busy_ns);
  telemetry.set(Field::core_steal_ns, one.steal_ns);
}

void ProcessorTelemetry::read_files(Telemetry& telemetry, int core) {
  // Busy time of the machine and of this process belong together.
  read_stat(telemetry, core);
  telemetry.set(Field::process_ns, process_time_ns());
  Core& files = files_of(core);
  telemetry.set(Field::core_clock_hz, times(files.clock.count(), 1000));
  telemetry.set(Field::core_thermal_throttles, files.core_throttles.count());
  telemetry.set(Field::package_thermal_throttles, files.package_throttles.count());
  telemetry.set(Field::migrations, sched_.count_of("se.nr_migrations"));
  telemetry.set(Field::cpu_pressure_us, pressure_us(cpu_pressure_));
  telemetry.set(Field::memory_pressure_us, pressure_us(memory_pressure_));
  telemetry.set(Field::io_pressure_us, pressure_us(io_pressure_));
  const ControlGroup::Throttled throttled = group_.read();
  telemetry.set(Field::quota_throttles, throttled.periods);
  telemetry.set(Field::quota_throttled_ns, throttled.time_ns);
  telemetry.set(Field::temperature_c, temperature_.read_c());
  telemetry.set(Field::package_energy_uj, energy_.read_uj());
}

Telemetry ProcessorTelemetry::read() {
  Telemetry telemetry(processor_fields(), {"not-read", "readings take a hundredth of the time"});
  telemetry.time_ns = monotonic_ns();
  if (!is_decided_) {
    is_decided_ = true;
    is_whole_ = thinning_.has_room(telemetry.time_ns);
  }
  const int core = sched_getcpu();
  if (core >= 0) telemetry.set(Field::core, core);
  const auto cycles = cycles_.read();
  telemetry.set(Field::cycles, cycles.transform([](const auto& count) { return count.cycles; }));
  telemetry.set(Field::cycles_time_ns,
                cycles.transform([](const auto& count) { return count.time_ns; }));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  telemetry.set(Field::voluntary_switches, usage.ru_nvcsw);
  telemetry.set(Field::involuntary_switches, usage.ru_nivcsw);
  telemetry.set(Field::minor_faults, usage.ru_minflt);
  telemetry.set(Field::major_faults, usage.ru_majflt);
  if (is_whole_ && core >= 0) read_files(telemetry, core);
  telemetry.took_ns = monotonic_ns() - telemetry.time_ns;
  if (is_whole_) thinning_.spent(telemetry.time_ns, telemetry.took_ns);
  return telemetry;
}

}  // namespace assay::device
