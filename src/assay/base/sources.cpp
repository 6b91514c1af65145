// SPDX-License-Identifier: MIT
#include "assay/base/sources.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "assay/base/json.hpp"

namespace assay {

Missing missing_file(const std::string& path, int code) {
  const std::string detail = path + ": " + std::strerror(code);
  if (code == ENOENT || code == ENOTDIR) return Missing{"no-such-file", detail};
  if (code == EACCES || code == EPERM) return Missing{"not-permitted", detail};
  return Missing{"unreadable", detail};
}

std::string as_utf8(const std::string& text) {
  const auto replace = Json::error_handler_t::replace;
  return Json::parse(Json(text).dump(-1, ' ', false, replace)).get<std::string>();
}

Missing not_understood(std::string_view text) {
  return Missing{"not-understood", "found '" + as_utf8(std::string(text.substr(0, 80))) + "'"};
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

Reading<std::int64_t> integer_from(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return not_understood(text);
  return value;
}

Reading<double> number_from(std::string_view text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return not_understood(text);
  }
  return value;
}

Reading<std::vector<int>> list_from(std::string_view text) {
  // More processors than any machine has: a range that large is not a list of processors.
  constexpr std::int64_t most = 1 << 16;
  std::vector<int> numbers;
  for (const auto& part : split(text, ',')) {
    const auto dash = part.find('-');
    const auto first = integer_from(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : integer_from(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > most) {
      return not_understood(text);
    }
    for (auto number = *first; number <= *last; ++number) {
      numbers.push_back(static_cast<int>(number));
    }
  }
  if (numbers.empty()) return not_understood(text);
  return numbers;
}

Reading<std::int64_t> bytes_from(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = integer_from(text.substr(0, digits));
  const std::string_view unit = trimmed(text.substr(digits));
  std::int64_t factor = 1;
  if (unit == "K" || unit == "kB") {
    factor = std::int64_t{1} << 10;
  } else if (unit == "M") {
    factor = std::int64_t{1} << 20;
  } else if (unit == "G") {
    factor = std::int64_t{1} << 30;
  } else if (!unit.empty()) {
    return not_understood(text);
  }
  constexpr std::int64_t largest = std::int64_t{1} << 62;
  if (!number || *number > largest / factor) return not_understood(text);
  return *number * factor;
}

Reading<std::string> chosen_from(std::string_view text) {
  const auto begin = text.find('[');
  const auto end = text.find(']');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return not_understood(text);
  }
  return std::string(text.substr(begin + 1, end - begin - 1));
}

std::filesystem::path Sources::on_disk(const std::string& path) const {
  ASSAY_EXPECTS(!path.empty() && path.front() == '/');
  return root_ / path.substr(1);
}

Reading<std::string> Sources::text(const std::string& path) const {
  // Files of /proc say that their size is 0; a limit keeps a surprise from filling the memory.
  constexpr std::size_t largest_bytes = std::size_t{16} << 20;
  const int fd = ::open(on_disk(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return missing_file(path, errno);
  std::string text;
  char buffer[4096];
  ssize_t size = 0;
  do {
    size = ::read(fd, buffer, sizeof buffer);
    if (size > 0) text.append(buffer, static_cast<std::size_t>(size));
  } while ((size > 0 && text.size() < largest_bytes) || (size < 0 && errno == EINTR));
  const int code = errno;
  ::close(fd);
  if (size < 0) return missing_file(path, code);
  return text;
}

Reading<std::string> Sources::word(const std::string& path) const {
  return text(path).transform(
      [](const std::string& text) { return as_utf8(std::string(trimmed(text))); });
}

Reading<std::int64_t> Sources::integer(const std::string& path) const {
  const auto text = word(path);
  if (!text) return text.missing();
  return integer_from(*text);
}

Reading<std::string> Sources::field(const std::string& path, std::string_view key,
                                    char separator) const {
  const auto all = text(path);
  if (!all) return all.missing();
  for (const auto& line : split(*all, '\n')) {
    const auto at = line.find(separator);
    if (at != std::string::npos && trimmed(std::string_view(line).substr(0, at)) == key) {
      return as_utf8(std::string(trimmed(std::string_view(line).substr(at + 1))));
    }
  }
  return Missing{"no-such-field", path + " has no '" + std::string(key) + "'"};
}

bool Sources::exists(const std::string& path) const {
  std::error_code ignored;
  return std::filesystem::exists(on_disk(path), ignored);
}

Reading<std::string> Sources::link(const std::string& path) const {
  std::error_code failure;
  const auto target = std::filesystem::read_symlink(on_disk(path), failure);
  if (failure) return missing_file(path, failure.value());
  return as_utf8(target.string());
}

std::vector<std::string> Sources::names(const std::string& path) const {
  std::vector<std::string> names;
  std::error_code failure;
  for (auto entry = std::filesystem::directory_iterator(on_disk(path), failure);
       !failure && entry != std::filesystem::directory_iterator(); entry.increment(failure)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace assay
