// SPDX-License-Identifier: MIT
//
// The mark: one shared page in which a worker notes which subject it is about to run, so that the
// parent can name the subject when the worker dies. A message per subject would wake the parent in
// the middle of a block; a store does not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace assay::wire {

class Mark {
 public:
  // Parent: a new page; fd() is inherited by the worker, which finds it in ASSAY_MARK_FD. Throws
  // Error{device}.
  static Mark create();
  // Worker: the page of ASSAY_MARK_FD; a Mark that notes nothing if the variable is absent or
  // wrong.
  static Mark from_environment();

  Mark(Mark&& other) noexcept;
  Mark& operator=(Mark&& other) noexcept;
  ~Mark();

  int fd() const noexcept { return fd_; }
  // A name longer than the page holds is cut. Empty: none is running.
  void set(const std::string& subject) noexcept;
  std::string subject() const;

 private:
  Mark() = default;
  int fd_ = -1;
  char* page_ = nullptr;
};

}  // namespace assay::wire
