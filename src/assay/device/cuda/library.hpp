// SPDX-License-Identifier: MIT
//
// Library: a shared library opened at run time, and the functions of it. The parts of CUDA (driver,
// compiler, profiler, management) are opened so: one binary serves machines with and without them,
// and what is missing is data with a reason, not a failure to start. Internal.
#pragma once

#include <string>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay::device::cuda {

class Library {
 public:
  // The first of the names that opens: sonames are tried in order, then paths. Missing
  // {"not-found", …} says what the loader said of each.
  static Reading<Library> open(const std::vector<std::string>& names);

  // Where the parts of a toolkit may be: the file that the variable of the environment names,
  // alone; else the sonames as the loader finds them, and in $CUDA_HOME/lib64 and
  // /usr/local/cuda/lib64.
  static std::vector<std::string> names_in_toolkit(const char* variable,
                                                   const std::vector<std::string>& sonames);

  // nullptr if the library has no such symbol.
  void* find(const char* symbol) const noexcept;
  // As it was opened.
  const std::string& name() const noexcept { return name_; }
  // Where the loader found it; the name if it does not say.
  std::string path() const;

 private:
  Library(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}

  std::string name_;
  // Never closed: the drivers keep threads and handlers of their own that outlive any scope here.
  void* handle_;
};

}  // namespace assay::device::cuda
