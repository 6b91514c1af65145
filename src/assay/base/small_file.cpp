// SPDX-License-Identifier: MIT
#include "assay/base/small_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace assay {

Reading<std::string> read_small_file(const std::filesystem::path& file, std::uintmax_t most_bytes) {
  std::error_code trouble;
  const auto type = std::filesystem::status(file, trouble).type();
  if (type == std::filesystem::file_type::not_found) {
    return Missing{"no-such-file", "there is no such file"};
  }
  if (type == std::filesystem::file_type::none) return Missing{"unreadable", trouble.message()};
  if (type == std::filesystem::file_type::directory)
    return Missing{"not-a-file", "it is a folder and not a file"};
  if (type != std::filesystem::file_type::regular) {
    return Missing{"not-a-file", "it is a device, a pipe or a socket, and no regular file"};
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open()) return Missing{"unreadable", std::strerror(errno)};
  std::string text;
  std::string piece(std::size_t{64} << 10, '\0');
  while (stream && text.size() <= most_bytes) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(stream.gcount()));
  }
  if (text.size() > most_bytes) {
    return Missing{"too-large", "it has more than " + std::to_string(most_bytes) + " bytes"};
  }
  if (stream.bad()) return Missing{"unreadable", std::strerror(errno)};
  return text;
}

}  // namespace assay
