// SPDX-License-Identifier: MIT
#include "assay/problem/placement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "buffer.hpp"

namespace assay {
namespace {

using test::Buffer;

TEST(Placement, AlignsThePayloadAndGuardsBothSides) {
  const Placement plain = placement_of(Tensor::f32({10}));
  EXPECT_EQ(plain.payload_offset % payload_alignment_bytes, 0U);
  EXPECT_EQ(plain.payload_offset, guard_zone_bytes);
  EXPECT_EQ(plain.payload_bytes, 40U);
  EXPECT_GE(plain.total_bytes, plain.payload_offset + 40 + guard_zone_bytes);
  EXPECT_EQ(plain.total_bytes % payload_alignment_bytes, 0U);
  EXPECT_EQ(placement_of(Tensor::f32({10}).misaligned_by(4)).payload_offset, guard_zone_bytes + 4);
  EXPECT_EQ(placement_of(Tensor::f32({0})).payload_bytes, 0U);
}

TEST(DrawnShift, IsAMultipleOfTheAlignmentWithinAPage) {
  std::set<std::size_t> shifts;
  for (std::uint64_t key = 0; key < 2000; ++key) {
    const std::size_t shift = drawn_shift_bytes(key, "x");
    EXPECT_EQ(shift % payload_alignment_bytes, 0U);
    EXPECT_LT(shift, page_bytes);
    shifts.insert(shift);
  }
  EXPECT_EQ(shifts.size(), page_bytes / payload_alignment_bytes);
}

TEST(DrawnShift, DependsOnTheKeyAndTheName) {
  int same = 0;
  for (std::uint64_t key = 0; key < 640; ++key) {
    EXPECT_EQ(drawn_shift_bytes(key, "x"), drawn_shift_bytes(key, "x"));
    same += drawn_shift_bytes(key, "x") == drawn_shift_bytes(key, "y");
  }
  EXPECT_LT(same, 40);  // one in 64 by chance
}

TEST(Guards, AreIntactAfterThePayloadWasWritten) {
  for (const Tensor& tensor : test::awkward_tensors(dtype_of<float>())) {
    Buffer buffer(tensor, 5);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) buffer.set(i, 1.0);
    EXPECT_TRUE(check_guards(tensor, buffer.allocation(), 5).intact());
  }
}

TEST(Guards, CatchEverySingleByteWrittenOutsideTheElements) {
  for (const DType* dtype : {&dtype_of<f16>(), &dtype_of<double>()}) {
    for (const Tensor& tensor : test::awkward_tensors(*dtype)) {
      if (tensor.element_count() > 100) continue;
      Buffer buffer(tensor, 5);
      const Placement placement = placement_of(tensor);
      std::set<std::size_t> elements;
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
        for (std::size_t b = 0; b < dtype->size_bytes; ++b) {
          elements.insert(placement.payload_offset +
                          static_cast<std::size_t>(tensor.offset_of(i)) * dtype->size_bytes + b);
        }
      }
      // All bytes near the elements, every 37th and the ends of the zones farther out.
      const auto is_tried = [&](std::size_t place) {
        return (place + 200 > placement.payload_offset &&
                place < placement.payload_offset + placement.payload_bytes + 200) ||
               place % 37 == 0 || place + 1 == placement.total_bytes;
      };
      for (std::size_t place = 0; place < placement.total_bytes; ++place) {
        if (!is_tried(place)) continue;
        buffer.bytes[place] ^= std::byte{0x10};
        const GuardReport report = check_guards(tensor, buffer.allocation(), 5);
        buffer.bytes[place] ^= std::byte{0x10};
        if (elements.count(place) != 0) {
          ASSERT_TRUE(report.intact()) << place;
          continue;
        }
        ASSERT_EQ(report.changed_bytes, 1) << place;
        ASSERT_EQ(report.first_byte, static_cast<std::int64_t>(place) -
                                         static_cast<std::int64_t>(placement.payload_offset));
        const auto wanted = place < placement.payload_offset ? GuardReport::Place::before
                            : place >= placement.payload_offset + placement.payload_bytes
                                ? GuardReport::Place::after
                                : GuardReport::Place::gap;
        ASSERT_EQ(report.place, wanted) << place;
      }
    }
  }
}

TEST(Guards, OfInputsLeaveTheElementsAlone) {
  for (const Tensor& tensor : test::awkward_tensors(dtype_of<float>())) {
    Buffer buffer(tensor, 5);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) buffer.set(i, 0.5);
    arm_guards(tensor, buffer.allocation(), 6);
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) ASSERT_EQ(buffer.value(i), 0.5);
    EXPECT_TRUE(check_guards(tensor, buffer.allocation(), 6).intact());
    EXPECT_FALSE(check_guards(tensor, buffer.allocation(), 5).intact());
  }
}

TEST(Guards, SayWhereTheWriteWas) {
  const Tensor tensor = Tensor::f32({2, 3}).strides({4, 1});
  Buffer buffer(tensor, 5);
  const std::size_t payload = placement_of(tensor).payload_offset;
  EXPECT_EQ(check_guards(tensor, buffer.allocation(), 5).text("y", tensor),
            "the guard zones of 'y' are intact");
  buffer.bytes[payload + 28] ^= std::byte{1};
  EXPECT_EQ(check_guards(tensor, buffer.allocation(), 5).text("y", tensor),
            "1 byte was written outside 'y', the first 0 bytes past its last element");
  buffer.bytes[payload + 13] ^= std::byte{1};
  EXPECT_EQ(
      check_guards(tensor, buffer.allocation(), 5).text("y", tensor),
      "2 bytes were written outside 'y', the first in a gap between its elements, at byte 13");
  buffer.bytes[payload - 4] ^= std::byte{1};
  EXPECT_EQ(check_guards(tensor, buffer.allocation(), 5).text("y", tensor),
            "3 bytes were written outside 'y', the first 4 bytes before its first element");
}

TEST(Poison, IsNaNForEveryFloatingType) {
  for (const char* name : {"f64", "f32", "f16", "bf16", "fp8_e4m3", "fp8_e5m2"}) {
    const DType& dtype = *find_dtype(name);
    for (std::uint64_t key = 0; key < 200; ++key) {
      const auto element = poison_element(dtype, key);
      ASSERT_EQ(element.size(), dtype.size_bytes);
      ASSERT_TRUE(std::isnan(dtype.to_double(element.data()))) << name << ' ' << key;
    }
  }
}

TEST(Poison, IsNotTheNaNThatArithmeticMakes) {
  for (const char* name : {"f64", "f32", "f16", "bf16"}) {
    const DType& dtype = *find_dtype(name);
    std::vector<std::byte> plain(dtype.size_bytes);
    dtype.from_double(std::numeric_limits<double>::quiet_NaN(), plain.data());
    for (std::uint64_t key = 0; key < 200; ++key) {
      ASSERT_NE(poison_element(dtype, key), plain) << name << ' ' << key;
    }
  }
}

TEST(Poison, OfIntegersIsFarFromOrdinaryValues) {
  for (const char* name : {"i16", "i32", "i64", "u16", "u32", "u64"}) {
    const DType& dtype = *find_dtype(name);
    const auto element = poison_element(dtype, 3);
    EXPECT_GT(std::fabs(dtype.to_double(element.data())), 1e4) << name;
    EXPECT_NE(poison_element(dtype, 3), poison_element(dtype, 4)) << name;
  }
}

TEST(Poison, ShowsExactlyTheUnwrittenElements) {
  for (const char* name : {"f32", "bf16", "i32", "fp8_e4m3"}) {
    for (const Tensor& tensor : test::awkward_tensors(*find_dtype(name))) {
      Buffer buffer(tensor, 11);
      const std::int64_t elements = tensor.element_count();
      EXPECT_EQ(find_unwritten(tensor, buffer.payload(), 11).count, elements);
      for (std::int64_t i = 0; i < elements; i += 2) buffer.set(i, 1.0);
      const Unwritten unwritten = find_unwritten(tensor, buffer.payload(), 11);
      EXPECT_EQ(unwritten.count, elements / 2);
      EXPECT_EQ(unwritten.first, elements > 1 ? 1 : -1);
      EXPECT_TRUE(check_guards(tensor, buffer.allocation(), 11).intact());
    }
  }
}

// A user's own type: 24 bytes, no NaN.
double triple_to_double(const void* element) {
  double value;
  std::memcpy(&value, element, sizeof value);
  return value;
}
void triple_from_double(double value, void* element) {
  std::memset(element, 0, 24);
  const double finite = std::isnan(value) ? 0.0 : value;
  std::memcpy(element, &finite, sizeof finite);
}

TEST(Poison, WorksForAUsersOwnType) {
  const DType triple{
      "triple", DType::Kind::floating, 24, triple_to_double, triple_from_double, 53, -1022, 1e308,
      false};
  const Tensor tensor(triple, {5});
  Buffer buffer(tensor, 11);
  EXPECT_EQ(find_unwritten(tensor, buffer.payload(), 11).count, 5);
  fill(tensor, 3, buffer.payload());
  EXPECT_EQ(find_unwritten(tensor, buffer.payload(), 11).count, 0);
  EXPECT_TRUE(check_guards(tensor, buffer.allocation(), 11).intact());
}

}  // namespace
}  // namespace assay
