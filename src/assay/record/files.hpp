// SPDX-License-Identifier: MIT
//
// Files that are written carefully: every write is checked, a file or directory that exists is
// never taken over, and a write that fails in the middle leaves whole rows behind.
//
// Streams of the standard library are no help here: they hide errno, buffer what should be on disk
// and cannot create exclusively. A file-size limit (RLIMIT_FSIZE) is reported like a full disk: its
// signal is held back while writing, so nobody has to ignore it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "assay/base/error.hpp"

namespace assay::record {

// "cannot WHAT PATH: ERRNO TEXT. What to do." as Error{write}.
Error write_error(std::string_view what, const std::filesystem::path& path, int code);

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int fd() const noexcept { return fd_; }
  bool is_open() const noexcept { return fd_ >= 0; }
  int release() noexcept;

 private:
  int fd_ = -1;
};

// A file that only grows.
class AppendFile {
 public:
  // Throws Error{write}; also if there is such a file already.
  static AppendFile create(const std::filesystem::path& path);
  // An existing file to go on with. Throws Error{write}.
  static AppendFile reopen(const std::filesystem::path& path);

  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint64_t size_bytes() const noexcept { return size_bytes_; }

  // All of the text is with the kernel when this returns. Throws Error{write} after cutting the
  // file back to the last whole line that was written.
  void append(std::string_view text);
  void cut_to(std::uint64_t size_bytes);
  // On the disk (fsync). Throws Error{write}.
  void sync();
  // Throws Error{write}: some file systems tell only now. Nothing can be appended afterwards.
  void close();

 private:
  AppendFile(std::filesystem::path path, Descriptor file, std::uint64_t size_bytes)
      : path_(std::move(path)), file_(std::move(file)), size_bytes_(size_bytes) {}

  std::filesystem::path path_;
  Descriptor file_;
  std::uint64_t size_bytes_ = 0;
};

// What becomes of a file of that name which exists already.
enum class IfThere { refuse, replace };

// The whole file or nothing: written beside it as .NAME.part, synced and renamed. Throws
// Error{write}.
void write_file(const std::filesystem::path& path, std::string_view text, IfThere if_there);

// What write_file leaves behind if the process is killed.
bool is_partial_file(const std::filesystem::path& path);

// One new directory. False if the name is taken. Throws Error{write}.
bool make_directory(const std::filesystem::path& path);
// It and its parents, whatever of them is missing. Throws Error{write}.
void make_directories(const std::filesystem::path& path);
// Names in it are on the disk. File systems that cannot do this are not an error.
void sync_directory(const std::filesystem::path& path);

// Bytes in pieces of up to a MiB, in order, and so many at most. Throws Error{bad_input}.
void read_pieces(const std::filesystem::path& path,
                 const std::function<void(std::string_view)>& take,
                 std::uint64_t most_bytes = UINT64_MAX);
std::string read_file(const std::filesystem::path& path);
// Without its line end, and at most so many bytes of it. Throws Error{bad_input}.
std::string first_line(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace assay::record
