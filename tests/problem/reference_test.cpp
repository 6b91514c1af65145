// SPDX-License-Identifier: MIT
#include "assay/problem/reference.hpp"

#include <gmock/gmock.h>

#include "assay/base/error.hpp"
#include "buffer.hpp"

namespace assay {
namespace {

using test::Buffer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = x + a, and x is scaled in place by 2.
Contract contract() {
  Contract made;
  made.problem = "scale";
  InputSpec x;
  x.name = "x";
  x.tensor = [](const Case& c) { return Tensor::f32({c.integer("n")}); };
  x.mutable_in_place = true;
  InputSpec a;
  a.name = "a";
  a.tensor = [](const Case&) { return Tensor::f32({}); };
  made.inputs = {x, a};
  made.outputs = {{"y", [](const Case& c) { return Tensor::f64({c.integer("n")}); }}};
  made.reference = [](ReferenceCall& call) {
    for (std::size_t i = 0; i < call.input("x").size(); ++i) {
      call.output("y")[i] = call.input("x")[i] + call.input("a")[0];
      call.output("x")[i] = call.input("x")[i] * 2;
    }
  };
  made.tolerance = Tolerance::exact();
  return made;
}

struct Inputs {
  Buffer x{Tensor::f32({2}), {1, 0x1p-140}};
  Buffer a{Tensor::f32({}), std::vector<double>{10}};
  std::vector<InputContent> list() { return {{&x.tensor, x.payload()}, {&a.tensor, a.payload()}}; }
};

const Case two = Case::parse("n=2");

TEST(RunReference, GivesOutputsAndThenInPlaceInputs) {
  Inputs inputs;
  const ReferenceResult result = run_reference(contract(), two, inputs.list());
  ASSERT_EQ(result.outputs.size(), 2U);
  EXPECT_EQ(result.outputs[0].name, "y");
  EXPECT_THAT(result.outputs[0].elements, ElementsAre(11, 10 + 0x1p-140));
  EXPECT_EQ(result.outputs[1].name, "x");
  EXPECT_THAT(result.outputs[1].elements, ElementsAre(2, 0x1p-139));
  EXPECT_EQ(&result.outputs[1].tensor.dtype(), &dtype_of<float>());
  EXPECT_TRUE(result.outputs[0].magnitudes.empty());
  EXPECT_TRUE(result.outputs[0].flushed_elements.empty());
}

TEST(RunReference, AlsoFlushesSubnormalInputsWhenAskedTo) {
  Inputs inputs;
  ReferenceOptions options;
  options.also_flushed = true;
  const ReferenceResult result = run_reference(contract(), two, inputs.list(), options);
  EXPECT_THAT(result.outputs[1].elements, ElementsAre(2, 0x1p-139));
  EXPECT_THAT(result.outputs[1].flushed_elements, ElementsAre(2, 0));
  inputs.x.set(1, 3);
  EXPECT_TRUE(
      run_reference(contract(), two, inputs.list(), options).outputs[1].flushed_elements.empty());
}

std::string complaint(const Contract& contract) {
  Inputs inputs;
  try {
    run_reference(contract, two, inputs.list());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(RunReference, RefusesAReferenceThatResizes) {
  Contract resizing = contract();
  resizing.reference = [](ReferenceCall& call) { call.output("y").resize(5); };
  EXPECT_THAT(complaint(resizing), HasSubstr("left output 'y' with 5 elements, its tensor has 2"));
  resizing.reference = [](ReferenceCall& call) { call.magnitude("y").push_back(1); };
  EXPECT_THAT(complaint(resizing), HasSubstr("left output 'y' with 3 magnitudes"));
}

TEST(RunReference, WantsMagnitudesWhereTheToleranceNeedsThem) {
  Contract scaled = contract();
  scaled.tolerance = Tolerance::relative(1e-3).scaled_by_sum_of_magnitudes();
  EXPECT_THAT(complaint(scaled), HasSubstr("ReferenceCall::magnitude(\"y\")"));
  scaled.reference = [](ReferenceCall& call) {
    call.magnitude("y")[0] = 1;
    call.magnitude("x")[1] = 4;
  };
  EXPECT_EQ(complaint(scaled), "");
}

TEST(RunReference, NeedsAReferenceAndAllInputs) {
  Inputs inputs;
  Contract none = contract();
  none.reference = nullptr;
  EXPECT_THROW(run_reference(none, two, inputs.list()), Error);
  EXPECT_THROW(run_reference(contract(), two, {inputs.list()[0]}), Error);
}

TEST(ReferenceKey, TellsProblemsCasesAndContentsApart) {
  const ReferenceKey key{"sum", "n=1", 7, ""};
  EXPECT_EQ(key, (ReferenceKey{"sum", "n=1", 7, ""}));
  EXPECT_FALSE(key == (ReferenceKey{"sum", "n=1", 8, ""}));
  EXPECT_FALSE(key == (ReferenceKey{"sum", "n=1", 7, "nan"}));
  EXPECT_TRUE(key < (ReferenceKey{"sum", "n=2", 1, ""}));
}

}  // namespace
}  // namespace assay
