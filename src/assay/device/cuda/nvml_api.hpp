// SPDX-License-Identifier: MIT
//
// NVML's binary interface, as far as Assay calls it: written down here because its header comes
// with the driver's development files, which few machines have. Names, numbers and layouts are
// those of NVIDIA's documentation of the library (docs.nvidia.com/deploy/nvml-api). The functions
// are found at run time; only the first few must be there, the others are younger than some
// drivers. Internal.
#pragma once

#include <cstdint>

namespace assay::device::cuda::nvml {

// nvmlReturn_t and nvmlDevice_t.
using Return = int;
using Handle = struct Opaque*;

inline constexpr Return success = 0;
inline constexpr Return error_insufficient_size = 7;

// nvmlClockType_t, nvmlTemperatureSensors_t, nvmlEnableState_t.
inline constexpr unsigned clock_sm = 1;
inline constexpr unsigned clock_memory = 2;
inline constexpr unsigned temperature_gpu = 0;

// Of texts, with room for what later versions of the interface may write.
inline constexpr unsigned text_bytes = 96;

// nvmlValueType_t.
enum ValueType : unsigned {
  type_double = 0,
  type_unsigned_int = 1,
  type_unsigned_long = 2,
  type_unsigned_long_long = 3,
  type_signed_long_long = 4,
  type_signed_int = 5,
  type_unsigned_short = 6,
};

union Value {
  double d;
  int si;
  unsigned ui;
  unsigned long ul;
  unsigned long long ull;
  long long sll;
  unsigned short us;
};

// nvmlFieldValue_t.
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp_us;
  long long latency_us;
  unsigned type;
  Return result;
  Value value;
};
static_assert(sizeof(FieldValue) == 40);

// NVML_FI_DEV_…: counters of clock events in ns, and the power of this moment in mW.
inline constexpr unsigned field_sw_power_cap = 74;
inline constexpr unsigned field_sync_boost = 76;
inline constexpr unsigned field_power_instant = 186;
// Three counters were given other numbers, and their old numbers another meaning, between two
// versions of the interface. Counters are unsigned long long under both; what took their place is
// not.
struct MovedField {
  unsigned now;
  unsigned before;
};
inline constexpr MovedField field_sw_thermal{269, 251};
inline constexpr MovedField field_hw_thermal{270, 252};
inline constexpr MovedField field_hw_power_brake{271, 253};

// NVML_STRUCT_VERSION: the size of the struct and the version of its layout.
template <typename T>
constexpr unsigned version_of(unsigned version) {
  return static_cast<unsigned>(sizeof(T)) | version << 24U;
}

// nvmlTemperature_v1_t.
struct Temperature {
  unsigned version;
  unsigned sensor;
  int temperature_c;
};
static_assert(version_of<Temperature>(1) == 0x0100000c);

// nvmlMemory_v2_t.
struct Memory {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;  // without what is reserved
};
static_assert(version_of<Memory>(2) == 0x02000028);

// nvmlMemory_t, of older drivers; used includes what is reserved.
struct OldMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

// nvmlProcessInfo_v2_t, which nvmlDeviceGetComputeRunningProcesses_v3 fills in.
struct Process {
  unsigned pid;
  unsigned long long used_memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};
static_assert(sizeof(Process) == 24);

}  // namespace assay::device::cuda::nvml

// X(symbol, parameters): what each function takes; all return nvmlReturn_t.
#define ASSAY_NVML_FUNCTIONS(X)                                               \
  X(nvmlInit_v2, ())                                                          \
  X(nvmlSystemGetDriverVersion, (char*, unsigned))                            \
  X(nvmlSystemGetNVMLVersion, (char*, unsigned))                              \
  X(nvmlDeviceGetHandleByUUID, (const char*, Handle*))                        \
  X(nvmlDeviceGetName, (Handle, char*, unsigned))                             \
  X(nvmlDeviceGetVbiosVersion, (Handle, char*, unsigned))                     \
  X(nvmlDeviceGetPersistenceMode, (Handle, unsigned*))                        \
  X(nvmlDeviceGetComputeMode, (Handle, unsigned*))                            \
  X(nvmlDeviceGetMigMode, (Handle, unsigned*, unsigned*))                     \
  X(nvmlDeviceGetEccMode, (Handle, unsigned*, unsigned*))                     \
  X(nvmlDeviceGetEnforcedPowerLimit, (Handle, unsigned*))                     \
  X(nvmlDeviceGetPowerManagementDefaultLimit, (Handle, unsigned*))            \
  X(nvmlDeviceGetMaxClockInfo, (Handle, unsigned, unsigned*))                 \
  X(nvmlDeviceGetApplicationsClock, (Handle, unsigned, unsigned*))            \
  X(nvmlDeviceGetClockInfo, (Handle, unsigned, unsigned*))                    \
  X(nvmlDeviceGetCurrPcieLinkGeneration, (Handle, unsigned*))                 \
  X(nvmlDeviceGetCurrPcieLinkWidth, (Handle, unsigned*))                      \
  X(nvmlDeviceGetPerformanceState, (Handle, unsigned*))                       \
  X(nvmlDeviceGetMemoryInfo_v2, (Handle, Memory*))                            \
  X(nvmlDeviceGetMemoryInfo, (Handle, OldMemory*))                            \
  X(nvmlDeviceGetTemperatureV, (Handle, Temperature*))                        \
  X(nvmlDeviceGetTemperature, (Handle, unsigned, unsigned*))                  \
  X(nvmlDeviceGetPowerUsage, (Handle, unsigned*))                             \
  X(nvmlDeviceGetTotalEnergyConsumption, (Handle, unsigned long long*))       \
  X(nvmlDeviceGetCurrentClocksEventReasons, (Handle, unsigned long long*))    \
  X(nvmlDeviceGetCurrentClocksThrottleReasons, (Handle, unsigned long long*)) \
  X(nvmlDeviceGetFieldValues, (Handle, int, FieldValue*))                     \
  X(nvmlDeviceGetComputeRunningProcesses_v3, (Handle, unsigned*, Process*))

namespace assay::device::cuda::nvml {

struct Api {
  const char* (*nvmlErrorString)(Return) = nullptr;
#define ASSAY_NVML_MEMBER_(symbol, parameters) Return(*symbol) parameters = nullptr;
  ASSAY_NVML_FUNCTIONS(ASSAY_NVML_MEMBER_)
#undef ASSAY_NVML_MEMBER_
};

}  // namespace assay::device::cuda::nvml
