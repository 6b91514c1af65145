// SPDX-License-Identifier: MIT
//
// NVRTC: the CUDA compiler as a library, opened at run time, and what a compilation gives: machine
// code, PTX, and what the assembler says of each kernel. Compiling for a named architecture needs
// no device and no driver. compile_cache.hpp keeps results; this header knows nothing of that.
// Internal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::device::cuda {

struct SourceCode {
  std::string source;
  std::string file_name;  // for messages; quoted includes are looked for in its folder
  // As for nvcc: "-DN=4", "--use_fast_math". One -arch=sm_… among them stands in for architecture.
  std::vector<std::string> options;
  std::string architecture;        // "sm_90"
  std::vector<std::string> names;  // kernels: "sum", or of a template "sum<float, 4>"
};

// What the assembler printed of one kernel.
struct CompiledKernel {
  std::string name;                                             // as it is in the machine code
  Reading<std::int64_t> registers = Missing{"not-in-log", ""};  // of a thread
  Reading<std::int64_t> static_shared_bytes = Missing{"not-in-log", ""};  // of a block
  Reading<std::int64_t> stack_bytes = Missing{"not-in-log", ""};          // of a thread, as below
  Reading<std::int64_t> spill_store_bytes = Missing{"not-in-log", ""};
  Reading<std::int64_t> spill_load_bytes = Missing{"not-in-log", ""};
};

struct Compiled {
  std::string architecture;          // that was compiled for
  std::string compiler;              // "NVRTC 13.0 (V13.0.88)"
  std::vector<std::string> options;  // all that were given to it, in order
  std::string cubin;
  std::string ptx;
  std::string log;
  std::int64_t compile_ns = 0;
  std::map<std::string, std::string> lowered_names;  // of SourceCode::names
};

class Nvrtc {
 public:
  // The first library of the names that opens and has everything. Missing: "no-nvrtc" with what the
  // loader said of each, "nvrtc-too-old" with the first function that it lacks.
  static Reading<Nvrtc> open(const std::vector<std::string>& names);

  int major() const noexcept { return major_; }
  int minor() const noexcept { return minor_; }
  const std::string& path() const noexcept { return path_; }
  // What tells compilers apart that give different code: the version and the library's size, which
  // differs between the updates of one version.
  const std::string& identity() const noexcept { return identity_; }
  // Architectures that it compiles for: {75, 80, 90}.
  std::vector<int> architectures() const;

  // Options are those of the code, then the architecture, the assembler's report, and the folders
  // of the toolkit's own headers, where they lie beside the library. Throws Error{bad_input} with
  // the first messages of the log for code or options that cannot be compiled, and
  // Error{device} if the compiler itself failed.
  Compiled compile(const SourceCode& code) const;

 private:
  struct Functions;
  Nvrtc() = default;

  std::shared_ptr<const Functions> functions_;
  int major_ = 0;
  int minor_ = 0;
  std::string path_;
  std::string identity_;
};

// Where NVRTC is looked for, in order: $ASSAY_NVRTC_LIBRARY alone if it is set; else the loader's
// own search, then $CUDA_HOME/lib64 and /usr/local/cuda/lib64.
std::vector<std::string> nvrtc_names();

// Opened once a process.
const Reading<Nvrtc>& nvrtc();

// Folders of the toolkit's headers (cuda_fp16.h and the like), if they lie beside the library.
std::vector<std::filesystem::path> toolkit_includes(const std::filesystem::path& library);

// The kernels that the log of a compilation with --ptxas-options=-v tells of.
std::vector<CompiledKernel> kernels_in(const std::string& log);
// The one of that name; all of its values are Missing if the log does not tell of it.
CompiledKernel kernel_in(const std::string& log, const std::string& name);

// The first few errors of a log, without the warnings.
std::string first_errors(const std::string& log);

// The architecture that an option among these names; empty if none does.
std::string architecture_in(const std::vector<std::string>& options);

}  // namespace assay::device::cuda
