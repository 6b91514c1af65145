// SPDX-License-Identifier: MIT
#include "assay/record/bag.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

namespace fs = std::filesystem;

struct Listing {
  std::set<std::string> files;   // relative to the bag, with /
  std::set<std::string> others;  // links, sockets and the like: no bag holds them
  std::uint64_t bytes = 0;
};

Listing payload_of(const fs::path& bag) {
  Listing listing;
  for (const auto& entry : fs::recursive_directory_iterator(bag / "data")) {
    const std::string name = entry.path().lexically_relative(bag).generic_string();
    if (entry.is_symlink() || (!entry.is_directory() && !entry.is_regular_file())) {
      listing.others.insert(name);
    } else if (entry.is_regular_file()) {
      listing.files.insert(name);
      listing.bytes += entry.file_size();
    }
  }
  return listing;
}

std::string oxum(const Listing& listing) {
  return std::to_string(listing.bytes) + "." + std::to_string(listing.files.size());
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string manifest_of(const fs::path& bag, const std::set<std::string>& files,
                        const std::map<std::string, std::string>& known_digests) {
  std::string text;
  for (const auto& file : files) {
    const auto known = known_digests.find(file);
    text += known == known_digests.end() ? sha256_hex_of_file(bag / file) : known->second;
    text += "  " + encoded_path(file) + "\n";
  }
  return text;
}

// "a/../b" and "/b" could make a verifier read files that are not the bag's.
bool stays_inside(const std::string& path) {
  const fs::path relative(path);
  return relative.is_relative() && !path.empty() &&
         std::none_of(relative.begin(), relative.end(),
                      [](const fs::path& part) { return part == ".." || part == "."; });
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Path to digest. A line that is none is a difference; so is the file itself when it is missing.
std::map<std::string, std::string> read_manifest(const fs::path& bag, const char* name,
                                                 std::vector<std::string>& differences) {
  std::map<std::string, std::string> entries;
  if (!fs::is_regular_file(bag / name)) {
    differences.push_back(std::string(name) + " is missing");
    return entries;
  }
  const std::string text = read_file(bag / name);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    const auto path_at = line.find_first_not_of(" \t", std::min<std::size_t>(64, line.size()));
    const std::string path = path_at == std::string::npos || path_at == 64
                                 ? std::string()
                                 : decoded_path(line.substr(path_at));
    if (!is_sha256(line.substr(0, 64)) || !stays_inside(path)) {
      differences.push_back(std::string(name) + ":" + std::to_string(number) +
                            ": not a SHA-256 digest and the path of a file in the bag");
    } else if (!entries.emplace(path, line.substr(0, 64)).second) {
      differences.push_back(std::string(name) + " lists " + path + " twice");
    }
  }
  return entries;
}

void compare_with_manifest(const fs::path& bag, const char* name,
                           const std::map<std::string, std::string>& entries,
                           const std::set<std::string>& files,
                           std::vector<std::string>& differences) {
  for (const auto& [file, digest] : entries) {
    if (files.count(file) == 0) {
      differences.push_back(file + " is missing; " + name + " lists it");
      continue;
    }
    try {
      if (sha256_hex_of_file(bag / file) != digest) {
        differences.push_back(file + " was changed: its SHA-256 is not the one in " + name);
      }
    } catch (const Error& error) {
      differences.push_back(error.what());
    }
  }
  for (const auto& file : files) {
    if (entries.count(file) == 0) {
      differences.push_back(file + " was added: " + name + " does not list it");
    }
  }
}

void compare_tag_files(const fs::path& bag, std::vector<std::string>& differences) {
  std::set<std::string> tag_files;
  for (const auto& entry : fs::directory_iterator(bag)) {
    const std::string name = entry.path().filename().string();
    if (name != "data" && name != tag_manifest_name) tag_files.insert(name);
  }
  const auto entries = read_manifest(bag, tag_manifest_name, differences);
  for (const char* needed : {"bagit.txt", "bag-info.txt", manifest_name}) {
    if (entries.count(needed) == 0 && fs::exists(bag / tag_manifest_name)) {
      differences.push_back(std::string(tag_manifest_name) + " does not list " + needed);
      tag_files.erase(needed);
    }
  }
  if (fs::exists(bag / tag_manifest_name)) {
    compare_with_manifest(bag, tag_manifest_name, entries, tag_files, differences);
  }
  if (!fs::is_regular_file(bag / "bagit.txt")) {
    if (entries.count("bagit.txt") == 0) differences.push_back("bagit.txt is missing");
  } else if (read_file(bag / "bagit.txt") != bag_declaration) {
    differences.push_back("bagit.txt does not declare BagIt 1.0 in UTF-8");
  }
}

}  // namespace

std::string encoded_path(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (c == '%') {
      text += "%25";
    } else if (c == '\n') {
      text += "%0A";
    } else if (c == '\r') {
      text += "%0D";
    } else {
      text += c;
    }
  }
  return text;
}

std::string decoded_path(std::string_view path) {
  std::string text;
  while (!path.empty()) {
    const std::string_view code = path.substr(0, 3);
    char c = path.front();
    std::size_t size = 3;
    if (code == "%25") {
      c = '%';
    } else if (code == "%0A" || code == "%0a") {
      c = '\n';
    } else if (code == "%0D" || code == "%0d") {
      c = '\r';
    } else {
      size = 1;
    }
    text += c;
    path.remove_prefix(size);
  }
  return text;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t size = first < 0x80                     ? 1
                             : first >= 0xC2 && first <= 0xDF ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
    if (size == 0 || size > text.size()) return false;
    for (std::size_t i = 1; i < size; ++i) {
      if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return false;
    }
    // Overlong forms, surrogates and code points beyond the last one.
    const auto second = size > 1 ? static_cast<unsigned char>(text[1]) : 0x80U;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
      return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

void write_bag(const fs::path& bag, const std::map<std::string, std::string>& info,
               const std::map<std::string, std::string>& known_digests) {
  const Listing payload = payload_of(bag);
  if (!payload.others.empty()) {
    throw Error(ErrorKind::bad_input, "cannot seal " + bag.string() + ": " +
                                          *payload.others.begin() +
                                          " is not a regular file; remove it");
  }
  for (const auto& file : payload.files) {
    if (!is_utf8(file)) {
      throw Error(ErrorKind::bad_input, "cannot seal " + bag.string() + ": the name of " + file +
                                            " is not UTF-8; rename it");
    }
  }
  std::string info_text;
  for (const auto& [label, value] : info) {
    ASSAY_EXPECTS(!label.empty() && label.find_first_of(":\r\n") == std::string::npos);
    ASSAY_EXPECTS(label != "Payload-Oxum");
    info_text += label + ": " + one_line(value) + "\n";
  }
  info_text += "Payload-Oxum: " + oxum(payload) + "\n";
  const std::string manifest = manifest_of(bag, payload.files, known_digests);

  std::string tag_manifest;
  tag_manifest += sha256_hex(info_text) + "  bag-info.txt\n";
  tag_manifest += sha256_hex(bag_declaration) + "  bagit.txt\n";
  tag_manifest += sha256_hex(manifest) + "  " + manifest_name + "\n";

  std::vector<fs::path> written;
  const auto write = [&](std::string_view name, std::string_view text) {
    write_file(bag / name, text, IfThere::refuse);
    written.push_back(bag / name);
  };
  try {
    write("bagit.txt", bag_declaration);
    write("bag-info.txt", info_text);
    write(tag_manifest_name, tag_manifest);
    write(manifest_name, manifest);
  } catch (...) {
    // Sealed or not, nothing in between: it can be tried again.
    std::error_code ignored;
    for (const auto& file : written) fs::remove(file, ignored);
    throw;
  }
}

bool is_bag(const fs::path& bag) { return fs::exists(bag / manifest_name); }

std::optional<std::string> bag_info(const fs::path& bag, std::string_view label) {
  if (!fs::is_regular_file(bag / "bag-info.txt")) return std::nullopt;
  const std::string text = "\n" + read_file(bag / "bag-info.txt");
  const std::string wanted = "\n" + std::string(label) + ": ";
  const auto at = text.find(wanted);
  if (at == std::string::npos) return std::nullopt;
  const auto begin = at + wanted.size();
  return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
}

std::string record_name(const fs::path& record) {
  if (const auto name = bag_info(record, "External-Identifier"); name && is_bag(record)) {
    return *name;
  }
  std::error_code nowhere;  // an empty path is no place
  const fs::path path = fs::absolute(record, nowhere).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

std::vector<std::string> bag_differences(const fs::path& bag) {
  std::vector<std::string> differences;
  compare_tag_files(bag, differences);
  const Listing payload = payload_of(bag);
  const auto entries = read_manifest(bag, manifest_name, differences);
  compare_with_manifest(bag, manifest_name, entries, payload.files, differences);
  for (const auto& other : payload.others) {
    if (entries.count(other) == 0) {
      differences.push_back(other + " is not a regular file; a record holds nothing else");
    }
  }
  if (fs::is_regular_file(bag / "bag-info.txt")) {
    const auto declared = bag_info(bag, "Payload-Oxum");
    if (!declared) {
      differences.push_back("bag-info.txt has no Payload-Oxum");
    } else if (*declared != oxum(payload)) {
      differences.push_back("bag-info.txt: Payload-Oxum is " + *declared + ", but the files are " +
                            oxum(payload) + " (bytes.files)");
    }
  }
  return differences;
}

}  // namespace assay::record
