// SPDX-License-Identifier: MIT
//
// Seeded mutations of good tables through the fuzz target, which aborts on what must not happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "assay/record/kernels.hpp"
#include "companions.hpp"
#include "rows.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace assay::record {
namespace {

constexpr std::uint64_t fuzz_seed = 7;

void feed(const std::string& text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

// One change: a byte, a piece cut out, a piece doubled, a telling token put in.
std::string mutated(std::string text, Random& random) {
  static const std::vector<std::string_view> tokens = {
      ",",   "\"",  "\"\"", "\n", "\r\n", "-",  "nan",         "inf", "1e999", "-0",
      "0x1", "\\0", "\xff", "é",  " ",    "\t", "99999999999", "",    "1e-320"};
  const std::size_t at = random.next_below(text.size() + 1);
  const std::size_t size = random.next_below(std::min<std::size_t>(text.size() - at, 40) + 1);
  switch (random.next_below(4)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random.next_below(256));
      break;
    case 1:
      text.erase(at, size);
      break;
    case 2:
      text.insert(at, text.substr(at, size));
      break;
    default:
      text.replace(at, size / 8, tokens[random.next_below(tokens.size())]);
  }
  return text;
}

void fuzz(const std::string& good, int rounds) {
  Random random(fuzz_seed);
  for (int round = 0; round < rounds; ++round) {
    std::string text = good;
    for (auto left = 1 + random.next_below(4); left > 0; --left) text = mutated(text, random);
    feed(text);
  }
}

TEST(ParseSamples, RefusesOrRereadsWhateverAFileHolds) {
  Random random(fuzz_seed);
  fuzz(csv_of(random_samples(random, 4)), 4000);
}

TEST(ParseCounters, RefusesOrRereadsWhateverAFileHolds) {
  const Companion companion = some_companion();
  auto counters = some_counters(companion);
  counters[0].launch = 3;
  counters[0].kernel = "void sum<float, 4>(float const*)";
  std::string text = std::string(counters_header) + "\n";
  for (const Counter& counter : counters) append_csv(text, counter);
  fuzz(text, 4000);
}

TEST(ParseTrials, RefusesOrRereadsWhateverAFileHolds) {
  std::string text = std::string(trials_header) + "\n";
  append_csv(text, ordinary_trial());
  Trial unpinned = ordinary_trial();
  unpinned.core = Missing{"threaded", ""};
  append_csv(text, unpinned);
  fuzz(text, 4000);
}

TEST(ParseKernels, RefusesOrRereadsWhateverAFileHolds) {
  std::string text = std::string(kernels_header) + "\n";
  append_csv(text, {0, "_Z4copyPfPKfl", 132, 256, {0, 1500, 3000}, {1210, 1200, 1190}});
  append_csv(text, KernelRuns{1, "a \"quoted\", name", 0, 0, {7}, {0}});
  fuzz(text, 4000);
}

}  // namespace
}  // namespace assay::record
