// SPDX-License-Identifier: MIT
//
// Seeded mutations of what tools print through the fuzz target, which aborts on what must not
// happen.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace assay::profile {
namespace {

std::string mutated(std::string text, Random& random) {
  static const std::vector<std::string_view> tokens = {
      ",",   "\"", "\"\"", "\n",   "\r\n", ":",
      "nan", "-0", "0x1",  "\xff", " ",    "99999999999999999999"};
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

void fuzz(const std::string& good) {
  constexpr std::uint64_t seed = 11;
  constexpr int rounds = 4000;
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    std::string text = good;
    for (auto left = 1 + random.next_below(4); left > 0; --left) text = mutated(text, random);
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

TEST(ParseCallgrind, RefusesOrReadsWhateverAFileHolds) {
  fuzz(
      "# callgrind format\nversion: 1\nevents: Ir Dr Dw I1mr\nsummary: 15027 3010 3001\n\nfn=(1) "
      "a\n"
      "3 15027 3010\n");
}

}  // namespace
}  // namespace assay::profile
