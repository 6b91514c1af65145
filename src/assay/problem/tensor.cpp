// SPDX-License-Identifier: MIT
#include "assay/problem/tensor.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace assay {
namespace {

constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max() / 4;

std::string list_text(const std::vector<std::int64_t>& numbers) {
  std::string text = "{";
  for (const std::int64_t number : numbers) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(number);
  }
  return text + '}';
}

Generator default_generator(const DType& dtype) {
  switch (dtype.kind) {
    case DType::Kind::signed_integer:
      return Generator::integers(-100, 100);
    case DType::Kind::unsigned_integer:
      return Generator::integers(0, 100);
    case DType::Kind::floating:
      break;
  }
  return Generator::uniform(-1.0, 1.0);
}

std::vector<std::int64_t> dense_strides(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= std::max<std::int64_t>(shape[d], 1);
  }
  return strides;
}

}  // namespace

Tensor::Tensor(const DType& dtype, Shape shape)
    : dtype_(&dtype), shape_(std::move(shape)), generator_(default_generator(dtype)) {
  ASSAY_EXPECTS(dtype.size_bytes >= 1 && dtype.size_bytes <= 4096);
  std::int64_t bytes = static_cast<std::int64_t>(dtype.size_bytes);
  for (const std::int64_t extent : shape_) {
    if (extent < 0 || (extent > 0 && bytes > most_bytes / extent)) {
      throw Error(ErrorKind::usage, "cannot make a tensor of shape " + list_text(shape_) +
                                        ": extents must be 0 or more, and their product small "
                                        "enough to be addressed");
    }
    bytes *= std::max<std::int64_t>(extent, 1);
  }
  strides_ = dense_strides(shape_);
}

Tensor Tensor::f16(Shape shape) { return of<assay::f16>(std::move(shape)); }
Tensor Tensor::bf16(Shape shape) { return of<assay::bf16>(std::move(shape)); }

Tensor Tensor::of_type(const std::string& dtype_name, Shape shape) {
  const DType* dtype = find_dtype(dtype_name);
  if (dtype == nullptr) {
    throw Error(ErrorKind::usage,
                "there is no dtype '" + dtype_name +
                    "': these ship: f64 f32 f16 bf16 fp8_e4m3 fp8_e5m2 i8 i16 i32 i64 u8 u16 u32 "
                    "u64; for your own, give its DType object to the constructor of Tensor");
  }
  return Tensor(*dtype, std::move(shape));
}

Tensor& Tensor::strides(std::vector<std::int64_t> strides) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::usage, "cannot give a tensor of shape " + list_text(shape_) +
                                      " the strides " + list_text(strides) + ": " + why);
  };
  if (strides.size() != shape_.size()) refuse("one stride for each extent is needed");
  std::vector<std::size_t> by_stride(shape_.size());
  std::iota(by_stride.begin(), by_stride.end(), std::size_t{0});
  std::sort(by_stride.begin(), by_stride.end(),
            [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
  // Elements that the dimensions so far span, from the smallest stride up.
  std::int64_t span = 1;
  for (const std::size_t d : by_stride) {
    if (strides[d] < 0) refuse("strides must be 0 or more");
    if (shape_[d] <= 1) continue;
    if (strides[d] < span) refuse("elements would overlap or interleave");
    if (strides[d] >
        (most_bytes / static_cast<std::int64_t>(dtype_->size_bytes) - span) / (shape_[d] - 1)) {
      refuse("it spans more memory than can be addressed");
    }
    span += strides[d] * (shape_[d] - 1);
  }
  strides_ = std::move(strides);
  return *this;
}

Tensor& Tensor::misaligned_by(std::size_t bytes) {
  if (bytes % dtype_->size_bytes != 0 || bytes > 4096) {
    throw Error(ErrorKind::usage, "cannot misalign a tensor of " + dtype_->name + " by " +
                                      std::to_string(bytes) +
                                      " bytes: it must be a multiple of the element size, " +
                                      std::to_string(dtype_->size_bytes) + ", and at most 4096");
  }
  misaligned_by_bytes_ = bytes;
  return *this;
}

Tensor& Tensor::generator(Generator generator) {
  generator_ = std::move(generator);
  return *this;
}

std::int64_t Tensor::element_count() const noexcept {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape_) count *= extent;
  return count;
}

std::int64_t Tensor::span_elements() const noexcept {
  if (element_count() == 0) return 0;
  std::int64_t last = 0;
  for (std::size_t d = 0; d < shape_.size(); ++d) last += (shape_[d] - 1) * strides_[d];
  return last + 1;
}

std::size_t Tensor::bytes() const noexcept {
  return static_cast<std::size_t>(element_count()) * dtype_->size_bytes;
}

bool Tensor::is_dense() const noexcept {
  std::int64_t step = 1;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    if (shape_[d] > 1 && strides_[d] != step) return false;
    step *= shape_[d];
  }
  return true;
}

std::int64_t Tensor::offset_of(std::int64_t logical_index) const noexcept {
  std::int64_t offset = 0;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    offset += logical_index % shape_[d] * strides_[d];
    logical_index /= shape_[d];
  }
  return offset;
}

}  // namespace assay
