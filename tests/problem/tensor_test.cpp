// SPDX-License-Identifier: MIT
#include "assay/problem/tensor.hpp"

#include <gtest/gtest.h>

#include <set>

#include "buffer.hpp"

namespace assay {
namespace {

template <typename F>
std::string usage_error(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Tensor, CountsElementsAndBytes) {
  EXPECT_EQ(Tensor::f32({}).element_count(), 1);
  EXPECT_EQ(Tensor::f32({}).span_elements(), 1);
  EXPECT_EQ(Tensor::f32({4, 0}).element_count(), 0);
  EXPECT_EQ(Tensor::f32({4, 0}).span_elements(), 0);
  EXPECT_EQ(Tensor::bf16({3, 5}).bytes(), 30U);
  EXPECT_EQ(Tensor::f64({3, 5}).strides({8, 1}).span_elements(), 21);
  EXPECT_EQ(Tensor::f64({3, 5}).strides({8, 1}).bytes(), 120U);
}

TEST(Tensor, IsDenseOnlyInRowMajorOrder) {
  EXPECT_TRUE(Tensor::f32({3, 5}).is_dense());
  EXPECT_TRUE(Tensor::f32({3, 1, 5}).strides({5, 77, 1}).is_dense());
  EXPECT_FALSE(Tensor::f32({3, 5}).strides({1, 3}).is_dense());
  EXPECT_FALSE(Tensor::f32({3, 5}).strides({6, 1}).is_dense());
  EXPECT_TRUE(Tensor::f32({}).is_dense());
}

TEST(Tensor, PlacesEveryElementSomewhereElse) {
  for (const Tensor& tensor : test::awkward_tensors(dtype_of<float>())) {
    std::set<std::int64_t> places;
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      const std::int64_t place = tensor.offset_of(i);
      EXPECT_GE(place, 0);
      EXPECT_LT(place, tensor.span_elements());
      places.insert(place);
    }
    EXPECT_EQ(static_cast<std::int64_t>(places.size()), tensor.element_count());
  }
}

TEST(Tensor, RefusesStridesThatOverlap) {
  EXPECT_NE(usage_error([] {
              Tensor::f32({4, 5}).strides({4, 1});
            }).find("overlap"),
            std::string::npos);
  EXPECT_NE(usage_error([] {
              Tensor::f32({4, 5}).strides({0, 1});
            }).find("overlap"),
            std::string::npos);
  // 0 2 4 and 3 5 7: no two the same, but interleaved.
  EXPECT_NE(usage_error([] {
              Tensor::f32({2, 3}).strides({3, 2});
            }).find("interleave"),
            std::string::npos);
  usage_error([] { Tensor::f32({4, 5}).strides({5, -1}); });
  usage_error([] { Tensor::f32({4, 5}).strides({1}); });
  usage_error([] { Tensor::f32({4, 5}).strides({std::int64_t{1} << 61, 1}); });
  EXPECT_NO_THROW(Tensor::f32({1, 5}).strides({0, 1}));
}

TEST(Tensor, RefusesImpossibleShapesAndNames) {
  usage_error([] { Tensor::f32({-1}); });
  usage_error([] { Tensor::f32({std::int64_t{1} << 40, std::int64_t{1} << 40}); });
  EXPECT_NE(usage_error([] { Tensor::of_type("f8", {1}); }).find("fp8_e4m3"), std::string::npos);
  EXPECT_EQ(&Tensor::of_type("bf16", {1}).dtype(), &dtype_of<bf16>());
}

TEST(Tensor, IsMisalignedByWholeElements) {
  EXPECT_EQ(Tensor::f32({4}).misaligned_by(12).misaligned_by(), 12U);
  usage_error([] { Tensor::f32({4}).misaligned_by(6); });
}

TEST(Tensor, HasAGeneratorThatFitsItsKind) {
  EXPECT_EQ(Tensor::f32({1}).generator().name(), "uniform(-1, 1)");
  EXPECT_EQ(Tensor::i32({1}).generator().name(), "integers(-100, 100)");
  EXPECT_EQ(Tensor::u8({1}).generator().name(), "integers(0, 100)");
}

TEST(View, GoesByStrides) {
  const Tensor tensor = Tensor::i32({2, 3}).strides({1, 4});
  std::vector<std::int32_t> memory(static_cast<std::size_t>(tensor.span_elements()));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int32_t>(i);
  const View<std::int32_t> view(memory.data(), &tensor);
  EXPECT_EQ(view.at(1, 2), 9);
  EXPECT_EQ(view[1], 1);
  EXPECT_EQ(view.size(), 6);
  EXPECT_EQ(view.extent(1), 3);
  view.at(0, 1) = -7;
  EXPECT_EQ(memory[4], -7);
  const Tensor scalar = Tensor::i32({});
  EXPECT_EQ((View<const std::int32_t>(memory.data(), &scalar).at()), 0);
}

}  // namespace
}  // namespace assay
