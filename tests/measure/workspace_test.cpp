// SPDX-License-Identifier: MIT
#include "assay/measure/workspace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

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

// What a subject may do while it runs.
float at(device::Device& device, Buffer& buffer, int index) {
  const Running running(device);
  return static_cast<float*>(buffer.data())[index];
}
void put(device::Device& device, Buffer& buffer, int index, float value) {
  const Running running(device);
  static_cast<float*>(buffer.data())[index] = value;
}

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
  put(*f.device, f.sum->inputs().front(), 32, 77);
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
  const float before = at(*f.device, x, 5);
  put(*f.device, x, 5, 99);
  f.scale->restore_in_place();
  EXPECT_EQ(at(*f.device, x, 5), before);
}

TEST_P(WorkspaceOn, ContentsAreThoseBeforeTheCall) {
  WorkspaceFixture f(GetParam());
  f.scale->fill(7);
  Buffer& x = f.scale->inputs().front();
  const float before = at(*f.device, x, 5);
  put(*f.device, x, 5, 99);
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
  put(*f.device, f.sum->inputs().front(), 32, 77);
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
  put(*f.device, f.sum->inputs().front(), 33, 1);
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
  put(*f.device, f.sum->outputs().front(), 0, 1);
  f.sum->poison_few(5);
  EXPECT_EQ(f.sum->take_outputs().payloads, poisoned);
}

TEST_P(WorkspaceOn, ASpoiltOutputDiffers) {
  WorkspaceFixture f(GetParam());
  f.sum->fill(7);
  put(*f.device, f.sum->outputs().front(), 0, 1);
  f.sum->spoil_output();
  EXPECT_NE(at(*f.device, f.sum->outputs().front(), 0), 1);
}

// Notes how much is copied, and where to.
class Copying final : public device::Fake {
 public:
  using Fake::Fake;
  void copy_to_host(void* host, const void* memory, std::size_t bytes) override {
    to_host += bytes;
    Fake::copy_to_host(host, memory, bytes);
  }
  void copy_from_host(void* memory, const void* host, std::size_t bytes) override {
    sizes.push_back(bytes);
    Fake::copy_from_host(memory, host, bytes);
  }
  std::size_t to_host = 0;
  std::vector<std::size_t> sizes;  // of the copies to the device
};

struct RemoteFixture {
  explicit RemoteFixture(const std::function<Tensor(const Case&)>& shape) {
    Problem& p = program.problem("p");
    p.input("x", shape);
    p.output("y", shape);
    workspace = Workspace::of_case(p.contract(), Case(), device, 1);
    workspace->fill(7);
    device.to_host = 0;
    device.sizes.clear();
  }
  // The elements as they lie in the device's memory, whatever the host remembers.
  std::vector<float> on_device(Buffer& buffer, std::size_t count) {
    std::vector<float> elements(count);
    device.Fake::copy_to_host(elements.data(), buffer.data(), count * sizeof(float));
    return elements;
  }
  Program program;
  Copying device{device::parse_script(R"({"assay_fake": 1, "has_own_memory": true})", "script")};
  std::unique_ptr<Workspace> workspace;
};

// Of 256 TiB, of which no host has a copy.
class Boundless final : public device::Fake {
 public:
  using Fake::Fake;
  bool is_host_memory() const override { return false; }
  device::Allocation allocate(std::size_t bytes) override {
    allocated += bytes;
    return {&place_, bytes, [](void*) {}};
  }
  std::size_t allocated = 0;

 private:
  char place_ = 0;
};

TEST(WorkspaceOfADevice, AllocatingIsTheDevicesWorkAlone) {
  Program program;
  Problem& p = program.problem("p");
  p.input("x", [](const Case&) { return Tensor::f32({std::int64_t{1} << 45}); });
  p.output("y", [](const Case&) { return Tensor::f32({std::int64_t{1} << 45}); });
  Boundless device(device::parse_script(R"({"assay_fake": 1})", "script"));
  EXPECT_NO_THROW(Workspace::of_case(p.contract(), Case(), device, 1));
  EXPECT_GT(device.allocated, std::size_t{1} << 48);
}

TEST(WorkspaceOfADevice, RenewingAWindowCopiesTheWindowAndReadsNothing) {
  constexpr std::size_t count = 200'000;
  RemoteFixture f([](const Case&) { return Tensor::f32({count}); });
  Buffer& x = f.workspace->inputs().front();
  int wrapped = 0;
  for (std::uint64_t key = 1; key <= 60; ++key) {
    f.device.sizes.clear();
    f.workspace->renew(key);
    ASSERT_LE(f.device.sizes.size(), 2U);
    wrapped += f.device.sizes.size() == 2;
    std::size_t bytes = 0;
    for (const std::size_t size : f.device.sizes) bytes += size;
    EXPECT_GT(bytes, 0U);
    EXPECT_LT(bytes, count * sizeof(float) / 2);
    // And it is what the host has, element by element.
    const std::vector<float> elements = f.on_device(x, count);
    EXPECT_EQ(std::memcmp(elements.data(), x.written(), count * sizeof(float)), 0) << key;
  }
  EXPECT_EQ(f.device.to_host, 0U);
  EXPECT_GT(wrapped, 0) << "no window went over the end: more keys are needed";
}

TEST(WorkspaceOfADevice, RenewingATensorWithGapsCopiesAllOfIt) {
  RemoteFixture f([](const Case&) { return Tensor::f32({100, 1000}).strides({1024, 1}); });
  Buffer& x = f.workspace->inputs().front();
  f.workspace->renew(3);
  ASSERT_EQ(f.device.sizes.size(), 1U);
  EXPECT_GT(f.device.sizes[0], 100U * 1024 * sizeof(float));
  const std::size_t span = 99 * 1024 + 1000;
  const std::vector<float> elements = f.on_device(x, span);
  EXPECT_EQ(std::memcmp(elements.data(), x.written(), span * sizeof(float)), 0);
}

TEST(WorkspaceOfADevice, PoisoningAFewWritesSingleElements) {
  constexpr std::size_t count = 50'000;
  RemoteFixture f([](const Case&) { return Tensor::f32({count}); });
  Buffer& y = f.workspace->outputs().front();
  f.workspace->poison_outputs(3);
  const std::vector<float> poisoned = f.on_device(y, count);
  for (std::size_t i = 0; i < count; ++i) put(f.device, y, static_cast<int>(i), 1);
  f.device.sizes.clear();
  f.device.to_host = 0;
  f.workspace->poison_few(5);
  EXPECT_EQ(f.device.to_host, 0U);
  ASSERT_FALSE(f.device.sizes.empty());
  EXPECT_LT(f.device.sizes.size(), 1000U);
  for (const std::size_t size : f.device.sizes) EXPECT_EQ(size, sizeof(float));
  const std::vector<float> elements = f.on_device(y, count);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (elements[i] == 1) continue;
    ++changed;
    EXPECT_EQ(std::memcmp(&elements[i], &poisoned[i], sizeof(float)), 0) << i;
  }
  EXPECT_GT(changed, 0U);
  EXPECT_LE(changed, f.device.sizes.size());
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
