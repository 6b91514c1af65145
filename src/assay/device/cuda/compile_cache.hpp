// SPDX-License-Identifier: MIT
//
// CompileCache: results of compilations in files, so that the fresh process of each trial need not
// compile again. An entry is KEY.json with KEY.cubin and KEY.ptx; the key is the SHA-256 of all
// that the result depends on. Anything may happen to the files: an entry that is not whole is
// compiled anew and replaced, writers do not disturb each other, and a folder that cannot be
// written costs time, not the result. Internal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "assay/device/cuda/nvrtc.hpp"

namespace assay::device::cuda {

struct Obtained {
  Compiled compiled;  // compile_ns is of the compilation that made the entry
  bool is_from_cache = false;
  std::int64_t obtained_ns = 0;  // what it took now
  // Absent, with the reason, if the result cannot be kept: "computed-include", …
  Reading<std::string> key = Missing{"not-asked", ""};
  // Where the machine code lies; the PTX lies beside it. Missing as the key, or "not-writable".
  Reading<std::filesystem::path> cubin_file = Missing{"not-asked", ""};
  Reading<std::filesystem::path> ptx_file = Missing{"not-asked", ""};
};

class CompileCache {
 public:
  using Compile = std::function<Compiled(const SourceCode&)>;

  // is_forced: entries are written, not read.
  explicit CompileCache(Reading<std::filesystem::path> folder, bool is_forced = false)
      : folder_(std::move(folder)), is_forced_(is_forced) {}
  // $ASSAY_CACHE_DIR, else $XDG_CACHE_HOME/assay, else ~/.cache/assay; ASSAY_FORCE_COMPILE=1
  // forces.
  static CompileCache from_environment();

  // From the cache, else by compile(code), which may throw; nothing else here does. compiler: what
  // tells it from others. toolkit: folders that it searches for headers besides those of the
  // options.
  Obtained get(const SourceCode& code, const std::string& compiler,
               const std::vector<std::filesystem::path>& toolkit, const Compile& compile) const;
  Obtained get(const SourceCode& code, const Nvrtc& nvrtc) const;

 private:
  Reading<std::filesystem::path> folder_;
  bool is_forced_;
};

// SHA-256 of the source, the names, the options in their order, the architecture, the compiler and
// the contents of included files. Missing where these cannot be told, or where an option makes the
// compiler read or write other files (precompiled headers, traces).
Reading<std::string> cache_key(const SourceCode& code, const std::string& compiler,
                               const std::vector<std::filesystem::path>& toolkit);

}  // namespace assay::device::cuda
