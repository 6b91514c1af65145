// SPDX-License-Identifier: MIT
#include "assay/problem/content.hpp"

#include <gtest/gtest.h>

#include <set>

#include "assay/base/error.hpp"
#include "buffer.hpp"

namespace assay {
namespace {

using test::Buffer;

constexpr const char* all_dtypes[] = {"f64", "f32", "f16", "bf16", "fp8_e4m3", "fp8_e5m2", "i8",
                                      "i16", "i32", "i64", "u8",   "u16",      "u32",      "u64"};

TEST(Fill, PutsElementIAtItsPlaceWhateverTheStrides) {
  for (const char* name : all_dtypes) {
    for (const Tensor& tensor : test::awkward_tensors(*find_dtype(name))) {
      Buffer buffer(tensor, 1);
      fill(tensor, 42, buffer.payload());
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
        std::vector<std::byte> wanted(tensor.dtype().size_bytes);
        tensor.dtype().from_double(tensor.generator().value(42, static_cast<std::uint64_t>(i)),
                                   wanted.data());
        ASSERT_EQ(std::memcmp(buffer.element(i), wanted.data(), wanted.size()), 0) << name;
      }
      ASSERT_TRUE(check_guards(tensor, buffer.allocation(), 1).intact()) << name;
    }
  }
}

TEST(FillRange, EqualsThatPartOfTheWhole) {
  for (const Tensor& tensor : test::awkward_tensors(dtype_of<float>())) {
    const std::int64_t elements = tensor.element_count();
    Buffer whole(tensor);
    fill(tensor, 42, whole.payload());
    for (std::int64_t first = 0; first < std::min<std::int64_t>(elements, 12); ++first) {
      const std::int64_t count = std::min<std::int64_t>(elements - first, 7);
      Buffer part(tensor, 3);
      fill_range(tensor, 42, part.payload(), first, count);
      EXPECT_EQ(find_unwritten(tensor, part.payload(), 3).count, elements - count);
      for (std::int64_t i = first; i < first + count; ++i) {
        ASSERT_EQ(part.value(i), whole.value(i));
      }
    }
  }
}

TEST(ToDoubles, IsUndoneByFromDoubles) {
  for (const char* name : all_dtypes) {
    for (const Tensor& tensor : test::awkward_tensors(*find_dtype(name))) {
      Buffer buffer(tensor);
      fill(tensor, 7, buffer.payload());
      const std::vector<double> elements = to_doubles(tensor, buffer.payload());
      Buffer again(tensor);
      from_doubles(tensor, elements, again.payload());
      ASSERT_EQ(again.bytes, buffer.bytes) << name;
      for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
        ASSERT_EQ(elements[static_cast<std::size_t>(i)], buffer.value(i));
      }
    }
  }
}

TEST(FromDoubles, RefusesAnotherNumberOfElements) {
  Buffer buffer(Tensor::f32({4}));
  EXPECT_THROW(from_doubles(buffer.tensor, {1, 2, 3}, buffer.payload()), Error);
}

TEST(ContentDigest, IsTheSameForTheSameContentWhateverTheStrides) {
  Buffer dense(Tensor::f32({7, 5}));
  Buffer padded(Tensor::f32({7, 5}).strides({9, 1}));
  Buffer transposed(Tensor::f32({7, 5}).strides({1, 7}).misaligned_by(4));
  Buffer flat(Tensor::f32({35}));
  for (Buffer* buffer : {&dense, &padded, &transposed, &flat}) {
    fill(buffer->tensor, 7, buffer->payload());
  }
  const std::string digest = content_digest(dense.tensor, dense.payload());
  EXPECT_EQ(content_digest(padded.tensor, padded.payload()), digest);
  EXPECT_EQ(content_digest(transposed.tensor, transposed.payload()), digest);
  EXPECT_NE(content_digest(flat.tensor, flat.payload()), digest);
}

TEST(ContentHash, ChangesWithEverySingleBit) {
  for (const Tensor& tensor : {Tensor::u8({77}), Tensor::f16({7, 5}).strides({1, 8})}) {
    Buffer buffer(tensor);
    fill(tensor, 7, buffer.payload());
    std::set<std::uint64_t> seen = {content_hash(tensor, buffer.payload())};
    std::size_t changes = 1;
    for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
      for (std::size_t bit = 0; bit < 8 * tensor.dtype().size_bytes; ++bit) {
        std::byte& byte = buffer.element(i)[bit / 8];
        byte ^= std::byte{1} << (bit % 8);
        seen.insert(content_hash(tensor, buffer.payload()));
        byte ^= std::byte{1} << (bit % 8);
        ++changes;
      }
    }
    EXPECT_EQ(seen.size(), changes);
  }
}

TEST(ContentHash, SeesElementsThatChangePlaces) {
  Buffer buffer(Tensor::i64({8}), {1, 2, 3, 4, 5, 6, 7, 8});
  Buffer swapped(Tensor::i64({8}), {5, 2, 3, 4, 1, 6, 7, 8});
  EXPECT_NE(content_hash(buffer.tensor, buffer.payload()),
            content_hash(swapped.tensor, swapped.payload()));
}

TEST(ContentHash, IgnoresGaps) {
  Buffer buffer(Tensor::f32({7, 5}).strides({9, 1}));
  fill(buffer.tensor, 7, buffer.payload());
  const std::uint64_t before = content_hash(buffer.tensor, buffer.payload());
  arm_guards(buffer.tensor, buffer.allocation(), 12345);
  EXPECT_EQ(content_hash(buffer.tensor, buffer.payload()), before);
}

InputSpec spec_of(Renewal renewal, Mutate mutate = nullptr) {
  InputSpec spec;
  spec.name = "x";
  spec.renewal = renewal;
  spec.mutate = std::move(mutate);
  return spec;
}

std::int64_t changed_elements(Buffer& before, Buffer& after) {
  std::int64_t changed = 0;
  for (std::int64_t i = 0; i < before.tensor.element_count(); ++i) {
    if (before.value(i) != after.value(i)) ++changed;
  }
  return changed;
}

TEST(Renew, ChangesExactlyTheWindow) {
  for (const Tensor& tensor : {Tensor::f64({1000}), Tensor::f64({50, 20}).strides({1, 64})}) {
    bool wrapped = false;
    for (std::uint64_t key = 1; key <= 40; ++key) {
      Buffer before(tensor);
      fill(tensor, 0, before.payload());
      Buffer after(tensor);
      fill(tensor, 0, after.payload());
      const Window window =
          renew(spec_of(Renewal::fresh), Case(), tensor, key, after.payload(), 100);
      EXPECT_EQ(window.count, 100);
      EXPECT_EQ(changed_elements(before, after), 100);
      for (std::int64_t i = 0; i < window.count; ++i) {
        const std::int64_t index = (window.first + i) % 1000;
        ASSERT_EQ(after.value(index),
                  tensor.generator().value(key, static_cast<std::uint64_t>(index)));
      }
      wrapped = wrapped || window.first + window.count > 1000;
    }
    EXPECT_TRUE(wrapped);
  }
}

TEST(Renew, MovesTheWindowAndNeverRepeatsContent) {
  const Tensor tensor = Tensor::f32({1000});
  Buffer buffer(tensor);
  fill(tensor, 0, buffer.payload());
  std::set<std::string> contents = {content_digest(tensor, buffer.payload())};
  std::set<std::int64_t> places;
  for (std::uint64_t key = 1; key <= 50; ++key) {
    places.insert(renew(spec_of(Renewal::fresh), Case(), tensor, key, buffer.payload(), 10).first);
    contents.insert(content_digest(tensor, buffer.payload()));
  }
  EXPECT_EQ(contents.size(), 51U);
  EXPECT_GT(places.size(), 40U);
}

TEST(Renew, CoversASmallTensorWholly) {
  Buffer buffer(Tensor::f32({5}));
  EXPECT_EQ(renew(spec_of(Renewal::fresh), Case(), buffer.tensor, 3, buffer.payload()).count, 5);
  EXPECT_EQ(find_unwritten(buffer.tensor, buffer.payload(), 99).count, 0);
}

TEST(Renew, LeavesFixedEmptyAndKeylessContentAlone) {
  Buffer buffer(Tensor::f32({5}), {1, 2, 3, 4, 5});
  const auto bytes = buffer.bytes;
  EXPECT_EQ(renew(spec_of(Renewal::fixed), Case(), buffer.tensor, 3, buffer.payload()).count, 0);
  buffer.tensor.generator(Generator::arithmetic_pattern());
  EXPECT_EQ(renew(spec_of(Renewal::fresh), Case(), buffer.tensor, 3, buffer.payload()).count, 0);
  EXPECT_EQ(buffer.bytes, bytes);
  Buffer empty(Tensor::f32({0}));
  EXPECT_EQ(renew(spec_of(Renewal::fresh), Case(), empty.tensor, 3, empty.payload()).count, 0);
}

TEST(Renew, MutatesByTheProblemsFunction) {
  Buffer buffer(Tensor::i32({2, 2}).strides({1, 3}), {1, 2, 3, 4});
  const auto add = [](const Case& the_case, std::uint64_t key, std::vector<double>& elements) {
    for (double& element : elements) {
      element += static_cast<double>(key) + the_case.number("n");
    }
  };
  const Case the_case = Case::parse("n=100");
  const Window window =
      renew(spec_of(Renewal::mutate, add), the_case, buffer.tensor, 7, buffer.payload(), 1);
  EXPECT_EQ(window.count, 4);
  EXPECT_EQ(to_doubles(buffer.tensor, buffer.payload()), (std::vector<double>{108, 109, 110, 111}));
  const auto drop = [](const Case&, std::uint64_t, std::vector<double>& elements) {
    elements.pop_back();
  };
  EXPECT_THROW(renew(spec_of(Renewal::mutate, drop), the_case, buffer.tensor, 7, buffer.payload()),
               Error);
}

}  // namespace
}  // namespace assay
