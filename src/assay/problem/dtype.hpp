// SPDX-License-Identifier: MIT
//
// DType: what an element is. An open descriptor: f64 f32 f16 bf16 fp8 and the integers ship; a
// user's own element type is one more DType object. Everything that handles data without knowing
// its type (filling, checking, hashing, converting for the reference) goes through it; a subject
// sees its own C++ type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace assay {

// Storage of a 16-bit or 8-bit float: bits only. Subjects convert with their own arithmetic, or
// with to_float/from_float.
struct f16 {
  std::uint16_t bits;
};
struct bf16 {
  std::uint16_t bits;
};
struct fp8_e4m3 {  // OCP 8-bit floating point, E4M3: no infinity, NaN is 0x7f and 0xff
  std::uint8_t bits;
};
struct fp8_e5m2 {
  std::uint8_t bits;
};

// Round to nearest even. An fp8_e4m3 overflow gives NaN (OCP's non-saturating conversion).
float to_float(f16 value) noexcept;
float to_float(bf16 value) noexcept;
float to_float(fp8_e4m3 value) noexcept;
float to_float(fp8_e5m2 value) noexcept;
f16 to_f16(float value) noexcept;
bf16 to_bf16(float value) noexcept;
fp8_e4m3 to_fp8_e4m3(float value) noexcept;
fp8_e5m2 to_fp8_e5m2(float value) noexcept;

struct DType {
  enum class Kind { floating, signed_integer, unsigned_integer };

  std::string name;  // "f32": stands in cases, records and messages
  Kind kind;
  std::size_t size_bytes;

  // One element to and from double; to_element rounds to nearest even, integers saturate. Exact for
  // all that ship up to 32 bits; 64-bit integers are exact to 2^53.
  double (*to_double)(const void* element);
  void (*from_double)(double value, void* element);

  // Floating types only (0 otherwise): digits of the significand with the hidden one; the exponent
  // of the smallest normal number 2^min_exponent; the largest finite value.
  int significand_digits;
  int min_exponent;
  double largest;
  bool has_infinity;
};

// Distance from |x| to the next larger value of dtype: below the smallest normal, at 0 too, the
// subnormal step; at and beyond the largest value the step just below it. 1 for integers, NaN for
// NaN.
double ulp_at(const DType& dtype, double x);

// The descriptor of a C++ element type. Users specialise DTypeOf for their own.
template <typename T>
struct DTypeOf;

template <typename T>
const DType& dtype_of() {
  return DTypeOf<T>::get();
}

#define ASSAY_DECLARE_DTYPE(type)       \
  template <>                           \
  struct DTypeOf<type> {                \
    static const DType& get() noexcept; \
  }
ASSAY_DECLARE_DTYPE(double);
ASSAY_DECLARE_DTYPE(float);
ASSAY_DECLARE_DTYPE(f16);
ASSAY_DECLARE_DTYPE(bf16);
ASSAY_DECLARE_DTYPE(fp8_e4m3);
ASSAY_DECLARE_DTYPE(fp8_e5m2);
ASSAY_DECLARE_DTYPE(std::int8_t);
ASSAY_DECLARE_DTYPE(std::int16_t);
ASSAY_DECLARE_DTYPE(std::int32_t);
ASSAY_DECLARE_DTYPE(std::int64_t);
ASSAY_DECLARE_DTYPE(std::uint8_t);
ASSAY_DECLARE_DTYPE(std::uint16_t);
ASSAY_DECLARE_DTYPE(std::uint32_t);
ASSAY_DECLARE_DTYPE(std::uint64_t);
#undef ASSAY_DECLARE_DTYPE

// A shipped dtype by its name ("f64 f32 f16 bf16 fp8_e4m3 fp8_e5m2 i8 i16 i32 i64 u8 u16 u32 u64");
// nullptr if there is none.
const DType* find_dtype(const std::string& name);

}  // namespace assay
