// SPDX-License-Identifier: MIT
//
// SourceKernel and LoadedKernel: a kernel given as source text, and what a device made of it:
// compiled, loaded, and ready to be launched on a stream without a look-up. Internal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "assay/base/dim3.hpp"
#include "assay/base/reading.hpp"

namespace assay::device {

struct SourceKernel {
  std::string source;
  std::string file_name;             // for messages; quoted includes are looked for in its folder
  std::string kernel;                // its name, or of a template an expression: "sum<float, 4>"
  std::vector<std::string> options;  // of the compiler
};

// Per thread, if not said otherwise.
struct KernelResources {
  Reading<std::int64_t> registers = Missing{"not-asked", ""};
  Reading<std::int64_t> static_shared_bytes = Missing{"not-asked", ""};  // of a block
  Reading<std::int64_t> local_bytes = Missing{"not-asked", ""};          // the stack
  Reading<std::int64_t> spill_store_bytes = Missing{"not-asked", ""};
  Reading<std::int64_t> spill_load_bytes = Missing{"not-asked", ""};
  Reading<std::int64_t> max_threads = Missing{"not-asked", ""};  // of a block
};

// How many threads a multiprocessor can hold of a kernel, at one block size.
struct Occupancy {
  std::int64_t blocks = 0;  // at once on a multiprocessor
  std::int64_t warps = 0;
  double warps_frac = 0;  // of those that a multiprocessor can hold
  // "blocks", "threads", "registers", "shared-memory": what keeps one more block out.
  Reading<std::string> limited_by = Missing{"not-asked", ""};
};

// How the code came about.
struct KernelOrigin {
  std::string kernel;        // as asked for
  std::string lowered_name;  // as it is in the machine code
  std::string architecture;  // "sm_90"
  std::string compiler;      // "NVRTC 13.0 (V13.0.88)"
  std::vector<std::string> options;
  std::string source_sha256;
  std::string cubin_sha256;
  std::string ptx_sha256;
  std::int64_t compile_ns = 0;   // of the compilation, now or when it was put into the cache
  std::int64_t obtained_ns = 0;  // what it took this time
  bool is_from_cache = false;
  // Where copies lie until the cache is emptied.
  Reading<std::filesystem::path> cubin_file = Missing{"not-asked", ""};
  Reading<std::filesystem::path> ptx_file = Missing{"not-asked", ""};
};

class LoadedKernel;

// Machine code that was made of a kernel's source and is not on the device yet.
class KernelCode {
 public:
  virtual ~KernelCode() = default;
  // Nothing is done in it that the device does not need. Throws Error{device}.
  virtual std::unique_ptr<LoadedKernel> load() const = 0;
};

class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;

  // Once before launches with such blocks: throws Error{bad_input} if the device cannot run them,
  // and allows as much dynamic shared memory as is asked for.
  virtual void allow(const Dim3& grid, const Dim3& block, std::int64_t shared_bytes) = 0;
  // Enqueues; arguments point to the values of the kernel's parameters, in order. Throws
  // Error{device}.
  virtual void launch(const Dim3& grid, const Dim3& block, std::int64_t shared_bytes, void* stream,
                      void** arguments) = 0;

  virtual const KernelOrigin& origin() const = 0;
  virtual const KernelResources& resources() const = 0;
  // The size of each of its parameters in bytes, in order.
  virtual const Reading<std::vector<std::int64_t>>& parameter_bytes() const = 0;
  virtual Reading<Occupancy> occupancy(const Dim3& block, std::int64_t shared_bytes) const = 0;
};

}  // namespace assay::device
