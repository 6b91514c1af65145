// SPDX-License-Identifier: MIT
//
// The fuzz target over seeded mutations of valid inputs: a few hundred, so that every build runs
// them.
#include "assay/base/random.hpp"
#include "assay/experiment/scaffold.hpp"
#include "support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace assay::experiment {
namespace {

// Deletes, overwrites, repeats and inserts pieces at random places.
std::string mutated(std::string text, Random& random) {
  const std::string pieces[] = {"\"",
                                "[",
                                "]",
                                "{",
                                "}",
                                "=",
                                ".",
                                "\n",
                                "-1",
                                "1e999",
                                "é",
                                "\xff",
                                ",",
                                ":",
                                "0",
                                "null",
                                "nan",
                                "\\",
                                "9223372036854775808"};
  const std::uint64_t changes = 1 + random.next_below(4);
  for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random.next_below(text.size());
    const std::size_t length = 1 + random.next_below(12);
    switch (random.next_below(4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text[at] = static_cast<char>(random.next_below(256));
        break;
      case 2:
        text.insert(at, text.substr(random.next_below(text.size()), length));
        break;
      default:
        text.insert(at, pieces[random.next_below(std::size(pieces))]);
    }
  }
  return text;
}

void run_mutations(const std::string& seed_text, std::uint64_t key) {
  for (std::uint64_t n = 0; n < 300; ++n) {
    Random random(derive_key(key, {std::to_string(n)}));
    const std::string text = mutated(seed_text, random);
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    EXPECT_NO_THROW(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()))
        << "key " << key << ", mutation " << n << ":\n"
        << text;
  }
}

TEST(Fuzz, ExperimentFilesAreReadOrRefused) {
  run_mutations(R"(name = "t"
program = "p"
[question]
question = "q"
hypothesis = "h"
[[prediction]]
candidate = "fast"
where = "n = 8 and d = f32"
ratio = [0.5, 0.7]
probability = { faster = 0.9, equivalent = 0.05, slower = 0.05 }
[protocol]
state = ["cold", "warm"]
looks = [8, 16]
sample = "1ms"
seed = 3
[cases]
n = { pow2 = [1, 3], tails = [-1, 1] }
d = ["f32"]
[build.program]
dir = "x"
)",
                1);
}

TEST(Fuzz, FilesOfCommandsAreReadOrRefused) {
  run_mutations(R"(name = "t"
[[subject]]
name = "a"
command = ["./{{x}}/tool", "{n}", "}}"]
output = "out/{n}.txt"
[[subject]]
name = "b"
command = ["tool", "{n}"]
output = "-"
threads = 1
[cases]
n = [1, 2]
[layout]
replicates = 1
)",
                4);
}

TEST(Fuzz, PlansAreReadOrRefused) {
  run_mutations(json_text(to_json(plan_of("", sum_program()))), 2);
}

TEST(Fuzz, PlansOnOneLineAreReadOrRefused) {
  run_mutations(to_json(plan_of("", sum_program())).dump(), 3);
}

}  // namespace
}  // namespace assay::experiment
