// SPDX-License-Identifier: MIT
//
// ceiling_row KERNEL STORES CORES BYTES REPEATS PASSES PAGES: one row of the ceilings by the
// kernels of assay-probe; prints the rate of each pass, in bytes or operations per second. BYTES:
// of all arrays and threads together; for f32 and f64 it is not looked at, and REPEATS are steps.
// CORES: 0,1. PAGES: large, or those that come by themselves. ceiling_row --vector-bits prints the
// width.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "arena.hpp"
#include "assay/base/do_not_optimize.hpp"
#include "ceiling_kernels.hpp"
#include "team.hpp"

namespace {

using namespace assay::probe;

std::vector<int> cores_of(const std::string& text) {
  std::vector<int> cores;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    cores.push_back(std::stoi(text.substr(at, comma - at)));
    at = comma + 1;
  }
  return cores;
}

int measure(const std::vector<std::string>& words) {
  const std::string& kernel = words[0];
  const Stores stores = words[1] == "non-temporal" ? Stores::non_temporal : Stores::regular;
  const std::vector<int> cores = cores_of(words[2]);
  const std::int64_t repeats = std::stoll(words[4]);
  const int passes = std::stoi(words[5]);
  const std::size_t arrays = kernel == "triad" ? 3 : kernel == "copy" ? 2 : 1;
  const std::size_t n =
      std::stoull(words[3]) / sizeof(double) / arrays / cores.size() / kGranule * kGranule;
  Team team(cores);
  const auto threads = static_cast<std::int64_t>(cores.size());
  const Arena arena(cores.size(), n * sizeof(double),
                    words[6] == "large" ? Arena::Pages::large : Arena::Pages::as_they_come);
  const auto own = [&](std::size_t i) { return arena.arrays(i, n * sizeof(double)); };
  team.run(threads, 0, [&](std::size_t i) {
    for (std::size_t k = 0; k < n; ++k) own(i).a[k] = own(i).b[k] = own(i).c[k] = 1;
  });
  for (int pass = -1; pass < passes; ++pass) {
    double work = static_cast<double>(arrays * n * sizeof(double) * cores.size()) *
                  static_cast<double>(repeats);
    std::vector<Chains> chains(cores.size());
    const double s = team.run(threads, 0, [&](std::size_t i) {
      if (kernel == "read") assay::do_not_optimize(read_words(own(i).a, n, repeats));
      if (kernel == "write") write_words(own(i).a, n, 42, stores, repeats);
      if (kernel == "copy") copy_words(own(i).a, own(i).b, n, stores, repeats);
      if (kernel == "triad") triad_words(own(i).a, own(i).b, own(i).c, n, 3, stores, repeats);
      if (kernel == "f32") chains[i] = multiply_add_f32(repeats, 1, 0x1p-10F);
      if (kernel == "f64") chains[i] = multiply_add_f64(repeats, 1, 0x1p-10);
    });
    if (kernel == "f32" || kernel == "f64") {
      work = 2 * static_cast<double>(repeats * chains[0].lanes) * static_cast<double>(threads);
    }
    if (pass >= 0) std::printf("%.6g\n", work / s);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 1 && words[0] == "--vector-bits") {
    std::printf("%d\n", static_cast<int>(ceiling_vector_bits()));
    return 0;
  }
  try {
    if (words.size() == 7) return measure(words);
    std::fprintf(stderr, "usage: ceiling_row KERNEL STORES CORES BYTES REPEATS PASSES PAGES\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ceiling_row: %s\n", error.what());
  }
  return 2;
}
