// SPDX-License-Identifier: MIT
//
// TemporaryPath: a file or a folder of this process's own that nobody needs afterwards, such as the
// log of a process before there is a record. It is removed with the object; and because whom a
// second Ctrl-C ends destroys no objects, the handler of that signal can remove what there is.
// Internal: a user's program never sees it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace assay {

class TemporaryPath {
 public:
  enum class Kind { file, folder };
  // Empty, in the folder for temporary files (TMPDIR), under a name that nobody else has. Throws
  // Error{write}.
  explicit TemporaryPath(Kind kind);
  ~TemporaryPath();  // with all that is in it
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<std::size_t> place_;  // among those that a handler removes
};

// Removes those of all objects that there are. For the handler of a signal that ends the process
// next: it does only what a handler may.
void remove_temporary_paths() noexcept;

}  // namespace assay
