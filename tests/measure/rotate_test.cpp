// SPDX-License-Identifier: MIT
//
// Cells in the state `rotate`: inputs and outputs go around over copies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "assay/measure/cell.hpp"
#include "assay/measure/checker.hpp"
#include "sample_program.hpp"
#include "script_device.hpp"

namespace {

using namespace assay;
using namespace assay::measure;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Notes what was evicted, and may say how much memory is left.
class NotingDevice final : public device::Fake {
 public:
  using Fake::Fake;
  void evict(device::Eviction how, std::span<const device::Range> ranges) override {
    EXPECT_EQ(how, device::Eviction::clean);
    evicted.emplace_back(ranges.begin(), ranges.end());
  }
  void copy_within(void* to, const void* from, std::size_t bytes) override {
    log += 'r';
    Fake::copy_within(to, from, bytes);
  }
  std::optional<MemoryUse> memory_use() override {
    if (!spare_bytes) return std::nullopt;
    MemoryUse use;
    use.peak_bytes = 1000;
    use.capacity_bytes = 1000 + *spare_bytes;
    use.capacity_of = "machine";
    return use;
  }
  std::vector<std::vector<device::Range>> evicted;
  std::optional<std::int64_t> spare_bytes;
  std::string log;  // of restores, and of what the test puts there
};

// Inputs and outputs of 2048 bytes, a cache of as many: 6144 bytes of others lie between two uses
// of each of 4 copies.
struct Rotating {
  explicit Rotating(const std::string& cache_bytes = "2048", const std::string& more = "")
      : device(device::parse_script(R"({"assay_fake": 1, "call_ns": 1000, )" + more +
                                        R"("last_level_cache_bytes": )" + cache_bytes + "}",
                                    "script")) {}
  Problem& problem() {
    Problem& p = program.problem("p").unchecked();
    p.input("x", [](const Case&) { return Tensor::f32({256}); });
    p.output("y", [](const Case&) { return Tensor::f32({256}); });
    return p;
  }
  std::unique_ptr<Cell> cell(std::vector<std::string> subjects, const std::string& name = "p",
                             const std::string& state = "rotate") {
    wire::Prepare request;
    request.cell = {name, name == "sum" ? Case::parse("n=16") : Case(), state, "call"};
    request.baseline = subjects.front();
    request.subjects = std::move(subjects);
    request.content_key = 5;
    request.timer = "scripted";
    auto made = std::make_unique<Cell>(*program.find(name), device, mark, request,
                                       std::vector<std::string>{"scripted"});
    device.evicted.clear();
    return made;
  }
  static wire::Block block(std::vector<std::string> order, std::uint64_t content_key = 0) {
    wire::Block block;
    block.order = std::move(order);
    block.content_key = content_key;
    block.phase = "measure";
    return block;
  }
  std::string refusal_of(const std::vector<std::string>& subjects, ErrorKind kind) {
    try {
      cell(subjects);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return "";
  }

  Program program = sample_program();
  NotingDevice device;
  wire::Mark mark = wire::Mark::create();
};

TEST(Rotation, EachSampleTakesTheNextCopyWhoeverItIsOf) {
  Rotating r;
  std::vector<const float*> x;
  std::vector<const float*> y;
  const auto note = [&](Context& c) {
    x.push_back(c.input<float>("x").data());
    y.push_back(c.output<float>("y").data());
  };
  Problem& p = r.problem();
  p.subject("a", note);
  p.subject("b", note);
  const auto cell = r.cell({"a", "b"});
  for (int i = 0; i < 3; ++i) cell->block(Rotating::block({"b", "control", "a"}));
  ASSERT_THAT(x, SizeIs(9)) << "no untimed calls";
  EXPECT_THAT(std::set(x.begin(), x.end()), SizeIs(4));
  EXPECT_THAT(std::set(y.begin(), y.end()), SizeIs(4));
  for (std::size_t i = 4; i < x.size(); ++i) {
    EXPECT_EQ(x[i], x[i - 4]);
    EXPECT_EQ(y[i], y[i - 4]);
  }
  // At the same place in a page, so that it does not matter which copy it is.
  for (const float* each : x) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(each) % 4096,
              reinterpret_cast<std::uintptr_t>(x[0]) % 4096);
  }
  EXPECT_THAT(r.device.evicted, SizeIs(0));
}

TEST(Rotation, IsToldWithTheFootprintAndBindsToOneCall) {
  Rotating r;
  r.problem().subject("a", [] {});
  const auto cell = r.cell({"a"});
  const wire::Prepared prepared = cell->prepare();
  EXPECT_EQ(prepared.footprint_bytes, 2048);
  ASSERT_TRUE(prepared.rotation);
  EXPECT_EQ(*prepared.rotation, (assay::Rotation{4, 8192}));
  EXPECT_EQ(prepared.max_iterations, 1);
  EXPECT_FALSE(r.cell({"a"}, "p", "cold")->prepare().rotation);
}

TEST(Rotation, AllCopiesHaveTheContentOfTheBlock) {
  Rotating r;
  std::vector<std::uint64_t> hashes;
  r.problem().subject("a", [&](Context& c) {
    const auto x = c.input<float>("x");
    hashes.push_back(
        content_hash(Tensor::f32({256}), reinterpret_cast<const std::byte*>(x.data())));
  });
  const auto cell = r.cell({"a"});
  const auto all_of = [&](std::uint64_t key, bool keeps) {
    hashes.clear();
    wire::Block block = Rotating::block({"a", "control", "a", "control", "a"}, key);
    block.keep_outputs = keeps;
    cell->block(block);
    EXPECT_THAT(hashes, AllOf(SizeIs(5), Each(hashes.front())));
    return hashes.front();
  };
  std::set<std::uint64_t> contents{all_of(0, false), all_of(7, false), all_of(8, false),
                                   all_of(9, true), all_of(10, false)};
  EXPECT_THAT(contents, SizeIs(5));
  cell->fill(11);  // as a check does
  contents.insert(all_of(0, false));
  EXPECT_THAT(contents, SizeIs(6));
}

TEST(Rotation, WhatWasWrittenForABlockIsNotFoundInACache) {
  Rotating r;
  std::vector<const void*> x;
  Problem& p = r.problem();
  p.subject("a", [&](Context& c) { x.push_back(c.input<float>("x").data()); });
  const auto cell = r.cell({"a"});
  cell->block(Rotating::block({"a"}));
  cell->block(Rotating::block({"a", "control"}, 7));
  ASSERT_THAT(r.device.evicted, SizeIs(1)) << "once a block";
  // Of every copy, as another build's turn may come between; the input is smaller than a window.
  const auto& ranges = r.device.evicted.front();
  ASSERT_THAT(ranges, SizeIs(4));
  const auto holds = [&](const void* address) {
    return std::any_of(ranges.begin(), ranges.end(), [&](const device::Range& range) {
      const auto* begin = static_cast<const std::byte*>(range.data);
      return address >= begin && address < begin + range.bytes;
    });
  };
  EXPECT_TRUE(holds(x[0]));
  EXPECT_TRUE(holds(x[1]));
  EXPECT_TRUE(holds(x[2]));
  // Where outputs are poisoned and inputs looked at, each sample's copy as well.
  r.device.evicted.clear();
  wire::Block kept = Rotating::block({"a", "control"}, 8);
  kept.keep_outputs = true;
  cell->block(kept);
  EXPECT_THAT(r.device.evicted, SizeIs(3));
}

TEST(Rotation, ChecksLookAtTheCopyThatWasUsed) {
  Rotating r("64", R"("has_own_memory": true, )");
  Problem& p = r.program.problem("doubled");
  p.input("x", [](const Case&) { return Tensor::f32({16}); });
  p.output("y", [](const Case&) { return Tensor::f32({16}); });
  p.reference([](ReferenceCall& call) {
    for (std::size_t i = 0; i < 16; ++i) call.output("y")[i] = 2 * call.input("x")[i];
  });
  p.tolerance(Tolerance::exact());
  const auto doubles = [](Context& c) {
    for (int i = 0; i < 16; ++i) c.output<float>("y")[i] = 2 * c.input<float>("x")[i];
  };
  const float* first = nullptr;
  p.subject("good", doubles);
  p.subject("wrong", [](Context&) {});
  p.subject("first-only", [&, doubles](Context& c) {
    const float* y = c.output<float>("y").data();
    if (first == nullptr) first = y;
    if (y == first) doubles(c);
  });
  const auto cell = r.cell({"good", "wrong", "first-only"}, "doubled");
  cell->prepare();
  Checker checker;
  const auto before = checker.check(*cell, {"before", {"good", "wrong", "first-only"}, 6}, {});
  EXPECT_TRUE(before.results[0].passed) << before.results[0].reason;
  EXPECT_FALSE(before.results[1].passed);
  EXPECT_TRUE(before.results[2].passed) << before.results[2].reason;
  wire::Block block = Rotating::block({"good", "first-only", "control", "wrong"}, 9);
  block.keep_outputs = true;
  EXPECT_THAT(cell->block(block).samples, SizeIs(4));
  const auto timed =
      checker.check(*cell, {"timed", {"good", "wrong", "first-only", "control"}, 9}, {});
  EXPECT_TRUE(timed.results[0].passed) << timed.results[0].reason;
  EXPECT_FALSE(timed.results[1].passed);
  EXPECT_FALSE(timed.results[2].passed) << "its sample was on the second copy";
  EXPECT_TRUE(timed.results[3].passed) << timed.results[3].reason;
}

TEST(Rotation, InPlaceInputsAreRestoredAfterTheSample) {
  Rotating r;
  std::vector<float*> places;
  std::vector<float> seen;
  bool throws = false;
  Problem& p = r.program.problem("p").unchecked();
  p.input("x", [](const Case&) { return Tensor::f32({512}); }).in_place();
  p.subject("a", [&](Context& c) {
    places.push_back(c.inout<float>("x").data());
    seen.push_back(*places.back());
    *places.back() = 100;
    r.device.log += 'c';
    if (throws) throw std::runtime_error("no");
  });
  const auto cell = r.cell({"a"});
  for (int i = 0; i < 3; ++i) {
    throws = i == 1;
    r.device.log.clear();
    cell->block(Rotating::block({"a", "control"}));
    for (const float* place : places) EXPECT_EQ(*place, seen.front());
    EXPECT_EQ(r.device.log, "crcr") << "before the call it would be brought into the caches";
  }
  EXPECT_THAT(seen, AllOf(SizeIs(6), Each(seen.front())));
  EXPECT_NE(seen.front(), 100);
}

// What it finds in its input, and leaves there.
std::function<void(Context&)> overwriting(std::vector<float>& seen) {
  return [&seen](Context& c) {
    float& x = *c.inout<float>("x").data();
    seen.push_back(x);
    x = 100;
  };
}

TEST(Rotation, FindsInPlaceInputsAsTheyWereFilledWhereOthersWorkedOnThem) {
  Rotating r;
  std::vector<float> seen;
  std::vector<float> unseen;
  Problem& p = r.program.problem("p").unchecked();
  p.input("x", [](const Case&) { return Tensor::f32({512}); }).in_place();
  p.subject("usual", overwriting(unseen));
  p.subject("around", overwriting(seen)).in_state("rotate");
  const auto cell = r.cell({"usual", "around"}, "p", "cold");
  for (int i = 0; i < 8; ++i) cell->block(Rotating::block({"usual", "around"}));
  EXPECT_THAT(seen, AllOf(SizeIs(8), Each(seen.front())));
  EXPECT_NE(seen.front(), 100);
}

TEST(Rotation, ACheckLeavesNothingBehindForTheFirstSample) {
  Rotating r;
  std::vector<float> seen;
  Problem& p = r.program.problem("p").unchecked();
  p.input("x", [](const Case&) { return Tensor::f32({512}); }).in_place();
  p.subject("a", overwriting(seen));
  const auto cell = r.cell({"a"});
  Checker().check(*cell, {"before", {"a"}, 0}, {});
  r.device.evicted.clear();
  cell->block(Rotating::block({"a", "control", "a", "control", "a"}));
  EXPECT_THAT(seen, AllOf(SizeIs(6), Each(seen.front())));
  EXPECT_THAT(r.device.evicted, SizeIs(1)) << "of the first copy, for its next turn";
}

TEST(Rotation, WhatACheckHasReadIsNotFoundInACache) {
  Rotating r;
  r.problem().subject("a", [] {});
  const auto cell = r.cell({"a"});
  wire::Block kept = Rotating::block({"a", "control"});
  kept.keep_outputs = true;  // the inputs of all four copies are looked at
  cell->block(kept);
  r.device.evicted.clear();
  cell->block(Rotating::block({"a", "control", "a", "control"}));
  EXPECT_THAT(r.device.evicted, SizeIs(2)) << "those that the checked samples did not take";
  cell->block(Rotating::block({"a", "control", "a", "control"}));
  EXPECT_THAT(r.device.evicted, SizeIs(2));
}

TEST(Rotation, SubjectsAreMadeReadyOnEachCopy) {
  Rotating r;
  std::set<const void*> prepared_for;
  std::set<const void*> scratch;
  Problem& p = r.problem();
  p.subject("a",
            [&](Context& c) {
              EXPECT_EQ(*c.scratch<const float*>("from", 1), c.input<float>("x").data());
              scratch.insert(c.scratch<const float*>("from", 1));
            })
      .prepare(
          [&](Context& c) {
            prepared_for.insert(c.input<float>("x").data());
            *c.scratch<const float*>("from", 1) = c.input<float>("x").data();
          },
          10);
  const auto cell = r.cell({"a"});
  const wire::Prepared prepared = cell->prepare();
  EXPECT_THAT(prepared_for, SizeIs(4));
  ASSERT_THAT(prepared.preparations, SizeIs(1)) << "one is told of";
  cell->block(Rotating::block({"a", "control", "a", "control"}));
  EXPECT_THAT(scratch, SizeIs(4));
  EXPECT_EQ(cell->allocated_bytes("a"), 4 * (2048 + 8));
}

TEST(Rotation, ASubjectMayRotateBesideOthersThatDoNot) {
  Rotating r;
  std::set<const void*> rotated;
  std::set<const void*> usual;
  Problem& p = r.problem();
  p.subject("usual", [&](Context& c) { usual.insert(c.input<float>("x").data()); });
  p.subject("around", [&](Context& c) {
     rotated.insert(c.input<float>("x").data());
   }).in_state("rotate");
  const auto cell = r.cell({"usual", "around"}, "p", "warm");
  EXPECT_TRUE(cell->prepare().rotation);
  r.device.evicted.clear();
  for (int i = 0; i < 4; ++i) cell->block(Rotating::block({"usual", "around"}));
  EXPECT_THAT(r.device.evicted, SizeIs(1)) << "the copy that the usual one works on";
  EXPECT_THAT(usual, SizeIs(1));
  EXPECT_THAT(rotated, SizeIs(4));
}

TEST(Rotation, IsAStateWhereTheSizeOfTheCacheIsKnown) {
  Rotating r;
  EXPECT_THAT(states_of(*r.program.find("sum"), r.device), ElementsAre("warm", "cold", "rotate"));
  device::Fake unknown = fake_of();
  EXPECT_THAT(states_of(*r.program.find("sum"), unknown), Not(Contains("rotate")));
  EXPECT_THROW(r.problem().state("rotate", [](Context&) {}), Error);
}

TEST(Rotation, RefusesWithNumbersAndWhatToDo) {
  Rotating small;
  Problem& p = small.program.problem("p").unchecked();
  p.output("y", [](const Case&) { return Tensor::f32({1}); });
  p.subject("a", [] {});
  EXPECT_THAT(
      small.refusal_of({"a"}, ErrorKind::usage),
      AllOf(HasSubstr("problem 'p'"), HasSubstr("4 bytes"), HasSubstr("1537 copies"),
            HasSubstr("at most 128"), HasSubstr("the state cold"), HasSubstr("49 bytes or more")));
  Rotating large;
  large.problem().subject("a", [] {});
  large.device.spare_bytes = 6000;
  EXPECT_THAT(
      large.refusal_of({"a"}, ErrorKind::device),
      AllOf(HasSubstr("4 copies of its 2048 bytes need 6144 bytes more"),
            HasSubstr("6000 are left of the machine's memory"), HasSubstr("use the state cold")));
  large.device.spare_bytes = 10000;
  EXPECT_NO_THROW(large.cell({"a"}));
}

}  // namespace
