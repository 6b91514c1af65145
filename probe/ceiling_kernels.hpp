// SPDX-License-Identifier: MIT
//
// The kernels of the ceilings, each compiled for every instruction set that the processor might
// have; the best of those is picked at run time. They leave results that can be checked, so that
// none can be left out by a compiler, and are written with explicit vectors, so that they do not
// depend on what the build's optimisation makes of loops.
//
// n: elements, a multiple of kGranule; arrays are aligned to kAlignment bytes. repeats: how often
// the same is done again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::probe {

inline constexpr std::size_t kGranule = 64;  // doubles: eight vectors of 64 bytes
inline constexpr std::size_t kAlignment = 64;

enum class Stores { regular, non_temporal };

// The sum of all words, as integers that wrap around, times repeats.
std::uint64_t read_words(const double* a, std::size_t n, std::int64_t repeats);
// a = value
void write_words(double* a, std::size_t n, double value, Stores stores, std::int64_t repeats);
// a = b
void copy_words(double* a, const double* b, std::size_t n, Stores stores, std::int64_t repeats);
// a = b + factor · c
void triad_words(double* a, const double* b, const double* c, std::size_t n, double factor,
                 Stores stores, std::int64_t repeats);

// steps multiplications and additions in each lane of every chain: x = x · factor + term. Each
// chain begins at a number of its own: a compiler would make one of those that are the same.
// Returns by how much the sum over all lanes grew (with a factor of 1: lanes · steps · term), and
// how many lanes there are: 2 · steps · lanes operations were done.
struct Chains {
  double growth = 0;
  std::int64_t lanes = 0;
};
Chains multiply_add_f32(std::int64_t steps, float factor, float term);
Chains multiply_add_f64(std::int64_t steps, double factor, double term);

// "AVX3": the instruction set that was picked, as Highway calls it; and how wide its vectors are.
const char* ceiling_instructions();
std::int64_t ceiling_vector_bits();

}  // namespace assay::probe
