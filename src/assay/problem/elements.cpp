// SPDX-License-Identifier: MIT
#include "assay/problem/detail/elements.hpp"

#include "assay/problem/detail/convert.hpp"

namespace assay::detail {
namespace {

template <typename T>
void load_as(const std::byte* element, std::int64_t stride, std::int64_t count, double* values) {
  const std::size_t step = static_cast<std::size_t>(stride) * sizeof(T);
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, element + static_cast<std::size_t>(i) * sizeof(T), sizeof value);
      values[i] = element_to_double(value);
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i, element += step) {
    T value;
    std::memcpy(&value, element, sizeof value);
    values[i] = element_to_double(value);
  }
}

template <typename T>
void store_as(const double* values, std::int64_t count, std::byte* element, std::int64_t stride) {
  const std::size_t step = static_cast<std::size_t>(stride) * sizeof(T);
  if (stride == 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      const T value = element_from_double<T>(values[i]);
      std::memcpy(element + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof value);
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i, element += step) {
    const T value = element_from_double<T>(values[i]);
    std::memcpy(element, &value, sizeof value);
  }
}

// Loops with the conversion inline for types that come in bulk; others go element by element.
struct Bulk {
  const DType* dtype;
  void (*load)(const std::byte*, std::int64_t, std::int64_t, double*);
  void (*store)(const double*, std::int64_t, std::byte*, std::int64_t);
};

template <typename T>
Bulk bulk_of() {
  return {&dtype_of<T>(), load_as<T>, store_as<T>};
}

const Bulk* find_bulk(const DType& dtype) {
  static const Bulk shipped[] = {
      bulk_of<float>(),        bulk_of<double>(),       bulk_of<f16>(),
      bulk_of<bf16>(),         bulk_of<std::int32_t>(), bulk_of<std::int64_t>(),
      bulk_of<std::uint8_t>(), bulk_of<std::int8_t>(),  bulk_of<std::uint32_t>(),
      bulk_of<fp8_e4m3>(),     bulk_of<fp8_e5m2>()};
  for (const Bulk& bulk : shipped) {
    if (bulk.dtype == &dtype) return &bulk;
  }
  return nullptr;
}

}  // namespace

void load_elements(const DType& dtype, const std::byte* element, std::int64_t stride,
                   std::int64_t count, double* values) {
  if (const Bulk* bulk = find_bulk(dtype)) {
    bulk->load(element, stride, count, values);
    return;
  }
  const std::size_t step = static_cast<std::size_t>(stride) * dtype.size_bytes;
  for (std::int64_t i = 0; i < count; ++i, element += step) values[i] = dtype.to_double(element);
}

void store_elements(const DType& dtype, const double* values, std::int64_t count,
                    std::byte* element, std::int64_t stride) {
  if (const Bulk* bulk = find_bulk(dtype)) {
    bulk->store(values, count, element, stride);
    return;
  }
  const std::size_t step = static_cast<std::size_t>(stride) * dtype.size_bytes;
  for (std::int64_t i = 0; i < count; ++i, element += step) dtype.from_double(values[i], element);
}

bool is_shipped(const DType& dtype) { return find_dtype(dtype.name) == &dtype; }

double rounded_to(const DType& dtype, double value) {
  // A user's element type may be of any size.
  std::byte small[16];
  std::vector<std::byte> large;
  std::byte* element = small;
  if (dtype.size_bytes > sizeof small) {
    large.resize(dtype.size_bytes);
    element = large.data();
  }
  dtype.from_double(value, element);
  return dtype.to_double(element);
}

}  // namespace assay::detail
