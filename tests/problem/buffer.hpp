// SPDX-License-Identifier: MIT
//
// Host memory for one tensor, laid out and guarded as a worker does it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "assay/problem/content.hpp"
#include "assay/problem/placement.hpp"
#include "assay/problem/tensor.hpp"

namespace assay::test {

class Buffer {
 public:
  explicit Buffer(Tensor the_tensor, std::uint64_t poison_key = 99)
      : tensor(std::move(the_tensor)), bytes(placement_of(tensor).total_bytes) {
    poison(tensor, bytes.data(), poison_key);
  }
  Buffer(Tensor the_tensor, const std::vector<double>& elements) : Buffer(std::move(the_tensor)) {
    from_doubles(tensor, elements, payload());
  }

  std::byte* allocation() { return bytes.data(); }
  std::byte* payload() { return bytes.data() + placement_of(tensor).payload_offset; }
  std::byte* element(std::int64_t index) {
    return payload() +
           static_cast<std::size_t>(tensor.offset_of(index)) * tensor.dtype().size_bytes;
  }
  double value(std::int64_t index) { return tensor.dtype().to_double(element(index)); }
  void set(std::int64_t index, double value) { tensor.dtype().from_double(value, element(index)); }

  Tensor tensor;
  std::vector<std::byte> bytes;
};

// Shapes that are easy to get wrong: scalar, empty, dense, padded rows, transposed, a column.
inline std::vector<Tensor> awkward_tensors(const DType& dtype) {
  std::vector<Tensor> tensors;
  tensors.emplace_back(dtype, Shape{});
  tensors.emplace_back(dtype, Shape{0});
  tensors.emplace_back(dtype, Shape{3, 0, 2});
  tensors.emplace_back(dtype, Shape{1});
  tensors.emplace_back(dtype, Shape{2500});
  tensors.emplace_back(dtype, Shape{7, 5});
  tensors.push_back(Tensor(dtype, {7, 5}).strides({8, 1}));
  tensors.push_back(Tensor(dtype, {7, 5}).strides({1, 7}));
  tensors.push_back(Tensor(dtype, {7, 5}).strides({2, 17}));
  tensors.push_back(Tensor(dtype, {3, 1, 4, 2}).strides({100, 0, 3, 40}));
  tensors.push_back(Tensor(dtype, {33}).strides({3}));
  tensors.push_back(Tensor(dtype, {9}).misaligned_by(dtype.size_bytes));
  return tensors;
}

}  // namespace assay::test
