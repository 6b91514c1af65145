// SPDX-License-Identifier: MIT
#include "assay/base/ceilings_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::HasSubstr;

MachineCeilings some() {
  MachineCeilings ceilings;
  ceilings.instructions = "AVX3";
  ceilings.vector_bits = 512;
  ceilings.cores = {0, 2};
  ceilings.cores_allowed = 4;
  ceilings.took_s = 1.5;
  ceilings.levels = {{"L1", std::int64_t{32768}, 2}, {"memory", Missing{"not-known", "why"}, 1}};
  ceilings.bandwidths = {
      {"L1", "copy", "regular", 1, 8192, Passes{2e11, 1.9e11, 20}},
      {"memory", "write", "non-temporal", 2, 1 << 27, Missing{"no-time", "spent"}}};
  ceilings.compute = {{"f64", 1, Passes{5.9e10, 5.8e10, 20}}};
  ceilings.calls = {{"empty-iteration", Passes{0.27, 0.28, 15}}};
  return ceilings;
}

std::string trouble(const Json& json) {
  try {
    ceilings_from_json(json, "here");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

TEST(CeilingsJson, GivesBackWhatWasWritten) {
  EXPECT_EQ(ceilings_from_json(to_json(some()), "here"), some());
}

// No cores, one thread, and kernels of others.
MachineCeilings of_device() {
  MachineCeilings ceilings = some();
  ceilings.instructions = "sm_90";
  ceilings.vector_bits = 0;
  ceilings.cores.clear();
  ceilings.cores_allowed = 0;
  ceilings.bandwidths.pop_back();
  ceilings.bandwidths.back().way = "tiles of 32 KiB, 1056 blocks";
  ceilings.compute.push_back(
      {"bf16", 1, Passes{7e14, 6.9e14, 7}, matrix_product_name, "cuBLAS 13.1.0"});
  ceilings.calls = {{empty_kernel_name, Passes{900, 1000, 201}}};
  return ceilings;
}

TEST(CeilingsJson, OfADeviceHaveNoCores) {
  EXPECT_EQ(ceilings_from_json(to_json(of_device()), "here"), of_device());
  EXPECT_FALSE(to_json(some()).at("compute").at(0).contains("kernel"));
  MachineCeilings odd = of_device();
  odd.compute.back().threads = 2;
  EXPECT_THAT(trouble(to_json(odd)), HasSubstr("at least one core"));
  odd = of_device();
  odd.compute.back().kernel = "magic";
  EXPECT_THAT(trouble(to_json(odd)), HasSubstr("multiply-add, matrix-product"));
  odd = some();
  odd.cores_allowed = 0;
  EXPECT_THAT(trouble(to_json(odd)), HasSubstr("cores_allowed"));
}

TEST(CeilingsJson, RefusesWhatNoMachineCanHave) {
  const auto with = [](const char* pointer, Json value) {
    Json json = to_json(some());
    json[Json::json_pointer(pointer)] = std::move(value);
    return json;
  };
  EXPECT_THAT(trouble(with("/bandwidths/0/bytes_per_s/best", 0)), HasSubstr("above 0"));
  EXPECT_THAT(trouble(with("/bandwidths/0/bytes_per_s/best", 1e10)), HasSubstr("worse"));
  EXPECT_THAT(trouble(with("/calls/0/ns/best", 3.0)), HasSubstr("worse"));
  EXPECT_THAT(trouble(with("/bandwidths/0/kernel", "scale")), HasSubstr("read, write, copy"));
  EXPECT_THAT(trouble(with("/bandwidths/0/level", "L9")), HasSubstr("none of the levels"));
  EXPECT_THAT(trouble(with("/bandwidths/0/threads", 0)), HasSubstr("at least 1"));
  EXPECT_THAT(trouble(with("/levels/1/name", "L2")), HasSubstr("'memory'"));
  EXPECT_THAT(trouble(with("/levels/0/bytes", Json{{"value", -1}})), HasSubstr("at least 1"));
  EXPECT_THAT(trouble(with("/cores", Json::array())), HasSubstr("at least one core"));
  EXPECT_THAT(trouble(with("/cores/0", -1)), HasSubstr("number of a core"));
  EXPECT_THAT(trouble(with("/cores/0", 2)), HasSubstr("twice"));
  EXPECT_THAT(trouble(with("/cores_allowed", 1)), HasSubstr("as many as there are cores"));
  EXPECT_THAT(trouble(with("/compute/0/threads", 3)), HasSubstr("more threads than"));
  EXPECT_THAT(trouble(with("/took_s", -1.0)), HasSubstr("at least 0"));
  EXPECT_THAT(trouble(with("/more", 1)), HasSubstr("more"));
}

}  // namespace
}  // namespace assay
