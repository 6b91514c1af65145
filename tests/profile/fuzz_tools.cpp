// SPDX-License-Identifier: MIT
//
// Any bytes as what a tool printed: they are refused as bad input, or read. libFuzzer calls it
// where ASSAY_FUZZ is on; fuzz_test.cpp everywhere.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "assay/base/error.hpp"
#include "assay/profile/callgrind.hpp"
#include "assay/profile/ncu_csv.hpp"
#include "assay/profile/perf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

template <typename Parse>
void try_to_read(Parse&& parse) {
  try {
    parse();
  } catch (const assay::Error& error) {
    if (error.kind() != assay::ErrorKind::bad_input) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::profile;
  const std::string text(data, data + size);
  try_to_read([&] { parse_callgrind(text, "callgrind.out"); });
  try_to_read([&] { parse_ncu_csv(text, "ncu.csv"); });
  try_to_read([&] { parse_counts(text, "counts.json"); });
  return 0;
}
