// SPDX-License-Identifier: MIT
#include "assay/measure/context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

namespace {

using namespace assay;
using testing::HasSubstr;

struct ContextFixture {
  Case the_case = Case::parse("n=4");
  Tensor x = Tensor::f32({4});
  Tensor y = Tensor::f64({1});
  std::array<float, 4> x_data{1, 2, 3, 4};
  double y_data = 0;
  Context context{
      &the_case,
      {{"x", &x, x_data.data()}},
      {{"y", &y, &y_data}},
      1,
      nullptr,
      [](std::size_t bytes) { return std::shared_ptr<void>(std::malloc(bytes), std::free); }};
};

template <typename F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(Context, GivesTensorsByNameAndByPosition) {
  ContextFixture f;
  EXPECT_EQ(f.context.input<float>("x")[2], 3);
  EXPECT_EQ(f.context.input<float>(0)[3], 4);
  f.context.output<double>("y")[0] = 5;
  EXPECT_EQ(f.y_data, 5);
  EXPECT_EQ(f.context.integer("n"), 4);
}

TEST(Context, NamesWhatThereIsWhenAskedForSomethingElse) {
  ContextFixture f;
  EXPECT_THAT(error_of([&] { f.context.input<float>("z"); }), HasSubstr("no input 'z'"));
  EXPECT_THAT(error_of([&] { f.context.input<float>("z"); }), HasSubstr("'x'"));
  EXPECT_THAT(error_of([&] { f.context.output<double>("x"); }), HasSubstr("no output 'x'"));
  EXPECT_THAT(error_of([&] { f.context.output<double>(1); }), HasSubstr("no output '1'"));
  EXPECT_THAT(error_of([&] { f.context.output<double>(-1); }), HasSubstr("no output '-1'"));
}

TEST(Context, RefusesATypeOfAnotherSize) {
  ContextFixture f;
  EXPECT_THAT(error_of([&] { f.context.input<double>("x"); }), HasSubstr("f32"));
}

TEST(Context, GivesTheSameScratchForTheSameName) {
  ContextFixture f;
  float* first = f.context.scratch<float>("a", 8);
  first[7] = 3;
  EXPECT_EQ(f.context.scratch<float>("a", 8), first);
  EXPECT_EQ(f.context.scratch<float>("a", 4), first);
  EXPECT_NE(f.context.scratch<float>("b", 8), first);
  ASSERT_EQ(f.context.scratch_areas().size(), 2U);
  EXPECT_EQ(f.context.scratch_areas()[0].bytes, 32U);
}

TEST(Context, RefusesScratchThatGrows) {
  ContextFixture f;
  f.context.scratch<float>("a", 8);
  EXPECT_THAT(error_of([&] { f.context.scratch<float>("a", 9); }), HasSubstr("and then with 36"));
}

}  // namespace
