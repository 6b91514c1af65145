// SPDX-License-Identifier: MIT
//
// The one exception type of Assay, and the check for a caller's bug.
//
// Three kinds of trouble exist. A caller's bug (a broken precondition) fails ASSAY_EXPECTS in every
// build. An operation that failed (a file, a driver, a malformed record) throws Error with a kind,
// which the command line turns into a documented exit status. A value that is not available is
// neither: it is data, a Reading<T> (reading.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace assay {

// What kind of operation failed; the exit status that the command line gives it stands beside it.
enum class ErrorKind {
  usage,      // 2: the command line or the call makes no sense
  nothing,    // 3: nothing was measured
  bad_input,  // 4: an experiment file, a plan or a record is wrong, or verification found a
              // difference
  device,     // 5: a device could not do what was asked
  worker,     // 5: a worker process crashed, hung or spoke nonsense
  write,      // 5: a file could not be written
  bug,        // 70: a precondition of ours was broken
};

// message: what was tried, on what, why it failed, and what to do about it. native_code: errno, or
// a driver's status; 0 if none.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, long native_code = 0)
      : std::runtime_error(message), kind_(kind), native_code_(native_code) {}

  ErrorKind kind() const noexcept { return kind_; }
  long native_code() const noexcept { return native_code_; }

 private:
  ErrorKind kind_;
  long native_code_;
};

namespace detail {
[[noreturn]] inline void broken_expectation(const char* condition, const char* file, int line) {
  throw Error(ErrorKind::bug, std::string("broken precondition: ") + condition + " (" + file + ":" +
                                  std::to_string(line) + ")");
}
}  // namespace detail

}  // namespace assay

// A caller's bug: checked in every build, never inside a timed interval.
#define ASSAY_EXPECTS(condition)      \
  ((condition) ? static_cast<void>(0) \
               : ::assay::detail::broken_expectation(#condition, __FILE__, __LINE__))
