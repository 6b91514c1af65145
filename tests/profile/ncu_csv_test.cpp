// SPDX-License-Identifier: MIT
//
// Texts written by hand, by what is documented of `ncu --page raw --csv`: none was printed by a
// GPU.
#include "assay/profile/ncu_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/base/error.hpp"

namespace assay::profile {
namespace {

constexpr const char* printed =
    R"csv(==PROF== Connected to process 42
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","dram__bytes_write.sum","lts__t_sector_hit_rate.pct"
"","","","","","","","","","","","Mbyte","byte","%"
"0","42","l2_flush","here","void sum<float, 4>(float const*, long)","1","7","(256, 1, 1)","(528, 1, 1)","0","9.0","67.25","1,234,560","12.5"
"1","42","l2_flush","here","say(""hello"")","1","7","(1, 1, 1)","(1, 1, 1)","0","9.0","0","n/a",""
==WARNING== something else
)csv";

TEST(ParseNcuCsv, ReadsEachKernelInBaseUnits) {
  const auto kernels = parse_ncu_csv(printed, "ncu.csv");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].kernel, "void sum<float, 4>(float const*, long)");
  EXPECT_EQ(*kernels[0].values.at("dram__bytes_read.sum"), 67.25e6);
  EXPECT_EQ(*kernels[0].values.at("dram__bytes_write.sum"), 1234560);
  EXPECT_EQ(*kernels[0].values.at("lts__t_sector_hit_rate.pct"), 12.5);
  EXPECT_EQ(kernels[0].values.size(), 3U);
  EXPECT_EQ(kernels[1].kernel, "say(\"hello\")");
  EXPECT_EQ(kernels[1].values.at("dram__bytes_write.sum").missing().reason, "not-reported");
  EXPECT_FALSE(kernels[1].values.at("lts__t_sector_hit_rate.pct").has_value());
}

TEST(ParseNcuCsv, NeedsNoRowOfUnitsAndNoQuotes) {
  const auto kernels =
      parse_ncu_csv("ID,Kernel Name,lts__t_bytes.sum\r\n0,copy,64\r\n1,copy,65\r\n", "ncu.csv");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(*kernels[0].values.at("lts__t_bytes.sum"), 64);
}

TEST(ParseNcuCsv, TakesNoCommaForAPointAndNoPointForAComma) {
  const auto value = [](const std::string& text) {
    return parse_ncu_csv("ID,Kernel Name,lts__t_bytes.sum\n0,copy,\"" + text + "\"\n", "ncu.csv")
        .at(0)
        .values.at("lts__t_bytes.sum");
  };
  EXPECT_EQ(*value("1,234"), 1234);
  EXPECT_EQ(*value("1,234,567.25"), 1234567.25);
  for (const char* text : {"65,77", "27.595.520", "1,23,456", ",123", "1234,567", "inf", "nan", "",
                           "-", "12x", "1,234,"}) {
    EXPECT_FALSE(value(text).has_value()) << text;
  }
}

TEST(ParseNcuCsv, RefusesWhatItDidNotPrint) {
  EXPECT_THROW(parse_ncu_csv("", "ncu.csv"), Error);
  EXPECT_THROW(parse_ncu_csv("==ERROR== no report\n", "ncu.csv"), Error);
  EXPECT_THROW(parse_ncu_csv("ID,Kernel Name\n0\n", "ncu.csv"), Error);
  EXPECT_TRUE(parse_ncu_csv("ID,Kernel Name,a__b.sum\n", "ncu.csv").empty());
}

TEST(BaseUnit, IsTheUnitWithoutItsPrefix) {
  EXPECT_EQ(base_unit_of("Kbyte").factor, 1e3);
  EXPECT_EQ(base_unit_of("Gbyte").name, "byte");
  EXPECT_EQ(base_unit_of("usecond").factor, 1e3);
  EXPECT_EQ(base_unit_of("second").name, "ns");
  EXPECT_EQ(base_unit_of("byte").factor, 1);
  EXPECT_EQ(base_unit_of("%").name, "%");
  EXPECT_EQ(base_unit_of("Mbyte/second").factor, 1e6);
  EXPECT_EQ(base_unit_of("").factor, 1);
}

}  // namespace
}  // namespace assay::profile
