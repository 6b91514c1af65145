// SPDX-License-Identifier: MIT
//
// Reading the small text files of /proc and /sys below a root, with the reason when one cannot be
// read. What they say of the machine is for env (once, for the record) and device (during the run)
// to tell. Internal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/reading.hpp"

namespace assay {

// As JSON can hold it: what is no UTF-8 becomes U+FFFD.
std::string as_utf8(const std::string& text);

Missing not_understood(std::string_view text);

std::string_view trimmed(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);

// A whole integer, or Missing "not-understood".
Reading<std::int64_t> integer_from(std::string_view text);
Reading<double> number_from(std::string_view text);

// "0-3,8": 0 1 2 3 8, as the kernel writes lists of processors.
Reading<std::vector<int>> list_from(std::string_view text);

// "32K", "4096 kB", "1M": bytes.
Reading<std::int64_t> bytes_from(std::string_view text);

// Of "always [madvise] never": madvise.
Reading<std::string> chosen_from(std::string_view text);

// Why a file could not be opened or read, by errno: "no-such-file", "not-permitted" or
// "unreadable".
Missing missing_file(const std::string& path, int code);

class Sources {
 public:
  explicit Sources(std::filesystem::path root) : root_(std::move(root)) {}

  // path: absolute, "/proc/loadavg". Missing: "no-such-file", "not-permitted" or "unreadable".
  Reading<std::string> text(const std::string& path) const;
  // Without blanks and line ends around it.
  Reading<std::string> word(const std::string& path) const;
  Reading<std::int64_t> integer(const std::string& path) const;
  // The value of the first line "KEY<blanks><separator>VALUE".
  Reading<std::string> field(const std::string& path, std::string_view key, char separator) const;
  bool exists(const std::string& path) const;
  // Names in a folder, sorted; empty if it cannot be read.
  std::vector<std::string> names(const std::string& path) const;
  // What a symbolic link holds.
  Reading<std::string> link(const std::string& path) const;

  const std::filesystem::path& root() const { return root_; }
  // Whether the files are those of the machine that runs this: only then may it be asked directly.
  bool is_this_machine() const { return root_ == "/"; }

  // Where such a path lies below the root.
  std::filesystem::path on_disk(const std::string& path) const;

 private:
  std::filesystem::path root_;
};

}  // namespace assay
