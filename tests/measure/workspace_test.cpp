// SPDX-License-Identifier: MIT
#include "assay/measure/workspace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "assay/problem/content.hpp"
#include "sample_program.hpp"
#include "script_device.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::HasSubstr;

struct WorkspaceFixture {
  explicit WorkspaceFixture(bool remote) : device(device_of(remote)) {}
  Program program = sample_program();
  std::unique_ptr<device::Fake> device;
  std::unique_ptr<Workspace> sum =
      Workspace::of_case(program.find("sum")->contract(), Case::parse("n=33"), *device, 1);
  std::unique_ptr<Workspace> scale =
      Workspace::of_case(program.find("scale")->contract(), Case(), *device, 1);
};

// On memory of the host, and on memory that it reaches by copies only.
class WorkspaceOn : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Memory, WorkspaceOn, testing::Bool(), [](const auto& memory) {
  return memory.param ? "OfTheDevice" : "OfTheHost";
});

float* floats(Buffer& buffer) { return static_cast<float*>(buffer.data()); }

std::string digest(Workspace& workspace) {
  Buffer& x = workspace.inputs().front();
  return content_digest(x.tensor(), x.host());
}

TEST_P(WorkspaceOn, TheSameKeyFillsTheSameBytes) {
  WorkspaceFixture f(GetParam());
  f.sum->fill(7);
  const std::string first = digest(*f.sum);
  f.sum->fill(8);
  EXPECT_NE(digest(*f.sum), first);
  f.sum->fill(7);
  EXPECT_EQ(digest(*f.sum), first);
}

TEST_P(WorkspaceOn, RenewalChangesContentAndItsName) {
  WorkspaceFixture f(GetParam());
  f.sum->fill(7);
  const std::string filled = digest(*f.sum);
  const std::uint64_t id = f.sum->content_id();
  f.sum->renew(9);
  EXPECT_NE(digest(*f.sum), filled);
  EXPECT_NE(f.sum->content_id(), id);
  const std::string renewed = digest(*f.sum);
  const std::uint64_t renewed_id = f.sum->content_id();
  f.sum->fill(7);
  EXPECT_EQ(f.sum->content_id(), id);
  f.sum->renew(9);
  EXPECT_EQ(digest(*f.sum), renewed);
  EXPECT_EQ(f.sum->content_id(), renewed_id);
}

TEST_P(WorkspaceOn, RenewingTheWholeLeavesNoElement) {
  const auto device = device_of(GetParam());
  Program program;
  Problem& p = program.problem("p");
  p.input("x", [](const Case&) { return Tensor::f32({200'000}); });
  const auto workspace = Workspace::of_case(p.contract(), Case(), *device, 1);
  const auto elements = [&] {
    const InputContent content = workspace->contents().front();
    return to_doubles(*content.tensor, content.payload);
  };
  const auto unchanged_by = [&](std::uint64_t key, Workspace::Extent extent) {
    workspace->fill(7);
    const std::vector<double> before = elements();
    workspace->renew(key, extent);
    const std::vector<double> after = elements();
    int unchanged = 0;
    for (std::size_t i = 0; i < before.size(); ++i) unchanged += before[i] == after[i];
    return unchanged;
  };
  EXPECT_GT(unchanged_by(9, Workspace::Extent::window), 200'000 - 65'537);
  EXPECT_LT(unchanged_by(9, Workspace::Extent::whole), 200);
}

TEST_P(WorkspaceOn, AChangedInputIsUndoneAfterARenewalOfTheWholeToo) {
  WorkspaceFixture f(GetParam());
  f.sum->fill(7);
  f.sum->renew(8, Workspace::Extent::whole);
  f.sum->renew(9);
  f.sum->watch_inputs();
  const std::string before = digest(*f.sum);
  floats(f.sum->inputs().front())[32] += 1;
  EXPECT_TRUE(f.sum->take_outputs().input_changed.has_value());
  EXPECT_EQ(digest(*f.sum), before);
}

std::vector<std::uintptr_t> places_in_page(Workspace& workspace) {
  std::vector<std::uintptr_t> places;
  for (auto* buffers : {&workspace.inputs(), &workspace.outputs()}) {
    for (const Buffer& buffer : *buffers) {
      places.push_back(reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096);
    }
  }
  return places;
}

TEST(Workspace, DrawsWhereInAPageEachTensorBeginsFromTheKey) {
  Program program;
  Problem& p = program.problem("p");
  p.input("x", [](const Case&) { return Tensor::f32({8}); });
  p.input("m", [](const Case&) { return Tensor::f32({8}).misaligned_by(4); });
  p.output("y", [](const Case&) { return Tensor::f32({8}); });
  device::Fake device = fake_of();
  const auto places = [&](std::uint64_t key) {
    return places_in_page(*Workspace::of_case(p.contract(), Case(), device, key));
  };
  EXPECT_EQ(places(1), places(1));
  int same = 0;
  int aliased = 0;
  for (std::uint64_t key = 1; key <= 100; ++key) {
    const auto drawn = places(key);
    EXPECT_EQ(drawn[0] % 64, 0U);
    EXPECT_EQ(drawn[1] % 64, 4U);
    EXPECT_EQ(drawn[2] % 64, 0U);
    same += drawn == places(key + 1);
    aliased += drawn[0] == drawn[2];
  }
  EXPECT_EQ(same, 0);
  EXPECT_LT(aliased, 20);
}

TEST(Workspace, FixedInputsStayAsTheyAre) {
  Program program;
  Problem& p = program.problem("p");
  p.input("w", [](const Case&) { return Tensor::f32({8}); }).fixed();
  device::Fake device = fake_of();
  const auto workspace = Workspace::of_case(p.contract(), Case(), device, 1);
  workspace->fill(1);
  const std::string first = digest(*workspace);
  workspace->renew(2);
  EXPECT_EQ(digest(*workspace), first);
  workspace->fill(3);
  EXPECT_EQ(digest(*workspace), first);
}

TEST_P(WorkspaceOn, RestoresWhatWasWrittenInPlace) {
  WorkspaceFixture f(GetParam());
  f.scale->fill(7);
  Buffer& x = f.scale->inputs().front();
  const float before = floats(x)[5];
  floats(x)[5] = 99;
  f.scale->restore_in_place();
  EXPECT_EQ(floats(x)[5], before);
}

TEST_P(WorkspaceOn, ContentsAreThoseBeforeTheCall) {
  WorkspaceFixture f(GetParam());
  f.scale->fill(7);
  Buffer& x = f.scale->inputs().front();
  const float before = floats(x)[5];
  floats(x)[5] = 99;
  EXPECT_EQ(to_doubles(x.tensor(), f.scale->contents().front().payload)[5], before);
}

TEST_P(WorkspaceOn, SeesAChangedInputAndUndoesIt) {
  WorkspaceFixture f(GetParam());
  f.sum->fill(7);
  f.sum->renew(8);
  f.sum->renew(9);
  f.sum->watch_inputs();
  const std::string before = digest(*f.sum);
  EXPECT_FALSE(f.sum->take_outputs().input_changed.has_value());
  floats(f.sum->inputs().front())[32] += 1;
  const OutputCopy copy = f.sum->take_outputs();
  ASSERT_TRUE(copy.input_changed.has_value());
  EXPECT_THAT(*copy.input_changed, HasSubstr("'x'"));
  EXPECT_EQ(digest(*f.sum), before);
  EXPECT_FALSE(f.sum->take_outputs().input_changed.has_value());
}

TEST_P(WorkspaceOn, SeesAWriteOutOfBoundsOnceAndArmsTheGuardsAgain) {
  WorkspaceFixture f(GetParam());
  f.sum->fill(7);
  f.sum->watch_inputs();
  floats(f.sum->inputs().front())[33] = 1;
  const OutputCopy copy = f.sum->take_outputs();
  ASSERT_TRUE(copy.out_of_bounds.has_value());
  EXPECT_THAT(*copy.out_of_bounds, HasSubstr("'x'"));
  EXPECT_FALSE(f.sum->take_outputs().out_of_bounds.has_value());
}

TEST_P(WorkspaceOn, OutputsArePoisonedByTheFill) {
  WorkspaceFixture f(GetParam());
  f.sum->fill(7);
  f.sum->watch_inputs();
  float value = 0;
  std::memcpy(&value, f.sum->take_outputs().payloads.front().data(), sizeof value);
  EXPECT_TRUE(value != value);
}

TEST_P(WorkspaceOn, PoisoningAFewTouchesElementsOfEveryOutput) {
  WorkspaceFixture f(GetParam());
  f.sum->fill(7);
  f.sum->watch_inputs();
  f.sum->poison_outputs(3);
  const auto poisoned = f.sum->take_outputs().payloads;
  const auto context = f.sum->make_context(1);
  context->output<float>("y")[0] = 1;
  f.sum->poison_few(5);
  EXPECT_EQ(f.sum->take_outputs().payloads, poisoned);
}

TEST_P(WorkspaceOn, ASpoiltOutputDiffers) {
  WorkspaceFixture f(GetParam());
  f.sum->fill(7);
  const auto context = f.sum->make_context(1);
  context->output<float>("y")[0] = 1;
  f.sum->spoil_output();
  EXPECT_NE(context->output<float>("y")[0], 1);
}

TEST_P(WorkspaceOn, ContextsShareTensorsAndHaveTheirOwnScratch) {
  WorkspaceFixture f(GetParam());
  const auto a = f.sum->make_context(1);
  const auto b = f.sum->make_context(2);
  EXPECT_EQ(a->input<float>("x").data(), b->input<float>("x").data());
  EXPECT_NE(a->scratch_bytes("s", 8), b->scratch_bytes("s", 8));
  EXPECT_EQ(b->threads(), 2);
  // Where in a page the first scratch begins is the same for all, the second elsewhere.
  const auto in_page = [](const void* place) {
    return reinterpret_cast<std::uintptr_t>(place) % page_bytes;
  };
  EXPECT_EQ(in_page(a->scratch_bytes("s", 8)), in_page(b->scratch_bytes("s", 8)));
  EXPECT_NE(in_page(a->scratch_bytes("s", 8)), in_page(a->scratch_bytes("t", 8)));
  EXPECT_EQ(in_page(a->scratch_bytes("t", 8)) % payload_alignment_bytes, 0U);
  EXPECT_EQ(f.sum->footprint_bytes(), 33 * 4 + 4);
}

}  // namespace
