// SPDX-License-Identifier: MIT
//
// Walking the elements of a tensor in logical order, in runs along the innermost dimension, and
// converting runs to and from double.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "assay/base/helpers.hpp"
#include "assay/problem/tensor.hpp"

namespace assay::detail {

// `count` elements: logical indices index, index + 1, …; places offset, offset + stride, …
struct Run {
  std::int64_t index;
  std::int64_t offset;
  std::int64_t stride;
  std::int64_t count;
};

// Calls f(Run) over the logical indices first … first + count − 1. One run if the tensor is dense.
template <typename F>
void for_each_run(const Tensor& tensor, std::int64_t first, std::int64_t count, F&& f) {
  if (count <= 0) return;
  if (tensor.is_dense()) {
    f(Run{first, first, 1, count});
    return;
  }
  const Shape& shape = tensor.shape();  // at least one dimension: a scalar is dense
  const auto& strides = tensor.strides();
  const std::size_t last = shape.size() - 1;
  std::vector<std::int64_t> position(shape.size());
  std::int64_t rest = first;
  std::int64_t offset = 0;
  for (std::size_t d = shape.size(); d-- > 0;) {
    position[d] = rest % shape[d];
    rest /= shape[d];
    offset += position[d] * strides[d];
  }
  std::int64_t index = first;
  const std::int64_t end = first + count;
  while (index < end) {
    const std::int64_t length = std::min(shape[last] - position[last], end - index);
    f(Run{index, offset, strides[last], length});
    index += length;
    // The innermost dimension is done: back to its start, and carry into the others.
    offset -= position[last] * strides[last];
    position[last] = 0;
    for (std::size_t d = last; d-- > 0;) {
      offset += strides[d];
      if (++position[d] < shape[d]) break;
      offset -= position[d] * strides[d];
      position[d] = 0;
    }
  }
}

template <typename F>
void for_each_run(const Tensor& tensor, F&& f) {
  for_each_run(tensor, 0, tensor.element_count(), std::forward<F>(f));
}

// count elements from `element` on, `stride` elements apart.
void load_elements(const DType& dtype, const std::byte* element, std::int64_t stride,
                   std::int64_t count, double* values);
void store_elements(const DType& dtype, const double* values, std::int64_t count,
                    std::byte* element, std::int64_t stride);

// Whether it is one of the types that ship: its conversions may be called by several threads.
bool is_shipped(const DType& dtype);

// Calls work(first, last) for ranges that cover [0, count) of the tensor's elements, by the threads
// of the helpers where there are enough elements and the type is one that ships.
template <typename Work>
void share_elements(const Helpers& helpers, const Tensor& tensor, std::int64_t count,
                    const Work& work) {
  constexpr std::int64_t worth_a_thread = std::int64_t{1} << 17;
  (is_shipped(tensor.dtype()) ? helpers : Helpers()).share(count, worth_a_thread, work);
}

// value rounded to the dtype and back.
double rounded_to(const DType& dtype, double value);

inline std::byte* at(std::byte* payload, const DType& dtype, std::int64_t offset) noexcept {
  return payload + static_cast<std::size_t>(offset) * dtype.size_bytes;
}
inline const std::byte* at(const std::byte* payload, const DType& dtype,
                           std::int64_t offset) noexcept {
  return payload + static_cast<std::size_t>(offset) * dtype.size_bytes;
}

// Calls f(logical index, value) for the elements first … last − 1, in order, converting block by
// block.
template <typename F>
void for_each_value(const Tensor& tensor, const std::byte* payload, std::int64_t first,
                    std::int64_t last, F&& f) {
  constexpr std::int64_t block = 1024;
  double values[block];
  for_each_run(tensor, first, last - first, [&](const Run& run) {
    for (std::int64_t done = 0; done < run.count; done += block) {
      const std::int64_t count = std::min(block, run.count - done);
      load_elements(tensor.dtype(), at(payload, tensor.dtype(), run.offset + done * run.stride),
                    run.stride, count, values);
      for (std::int64_t i = 0; i < count; ++i) f(run.index + done + i, values[i]);
    }
  });
}

}  // namespace assay::detail
