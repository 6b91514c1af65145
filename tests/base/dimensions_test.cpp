// SPDX-License-Identifier: MIT
#include "assay/base/dimensions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include "assay/base/error.hpp"

namespace assay {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& name, const AxisValue& value) {
  Dimensions dimensions;
  dimensions.set("k", 1);
  try {
    dimensions.set(name, value);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(dimensions.entries().size(), 1U);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Dimensions, KeepTheirOrderAndTheirTypes) {
  const std::string dtype = "bf16";
  const Dimensions dimensions = Dimensions()
                                    .set("n", std::size_t{64})
                                    .set("batch", 8)
                                    .set("scale", 0.5F)
                                    .set("causal", true)
                                    .set("epilogue", "bias + relu")
                                    .set("dtype", dtype);
  std::string text;
  for (const auto& [name, value] : dimensions.entries()) text += name + "=" + to_text(value) + ";";
  EXPECT_EQ(text, "n=64;batch=8;scale=0.5;causal=true;epilogue=bias + relu;dtype=bf16;");
  EXPECT_TRUE(std::holds_alternative<std::int64_t>(dimensions.entries()[0].second));
  EXPECT_TRUE(std::holds_alternative<double>(dimensions.entries()[2].second));
}

TEST(Dimensions, RefuseWhatARecordCannotHold) {
  EXPECT_THROW(Dimensions().set("seed", std::uint64_t{1} << 63), Error);
  EXPECT_EQ(Dimensions().set("seed", (std::uint64_t{1} << 63) - 1).entries().size(), 1U);
  EXPECT_THAT(refusal("", std::int64_t{1}), HasSubstr("cannot name a dimension"));
  EXPECT_THAT(refusal("a b", std::int64_t{1}), HasSubstr("'a b' cannot name a dimension"));
  EXPECT_THAT(refusal("k", std::int64_t{2}), HasSubstr("'k' is set twice"));
  EXPECT_THAT(refusal("x", std::numeric_limits<double>::infinity()), HasSubstr("not finite"));
  EXPECT_THAT(refusal("x", std::string()), HasSubstr("0 bytes; expected 1 to 200"));
  EXPECT_THAT(refusal("x", std::string(201, 'a')), HasSubstr("201 bytes"));
  EXPECT_THAT(refusal("x", std::string("a\nb")), HasSubstr("control characters"));
}

}  // namespace
}  // namespace assay
