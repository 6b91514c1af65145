// SPDX-License-Identifier: MIT
//
// Tensor: the description of an array (dtype, shape, strides, generator), which the library
// allocates, fills and checks. View<T>: the typed window on such an array that a subject and a
// reference work on.
//
// The library owns inputs and outputs: that is what makes poisoning, guard zones, hashing, fresh
// content and flushing possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assay/base/error.hpp"
#include "assay/problem/dtype.hpp"
#include "assay/problem/generator.hpp"

namespace assay {

using Shape = std::vector<std::int64_t>;

class Tensor {
 public:
  // Dense, row-major. Extents ≥ 0 (else Error{usage}); an empty shape is a scalar of one element.
  // The dtype must outlive the tensor.
  Tensor(const DType& dtype, Shape shape);
  static Tensor f64(Shape shape) { return of<double>(std::move(shape)); }
  static Tensor f32(Shape shape) { return of<float>(std::move(shape)); }
  static Tensor f16(Shape shape);
  static Tensor bf16(Shape shape);
  static Tensor i32(Shape shape) { return of<std::int32_t>(std::move(shape)); }
  static Tensor i64(Shape shape) { return of<std::int64_t>(std::move(shape)); }
  static Tensor u8(Shape shape) { return of<std::uint8_t>(std::move(shape)); }
  template <typename T>
  static Tensor of(Shape shape) {
    return Tensor(dtype_of<T>(), std::move(shape));
  }
  // By name ("bf16"), for a dtype axis: Tensor::of_type(c.text("dtype"), {n}). Throws Error{usage}
  // for an unknown name.
  static Tensor of_type(const std::string& dtype_name, Shape shape);

  // Strides in elements, one per extent, each ≥ 0, in any order. A dimension must step over all of
  // the dimensions with smaller strides, so that no elements overlap or interleave; otherwise
  // Error{usage}. Gaps are guard zones too.
  Tensor& strides(std::vector<std::int64_t> strides);
  // Bytes by which the first element is moved off its 64-byte aligned place: a multiple of the
  // element size, at most 4096 (else Error{usage}). Default 0.
  Tensor& misaligned_by(std::size_t bytes);
  // Default: uniform(-1, 1) for floating types, integers over −100…100 (0…100 unsigned) for
  // integers.
  Tensor& generator(Generator generator);

  const DType& dtype() const noexcept { return *dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  const std::vector<std::int64_t>& strides() const noexcept { return strides_; }
  std::size_t misaligned_by() const noexcept { return misaligned_by_bytes_; }
  const Generator& generator() const noexcept { return generator_; }

  std::int64_t element_count() const noexcept;  // product of the extents
  std::int64_t span_elements()
      const noexcept;                  // from the first to one past the last element, gaps included
  std::size_t bytes() const noexcept;  // element_count · size: what a work model counts
  bool is_dense() const noexcept;      // row-major without gaps
  // Place in elements of the logical (row-major) index.
  std::int64_t offset_of(std::int64_t logical_index) const noexcept;

 private:
  const DType* dtype_;
  Shape shape_;
  std::vector<std::int64_t> strides_;
  std::size_t misaligned_by_bytes_ = 0;
  Generator generator_;
};

// A typed window. operator[] and data() walk memory as it lies; at() goes by index with the
// strides.
template <typename T>
class View {
 public:
  View(T* data, const Tensor* tensor) noexcept : data_(data), tensor_(tensor) {}

  T* data() const noexcept { return data_; }
  std::int64_t size() const noexcept { return tensor_->element_count(); }
  const Shape& shape() const noexcept { return tensor_->shape(); }
  std::int64_t extent(std::size_t dimension) const { return tensor_->shape()[dimension]; }
  std::int64_t stride(std::size_t dimension) const { return tensor_->strides()[dimension]; }
  T& operator[](std::int64_t place) const noexcept { return data_[place]; }
  // at(row, column): one index for each dimension, not checked against the extents.
  template <typename... Index>
  T& at(Index... index) const noexcept {
    std::size_t dimension = 0;
    std::int64_t place = 0;
    ((place += static_cast<std::int64_t>(index) * tensor_->strides()[dimension++]), ...);
    return data_[place];
  }
  T* begin() const noexcept { return data_; }  // dense tensors only
  T* end() const noexcept { return data_ + size(); }

 private:
  T* data_;
  const Tensor* tensor_;
};

}  // namespace assay
