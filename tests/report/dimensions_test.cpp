// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/report/dimensions_words.hpp"
#include "assay/report/html_sections.hpp"

namespace assay::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

judge::CellResult cell_with_dimensions() {
  judge::CellResult cell;
  cell.dimensions.emplace();
  cell.dimensions->operands = {{"x", "input", "bf16", {64, 4096}, {4104, 1}, 2},
                               {"y", "output", "f32", {}, {}, 64}};
  cell.dimensions->declared.set("hidden_size", 4096).set("epilogue", "<none>");
  cell.dimensions->parameters["fused"] = {{"tile", "8x32"}, {"vector", "16"}};
  return cell;
}

TEST(Dimensions, AreATableOfTensorsAndListsOfTheRest) {
  const auto rows = operands_table(cell_with_dimensions());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[1], ElementsAre("x", "input", "bf16", "64x4096", "strides 4104x1", "2 bytes"));
  EXPECT_THAT(rows[2], ElementsAre("y", "output", "f32", "scalar", "contiguous", "64 bytes"));
  EXPECT_THAT(declared_of(cell_with_dimensions()),
              ElementsAre(Pair("Dimensions", "hidden_size 4096, epilogue <none>"),
                          Pair("Parameters of fused", "tile 8x32, vector 16")));
}

TEST(Dimensions, AreTextOnThePage) {
  const std::string part = dimensions_part(cell_with_dimensions());
  EXPECT_THAT(part, HasSubstr("strides 4104x1"));
  EXPECT_THAT(part, HasSubstr("&lt;none&gt;"));
  EXPECT_THAT(part, Not(HasSubstr("<none>")));
}

TEST(Dimensions, OfProgramsThatDoNotTellAreNothing) {
  EXPECT_TRUE(operands_table({}).empty());
  EXPECT_TRUE(declared_of({}).empty());
  EXPECT_EQ(dimensions_part({}), "");
}

}  // namespace
}  // namespace assay::report
