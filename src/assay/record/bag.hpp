// SPDX-License-Identifier: MIT
//
// A BagIt 1.0 bag (RFC 8493) around data/: its tag files, and what differs from them. SHA-256 only.
// Integrity, not authenticity: whoever changes a file can write the manifests anew.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::record {

inline constexpr std::string_view bag_declaration =
    "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
inline constexpr const char* manifest_name = "manifest-sha256.txt";
inline constexpr const char* tag_manifest_name = "tagmanifest-sha256.txt";

// As manifests write the path of a file: CR, LF and % percent-encoded, nothing else.
std::string encoded_path(std::string_view path);
std::string decoded_path(std::string_view path);

// Whether a manifest, which is UTF-8, can name it.
bool is_utf8(std::string_view text);

// Writes the four tag files; the manifest appears last, so a bag with one is whole. Payload-Oxum is
// counted here; the other entries of bag-info.txt are written in the order of the map, line breaks
// in their values as blanks. Throws Error{write}; Error{bad_input} if the payload holds something
// that no bag can (a link, a name that is not UTF-8). known_digests: SHA-256 of payload files that
// need not be read again, by path in the bag.
void write_bag(const std::filesystem::path& bag, const std::map<std::string, std::string>& info,
               const std::map<std::string, std::string>& known_digests = {});

// Whether it has a manifest.
bool is_bag(const std::filesystem::path& bag);

// The value of the first such label in bag-info.txt; nothing where there is none, or no such file.
std::optional<std::string> bag_info(const std::filesystem::path& bag, std::string_view label);

// The record's name: what its bag calls it, whatever its directory was renamed to since; of one
// that is not sealed, the directory's.
std::string record_name(const std::filesystem::path& record);

// Each difference between files and manifests, a sentence that names the file.
std::vector<std::string> bag_differences(const std::filesystem::path& bag);

}  // namespace assay::record
