// SPDX-License-Identifier: MIT
//
// The measured limits of a machine or of a device in it, as the worker that measured them says
// them, the machine's state keeps them and a plan copies them: rates of simple kernels in each
// level of the memory, rates of arithmetic, and what a call costs that does nothing. Plain data;
// what follows from them for a subject is model/ceilings.hpp's.
//
// Of a device that is not made of the machine's cores `cores` is empty, and every row is of 1
// thread: a kernel there uses all of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay {

// One number from several passes. A limit is the best of them: whatever disturbs a pass makes it
// worse. How far the others lie from it says how much disturbed them.
struct Passes {
  double best = 0;  // the highest rate, or the shortest time
  double median = 0;
  std::int64_t count = 0;

  friend bool operator==(const Passes&, const Passes&) = default;
};

// A kind of cache, or the memory behind all of them.
struct MemoryLevel {
  std::string name;  // "L1", "L2", "L3", "memory": the nearest first, the memory last
  Reading<std::int64_t> bytes = Missing{"not-measured", ""};  // that one of them holds
  std::int64_t count = 1;  // that the measured cores have between them

  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

// Bytes per second, counted as what the kernel names: a copy reads and writes, a triad reads two
// arrays and writes one. What the machine moves besides (a line that is read because a part of it
// is written) is not counted.
struct BandwidthCeiling {
  std::string level;
  std::string kernel;  // "read", "write", "copy", "triad"
  std::string stores;  // "none" (it only reads), "regular", "non-temporal"
  std::int64_t threads = 1;
  std::int64_t array_bytes = 0;  // of each array, over all threads
  Reading<Passes> bytes_per_s = Missing{"not-measured", ""};
  std::string way = {};  // which of several ways to launch it is the best; empty: there is one

  friend bool operator==(const BandwidthCeiling&, const BandwidthCeiling&) = default;
};

inline constexpr const char* multiply_add_name = "multiply-add";
inline constexpr const char* matrix_product_name = "matrix-product";

// Multiplications and additions, each counted as one operation.
struct ComputeCeiling {
  std::string dtype;  // "f32", "f64", "bf16"
  std::int64_t threads = 1;
  Reading<Passes> flop_per_s = Missing{"not-measured", ""};
  std::string kernel = multiply_add_name;  // in registers; or matrix_product_name, which moves data
  std::string library = {};                // whose kernel it is, with its version; empty: Assay's

  friend bool operator==(const ComputeCeiling&, const ComputeCeiling&) = default;
};

// What is paid for a call whatever it does.
struct CallCost {
  std::string
      name;  // "empty-iteration": of the loop around a subject that does nothing;
             // "erased-call": of such a loop of one iteration, called through its interface;
             // "empty-kernel": a device's kernel that does nothing, by its default timer
  Reading<Passes> ns = Missing{"not-measured", ""};

  friend bool operator==(const CallCost&, const CallCost&) = default;
};

struct MachineCeilings {
  std::string instructions;        // what the kernels were compiled for: "AVX3", "sm_90"
  std::int64_t vector_bits = 0;    // of the registers that they use; 0 on a device
  std::vector<int> cores;          // a row of n threads ran on n of them, one each
  std::int64_t cores_allowed = 0;  // more, where several share the parts of one; 0 on a device
  double took_s = 0;
  std::vector<MemoryLevel> levels;
  std::vector<BandwidthCeiling> bandwidths;
  std::vector<ComputeCeiling> compute;
  std::vector<CallCost> calls;

  bool are_of_device() const { return cores.empty(); }
  friend bool operator==(const MachineCeilings&, const MachineCeilings&) = default;
};

inline constexpr const char* memory_level_name = "memory";
inline constexpr const char* empty_iteration_name = "empty-iteration";
inline constexpr const char* erased_call_name = "erased-call";
inline constexpr const char* empty_kernel_name = "empty-kernel";

}  // namespace assay
