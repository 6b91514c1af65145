// SPDX-License-Identifier: MIT
#include "assay/device/cuda/nvml.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "assay/base/time.hpp"
#include "assay/device/cuda/library.hpp"

namespace assay::device::cuda {
namespace {

using nvml::FieldValue;
using nvml::Return;

// nvmlReturn_t as slugs.
std::string slug_of_result(Return result) {
  constexpr std::array<std::pair<Return, const char*>, 21> slugs{{
      {1, "uninitialized"},
      {2, "invalid-argument"},
      {3, "not-supported"},
      {4, "no-permission"},
      {6, "not-found"},
      {7, "insufficient-size"},
      {8, "insufficient-power"},
      {9, "driver-not-loaded"},
      {10, "timeout"},
      {12, "library-not-found"},
      {13, "function-not-found"},
      {15, "gpu-lost"},
      {16, "reset-required"},
      {17, "operating-system"},
      {18, "version-mismatch"},
      {20, "memory"},
      {21, "no-data"},
      {25, "argument-version-mismatch"},
      {26, "deprecated"},
      {27, "not-ready"},
      {28, "gpu-not-found"},
  }};
  for (const auto& [code, slug] : slugs) {
    if (code == result) return slug;
  }
  return "nvml-error-" + std::to_string(result);
}

Missing missing_of(const nvml::Api& api, const char* symbol, Return result) {
  const char* text = api.nvmlErrorString(result);
  return {slug_of_result(result), std::string(symbol) + ": " + (text == nullptr ? "" : text) +
                                      " (" + std::to_string(result) + ")"};
}

Missing no_function(const std::string& symbol) {
  return {"no-function", "this version of the library has no " + symbol};
}

template <typename F>
void find(const Library& library, const char* symbol, F*& function) {
  function = reinterpret_cast<F*>(library.find(symbol));
}

nvml::Api api_of(const Library& library) {
  nvml::Api api;
  find(library, "nvmlErrorString", api.nvmlErrorString);
#define ASSAY_NVML_FIND_(symbol, parameters) find(library, #symbol, api.symbol);
  ASSAY_NVML_FUNCTIONS(ASSAY_NVML_FIND_)
#undef ASSAY_NVML_FIND_
  return api;
}

std::int64_t hz_of(unsigned mhz) { return std::int64_t{mhz} * 1'000'000; }
std::int64_t number(unsigned value) { return value; }

std::string mhz_text(unsigned mhz) { return std::to_string(mhz) + " MHz"; }

std::string watt_text(unsigned mw) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g W", static_cast<double>(mw) * 1e-3);
  return text;
}

std::string on_or_off(unsigned state) { return state == 0 ? "off" : "on"; }

// nvmlComputeMode_t.
std::string compute_mode_text(unsigned mode) {
  constexpr std::array<const char*, 4> modes{"default", "exclusive-thread", "prohibited",
                                             "exclusive-process"};
  return mode < modes.size() ? modes[mode] : std::to_string(mode);
}

Reading<std::int64_t> integer_of(const FieldValue& field) {
  switch (field.type) {
    case nvml::type_unsigned_int:
      return std::int64_t{field.value.ui};
    case nvml::type_unsigned_long:
      return static_cast<std::int64_t>(field.value.ul);
    case nvml::type_unsigned_long_long:
      return static_cast<std::int64_t>(field.value.ull);
    case nvml::type_signed_long_long:
      return std::int64_t{field.value.sll};
    case nvml::type_signed_int:
      return std::int64_t{field.value.si};
    case nvml::type_unsigned_short:
      return std::int64_t{field.value.us};
    default:
      return Missing{"not-understood", "field " + std::to_string(field.field) + " is of type " +
                                           std::to_string(field.type)};
  }
}

// No device counts down to a negative number, nor past 2^63 of anything.
Reading<std::int64_t> not_negative(const Reading<std::int64_t>& value) {
  if (value && *value < 0) {
    return Missing{"not-understood", "the library gave " + std::to_string(*value)};
  }
  return value;
}

}  // namespace

Telemetry unknown_sample(const Missing& why) {
  Telemetry telemetry(gpu_fields(), why);
  telemetry.time_ns = monotonic_ns();
  return telemetry;
}

std::string uuid_text(const std::array<unsigned char, 16>& bytes) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

Reading<std::int64_t> others_among(const std::vector<unsigned>& pids, unsigned own) {
  const auto others =
      std::count_if(pids.begin(), pids.end(), [own](unsigned pid) { return pid != own; });
  if (static_cast<std::size_t>(others) == pids.size()) {
    return Missing{"own-process-not-listed",
                   "the device lists " + std::to_string(pids.size()) +
                       " processes and this one is not among them, so that the list is not to be "
                       "trusted: in a container it is empty or has the numbers of the host"};
  }
  return std::int64_t{others};
}

Reading<Nvml> Nvml::open(const std::string& uuid) { return open(uuid, {"libnvidia-ml.so.1"}); }

Reading<Nvml> Nvml::open(const std::string& uuid, const std::vector<std::string>& names) {
  const Reading<Library> library = Library::open(names);
  if (!library) return library.missing();
  const nvml::Api api = api_of(*library);
  if (api.nvmlErrorString == nullptr) return no_function("nvmlErrorString");
  if (api.nvmlInit_v2 == nullptr) return no_function("nvmlInit_v2");
  if (api.nvmlDeviceGetHandleByUUID == nullptr) return no_function("nvmlDeviceGetHandleByUUID");
  // Counted by the library, and never undone, as the library is never closed.
  if (const Return result = api.nvmlInit_v2(); result != nvml::success) {
    return missing_of(api, "nvmlInit_v2", result);
  }
  nvml::Handle handle = nullptr;
  const Return result = api.nvmlDeviceGetHandleByUUID(uuid.c_str(), &handle);
  if (result != nvml::success) return missing_of(api, "nvmlDeviceGetHandleByUUID", result);
  return Nvml(api, handle);
}

Missing Nvml::missing(const char* symbol, Return result) const {
  return missing_of(api_, symbol, result);
}

template <typename T, typename... Parameters, typename... Before>
Reading<T> Nvml::value_of(const char* symbol, Return (*function)(Parameters...),
                          Before... before) const {
  if (function == nullptr) return no_function(symbol);
  T value{};
  const Return result = function(handle_, before..., &value);
  if (result != nvml::success) return missing(symbol, result);
  return value;
}

Reading<std::string> Nvml::text_of(const char* symbol,
                                   Return (*function)(nvml::Handle, char*, unsigned)) const {
  if (function == nullptr) return no_function(symbol);
  std::array<char, nvml::text_bytes + 1> text{};
  const Return result = function(handle_, text.data(), nvml::text_bytes);
  if (result != nvml::success) return missing(symbol, result);
  return std::string(text.data());
}

Reading<std::string> Nvml::text_of(const char* symbol, Return (*function)(char*, unsigned)) const {
  if (function == nullptr) return no_function(symbol);
  std::array<char, nvml::text_bytes + 1> text{};
  const Return result = function(text.data(), nvml::text_bytes);
  if (result != nvml::success) return missing(symbol, result);
  return std::string(text.data());
}

Reading<unsigned> Nvml::mode_of(const char* symbol,
                                Return (*function)(nvml::Handle, unsigned*, unsigned*)) const {
  if (function == nullptr) return no_function(symbol);
  unsigned current = 0;
  unsigned pending = 0;
  const Return result = function(handle_, &current, &pending);
  if (result != nvml::success) return missing(symbol, result);
  return current;
}

#define ASSAY_NVML_(symbol) #symbol, api_.symbol

std::vector<Fact> Nvml::facts() const {
  const auto value = [this](const char* symbol, Return (*function)(nvml::Handle, unsigned*)) {
    return value_of<unsigned>(symbol, function);
  };
  const auto clock = [this](const char* symbol,
                            Return (*function)(nvml::Handle, unsigned, unsigned*), unsigned which) {
    return value_of<unsigned>(symbol, function, which).transform(mhz_text);
  };
  const auto decimal = [](unsigned number) { return std::to_string(number); };
  std::vector<Fact> facts{
      {"driver-version", text_of(ASSAY_NVML_(nvmlSystemGetDriverVersion))},
      {"nvml-version", text_of(ASSAY_NVML_(nvmlSystemGetNVMLVersion))},
      {"name", text_of(ASSAY_NVML_(nvmlDeviceGetName))},
      {"vbios-version", text_of(ASSAY_NVML_(nvmlDeviceGetVbiosVersion))},
      {"persistence-mode", value(ASSAY_NVML_(nvmlDeviceGetPersistenceMode)).transform(on_or_off)},
      {"compute-mode", value(ASSAY_NVML_(nvmlDeviceGetComputeMode)).transform(compute_mode_text)},
      {"mig-mode", mode_of(ASSAY_NVML_(nvmlDeviceGetMigMode)).transform(on_or_off)},
      {"ecc-mode", mode_of(ASSAY_NVML_(nvmlDeviceGetEccMode)).transform(on_or_off)},
      {"power-limit", value(ASSAY_NVML_(nvmlDeviceGetEnforcedPowerLimit)).transform(watt_text)},
      {"default-power-limit",
       value(ASSAY_NVML_(nvmlDeviceGetPowerManagementDefaultLimit)).transform(watt_text)},
      {"max-sm-clock", clock(ASSAY_NVML_(nvmlDeviceGetMaxClockInfo), nvml::clock_sm)},
      {"max-memory-clock", clock(ASSAY_NVML_(nvmlDeviceGetMaxClockInfo), nvml::clock_memory)},
      {"application-sm-clock", clock(ASSAY_NVML_(nvmlDeviceGetApplicationsClock), nvml::clock_sm)},
      {"application-memory-clock",
       clock(ASSAY_NVML_(nvmlDeviceGetApplicationsClock), nvml::clock_memory)},
      {"locked-clocks",
       Missing{"not-readable",
               "NVML sets locked clocks and has no function that tells them: compare the clocks "
               "that were seen with max-sm-clock"}},
      {"pcie-generation",
       value(ASSAY_NVML_(nvmlDeviceGetCurrPcieLinkGeneration)).transform(decimal)},
      {"pcie-width", value(ASSAY_NVML_(nvmlDeviceGetCurrPcieLinkWidth)).transform(decimal)},
      {"performance-state", value(ASSAY_NVML_(nvmlDeviceGetPerformanceState)).transform(decimal)},
      {"total-memory-bytes",
       memory().transform([](const nvml::Memory& read) { return std::to_string(read.total); })}};
  return facts;
}

Reading<nvml::Memory> Nvml::memory() const {
  nvml::Memory memory{};
  memory.version = nvml::version_of<nvml::Memory>(2);
  if (api_.nvmlDeviceGetMemoryInfo_v2 != nullptr &&
      api_.nvmlDeviceGetMemoryInfo_v2(handle_, &memory) == nvml::success) {
    return memory;
  }
  const auto old = value_of<nvml::OldMemory>(ASSAY_NVML_(nvmlDeviceGetMemoryInfo));
  return old.transform([](const nvml::OldMemory& read) {
    nvml::Memory same{};
    same.total = read.total;
    same.free = read.free;
    same.used = read.used;
    return same;
  });
}

Reading<std::int64_t> Nvml::temperature_c() const {
  nvml::Temperature temperature{};
  temperature.version = nvml::version_of<nvml::Temperature>(1);
  temperature.sensor = nvml::temperature_gpu;
  if (api_.nvmlDeviceGetTemperatureV != nullptr &&
      api_.nvmlDeviceGetTemperatureV(handle_, &temperature) == nvml::success) {
    return std::int64_t{temperature.temperature_c};
  }
  return value_of<unsigned>(ASSAY_NVML_(nvmlDeviceGetTemperature), nvml::temperature_gpu)
      .transform(number);
}

Reading<std::int64_t> Nvml::clock_reasons() const {
  using Mask = unsigned long long;
  // The same under its name before driver 535.
  const Reading<Mask> mask =
      api_.nvmlDeviceGetCurrentClocksEventReasons != nullptr
          ? value_of<Mask>(ASSAY_NVML_(nvmlDeviceGetCurrentClocksEventReasons))
          : value_of<Mask>(ASSAY_NVML_(nvmlDeviceGetCurrentClocksThrottleReasons));
  return not_negative(mask.transform([](Mask bits) { return static_cast<std::int64_t>(bits); }));
}

Reading<std::int64_t> Nvml::other_processes() const {
  constexpr const char* symbol = "nvmlDeviceGetComputeRunningProcesses_v3";
  if (api_.nvmlDeviceGetComputeRunningProcesses_v3 == nullptr) return no_function(symbol);
  std::vector<nvml::Process> processes(64);
  // Where there are more, the library says how many; some may start meanwhile.
  for (int attempt = 0; attempt < 3; ++attempt) {
    auto count = static_cast<unsigned>(processes.size());
    const Return result =
        api_.nvmlDeviceGetComputeRunningProcesses_v3(handle_, &count, processes.data());
    if (result == nvml::success) {
      std::vector<unsigned> pids;
      for (unsigned i = 0; i < std::min<std::size_t>(count, processes.size()); ++i) {
        pids.push_back(processes[i].pid);
      }
      return others_among(pids, static_cast<unsigned>(getpid()));
    }
    if (result != nvml::error_insufficient_size) return missing(symbol, result);
    processes.resize(std::max<std::size_t>(count, processes.size()) + 64);
  }
  return missing(symbol, nvml::error_insufficient_size);
}

void Nvml::read_fields(Telemetry& telemetry) const {
  using nvml::MovedField;
  constexpr std::array<unsigned, 9> ids{
      nvml::field_sw_power_cap,          nvml::field_sync_boost,
      nvml::field_power_instant,         nvml::field_sw_thermal.now,
      nvml::field_sw_thermal.before,     nvml::field_hw_thermal.now,
      nvml::field_hw_thermal.before,     nvml::field_hw_power_brake.now,
      nvml::field_hw_power_brake.before,
  };
  constexpr const char* symbol = "nvmlDeviceGetFieldValues";
  std::array<FieldValue, ids.size()> fields{};
  for (std::size_t i = 0; i < ids.size(); ++i) fields[i].field = ids[i];
  Reading<bool> asked = true;
  if (api_.nvmlDeviceGetFieldValues == nullptr) {
    asked = no_function(symbol);
  } else {
    const Return result =
        api_.nvmlDeviceGetFieldValues(handle_, static_cast<int>(ids.size()), fields.data());
    if (result != nvml::success) asked = missing(symbol, result);
  }
  const auto field_of = [&](unsigned id) -> const FieldValue& {
    return *std::find_if(fields.begin(), fields.end(),
                         [id](const FieldValue& field) { return field.field == id; });
  };
  const auto read = [&](unsigned id) -> Reading<std::int64_t> {
    if (!asked) return asked.missing();
    const FieldValue& field = field_of(id);
    if (field.result != nvml::success) return missing(symbol, field.result);
    return not_negative(integer_of(field));
  };
  const auto is_counter = [&](unsigned id) {
    const FieldValue& field = field_of(id);
    return field.result == nvml::success && field.type == nvml::type_unsigned_long_long;
  };
  const auto read_moved = [&](const MovedField& moved) -> Reading<std::int64_t> {
    if (!asked) return asked.missing();
    const bool is_now = is_counter(moved.now);
    const bool is_before = is_counter(moved.before);
    if (is_now && is_before) {
      return Missing{"ambiguous", "this driver gives a counter under " + std::to_string(moved.now) +
                                      " and " + std::to_string(moved.before) +
                                      ", and only one of them is this one"};
    }
    if (is_now) return read(moved.now);
    if (is_before) return read(moved.before);
    const FieldValue& field = field_of(moved.now);
    if (field.result != nvml::success) return missing(symbol, field.result);
    return Missing{"not-understood", "field " + std::to_string(moved.now) + " is of type " +
                                         std::to_string(field.type) + ", not a counter"};
  };
  telemetry.set(Field::sw_power_cap_ns, read(nvml::field_sw_power_cap));
  telemetry.set(Field::sync_boost_ns, read(nvml::field_sync_boost));
  telemetry.set(Field::power_instant_mw, read(nvml::field_power_instant));
  telemetry.set(Field::sw_thermal_ns, read_moved(nvml::field_sw_thermal));
  telemetry.set(Field::hw_thermal_ns, read_moved(nvml::field_hw_thermal));
  telemetry.set(Field::hw_power_brake_ns, read_moved(nvml::field_hw_power_brake));
}

Telemetry Nvml::sample(Extent extent) const {
  using Counter = unsigned long long;
  const auto signed_of = [](Counter value) { return static_cast<std::int64_t>(value); };
  Telemetry telemetry(gpu_fields());
  telemetry.time_ns = monotonic_ns();
  if (extent == Extent::all) {
    telemetry.set(
        Field::sm_clock_hz,
        value_of<unsigned>(ASSAY_NVML_(nvmlDeviceGetClockInfo), nvml::clock_sm).transform(hz_of));
    telemetry.set(Field::memory_clock_hz,
                  value_of<unsigned>(ASSAY_NVML_(nvmlDeviceGetClockInfo), nvml::clock_memory)
                      .transform(hz_of));
  }
  telemetry.set(Field::clock_reasons, clock_reasons());
  read_fields(telemetry);
  if (extent == Extent::all) {
    telemetry.set(Field::performance_state,
                  value_of<unsigned>(ASSAY_NVML_(nvmlDeviceGetPerformanceState)).transform(number));
    // NVML_PSTATE_UNKNOWN.
    if (telemetry.of(Field::performance_state) && *telemetry.of(Field::performance_state) == 32) {
      telemetry.set(Field::performance_state,
                    Missing{"unknown", "the device does not know its own state"});
    }
    telemetry.set(Field::power_average_mw,
                  value_of<unsigned>(ASSAY_NVML_(nvmlDeviceGetPowerUsage)).transform(number));
    telemetry.set(Field::temperature_c, temperature_c());
    telemetry.set(Field::energy_mj,
                  not_negative(value_of<Counter>(ASSAY_NVML_(nvmlDeviceGetTotalEnergyConsumption))
                                   .transform(signed_of)));
    telemetry.set(Field::other_processes, other_processes());
    telemetry.set(Field::used_memory_bytes,
                  not_negative(memory().transform(
                      [&](const nvml::Memory& read) { return signed_of(read.used); })));
  }
  telemetry.took_ns = monotonic_ns() - telemetry.time_ns;
  return telemetry;
}

#undef ASSAY_NVML_

}  // namespace assay::device::cuda
