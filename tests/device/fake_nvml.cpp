// SPDX-License-Identifier: MIT
//
// With OLD_NVML: a library of driver 450, as far as Assay can tell: without the functions that came
// later.
#include "fake_nvml.hpp"

#include <algorithm>
#include <cstring>

using namespace assay::device::cuda::nvml;

namespace {

FakeNvml state;
int the_device = 0;

Return result_of(const char* symbol) {
  const auto refused = state.refuses.find(symbol);
  return refused == state.refuses.end() ? success : refused->second;
}

Return write(const char* symbol, const char* text, char* out, unsigned bytes) {
  if (const Return result = result_of(symbol); result != success) return result;
  if (std::strlen(text) + 1 > bytes) return error_insufficient_size;
  std::memcpy(out, text, std::strlen(text) + 1);
  return success;
}

template <typename T>
Return give(const char* symbol, T value, T* out) {
  const Return result = result_of(symbol);
  if (result == success) *out = value;
  return result;
}

}  // namespace

extern "C" {

FakeNvml* fake_nvml() { return &state; }

const char* nvmlErrorString(Return result) {
  return result == 3 ? "Not Supported" : result == 4 ? "Insufficient Permissions" : "Fake Error";
}
Return nvmlInit_v2() { return state.init; }
Return nvmlSystemGetDriverVersion(char* out, unsigned bytes) {
  return write(__func__, "580.159.04", out, bytes);
}
Return nvmlSystemGetNVMLVersion(char* out, unsigned bytes) {
  return write(__func__, "13.580.159.04", out, bytes);
}
Return nvmlDeviceGetHandleByUUID(const char* uuid, Handle* handle) {
  if (state.uuid != uuid) return 6;
  *handle = reinterpret_cast<Handle>(&the_device);
  return result_of(__func__);
}
Return nvmlDeviceGetName(Handle, char* out, unsigned bytes) {
  return write(__func__, "Fake H200", out, bytes);
}
Return nvmlDeviceGetVbiosVersion(Handle, char* out, unsigned bytes) {
  return write(__func__, "96.00.AF.00.01", out, bytes);
}
Return nvmlDeviceGetPersistenceMode(Handle, unsigned* out) { return give(__func__, 1U, out); }
Return nvmlDeviceGetComputeMode(Handle, unsigned* out) { return give(__func__, 3U, out); }
Return nvmlDeviceGetMigMode(Handle, unsigned* current, unsigned* pending) {
  *pending = 1;
  return give(__func__, 0U, current);
}
Return nvmlDeviceGetEccMode(Handle, unsigned* current, unsigned* pending) {
  *pending = 0;
  return give(__func__, 1U, current);
}
Return nvmlDeviceGetEnforcedPowerLimit(Handle, unsigned* out) {
  return give(__func__, 650'500U, out);
}
Return nvmlDeviceGetPowerManagementDefaultLimit(Handle, unsigned* out) {
  return give(__func__, 700'000U, out);
}
Return nvmlDeviceGetMaxClockInfo(Handle, unsigned which, unsigned* out) {
  return give(__func__, which == clock_sm ? 1980U : 3201U, out);
}
Return nvmlDeviceGetClockInfo(Handle, unsigned which, unsigned* out) {
  return give(__func__, which == clock_sm ? 1830U : 3201U, out);
}
Return nvmlDeviceGetCurrPcieLinkGeneration(Handle, unsigned* out) {
  return give(__func__, 5U, out);
}
Return nvmlDeviceGetCurrPcieLinkWidth(Handle, unsigned* out) { return give(__func__, 16U, out); }
Return nvmlDeviceGetPerformanceState(Handle, unsigned* out) { return give(__func__, 0U, out); }
Return nvmlDeviceGetMemoryInfo(Handle, OldMemory* out) {
  return give(__func__, OldMemory{1000, 700, 300}, out);
}
Return nvmlDeviceGetTemperature(Handle, unsigned, unsigned* out) {
  return give(__func__, 41U, out);
}
Return nvmlDeviceGetPowerUsage(Handle, unsigned* out) { return give(__func__, 100'540U, out); }
Return nvmlDeviceGetTotalEnergyConsumption(Handle, unsigned long long* out) {
  return give(__func__, state.energy_mj, out);
}
Return nvmlDeviceGetCurrentClocksThrottleReasons(Handle, unsigned long long* out) {
  return give(__func__, state.clock_reasons, out);
}
Return nvmlDeviceGetFieldValues(Handle, int count, FieldValue* values) {
  if (const Return result = result_of(__func__); result != success) return result;
  for (int i = 0; i < count; ++i) {
    const auto found = state.fields.find(values[i].field);
    const auto answer = found == state.fields.end() ? FakeNvml::Answer{3, 0, 0} : found->second;
    values[i].result = answer.result;
    values[i].type = answer.type;
    if (answer.type == type_unsigned_int) {
      values[i].value.ui = static_cast<unsigned>(answer.value);
    } else {
      values[i].value.ull = answer.value;
    }
  }
  return success;
}

#ifndef OLD_NVML
Return nvmlDeviceGetApplicationsClock(Handle, unsigned, unsigned* out) {
  return give(__func__, 1980U, out);
}
Return nvmlDeviceGetMemoryInfo_v2(Handle, Memory* out) {
  if (out->version != 0x02000028) return 25;
  if (const Return result = result_of(__func__); result != success) return result;
  out->total = 150'754'820'096;
  out->reserved = 644'939'776;
  out->used = 12'345;
  return success;
}
Return nvmlDeviceGetTemperatureV(Handle, Temperature* out) {
  if (out->version != 0x0100000c || out->sensor != 0) return 25;
  out->temperature_c = 32;
  return result_of(__func__);
}
Return nvmlDeviceGetCurrentClocksEventReasons(Handle, unsigned long long* out) {
  return give(__func__, state.clock_reasons | 0x1U, out);
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Handle, unsigned* count, Process* out) {
  if (const Return result = result_of(__func__); result != success) return result;
  const unsigned room = *count;
  *count = static_cast<unsigned>(state.pids.size());
  if (room < state.pids.size()) return error_insufficient_size;
  for (unsigned i = 0; i < *count; ++i) out[i] = {state.pids[i], 0, 0, 0};
  return success;
}
#endif

}  // extern "C"
