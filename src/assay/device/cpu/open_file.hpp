// SPDX-License-Identifier: MIT
//
// A small file of /proc or /sys that is read again and again: opened once, since opening costs as
// much as reading. Internal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "assay/base/sources.hpp"

namespace assay::device {

class OpenFile {
 public:
  // No file: every reading is missing for that reason.
  explicit OpenFile(Missing why) : why_(std::move(why)) {}
  OpenFile(const Sources& sources, const std::string& path);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  // What it holds now, up to 64 KiB; valid until the next reading. Missing: "no-such-file",
  // "not-permitted", "unreadable".
  Reading<std::string_view> text();
  // The whole text as one integer of at least 0. Missing besides: "not-understood".
  Reading<std::int64_t> count();
  // Of the first line "KEY<blanks>[:<blanks>]VALUE". Missing besides: "no-such-field".
  Reading<std::int64_t> count_of(std::string_view key);

 private:
  std::string path_;
  Missing why_;
  int fd_ = -1;
  std::string buffer_;
};

// An integer of at least 0, or Missing "not-understood".
Reading<std::int64_t> count_from(std::string_view text);
// value · factor, or Missing "not-understood" where that is no number any more.
Reading<std::int64_t> times(const Reading<std::int64_t>& value, std::int64_t factor);
// The rest of the first line that begins with `key` and a blank, colon or tab after it.
Reading<std::string_view> line_of(std::string_view text, std::string_view key);

}  // namespace assay::device
