// SPDX-License-Identifier: MIT
#include "assay/problem/contract.hpp"

#include <gmock/gmock.h>

namespace assay {
namespace {

class ReferenceCallTest : public ::testing::Test {
 protected:
  Case case_ = Case::parse("n=3");
  Tensor in_ = Tensor::f32({3});
  Tensor out_ = Tensor::f32({1, 2});
  ReferenceCall call_{case_, {{"x", &in_, {1, 2, 3}, {}}}, {{"y", &out_, {0, 0}, {}}}};
};

TEST_F(ReferenceCallTest, GivesInputsShapesAndOutputs) {
  EXPECT_THAT(call_.input("x"), ::testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(call_.shape("x"), ::testing::ElementsAre(3));
  EXPECT_THAT(call_.shape("y"), ::testing::ElementsAre(1, 2));
  call_.output("y")[1] = 5;
  EXPECT_THAT(call_.outputs().front().elements, ::testing::ElementsAre(0, 5));
  EXPECT_EQ(call_.which().integer("n"), 3);
}

TEST_F(ReferenceCallTest, MakesMagnitudesOnlyWhenAskedFor) {
  EXPECT_TRUE(call_.outputs().front().magnitudes.empty());
  call_.magnitude("y")[0] = 7;
  EXPECT_THAT(call_.magnitude("y"), ::testing::ElementsAre(7, 0));
}

TEST_F(ReferenceCallTest, ListsTheNamesWhenThereIsNoneSuch) {
  for (const auto& ask : std::vector<std::function<void()>>{
           [this] { call_.input("y"); }, [this] { call_.output("x"); },
           [this] { call_.magnitude("x"); }, [this] { call_.shape("z"); }}) {
    try {
      ask();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("there are: "));
    }
  }
}

}  // namespace
}  // namespace assay
