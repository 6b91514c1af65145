// SPDX-License-Identifier: MIT
#include <elf.h>

#include <cstring>
#include <fstream>

#include "assay/base/digest.hpp"
#include "assay/env/environment.hpp"
#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

template <typename T>
bool read_at(std::ifstream& stream, std::uint64_t offset, T& value) {
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(offset));
  stream.read(reinterpret_cast<char*>(&value), sizeof value);
  return static_cast<bool>(stream);
}

std::string hex(const std::string& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

constexpr std::uint64_t padded(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

// The description of the note NT_GNU_BUILD_ID within one segment of notes; empty if it is not
// there.
std::string build_id_in(const std::string& notes) {
  std::uint64_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    const std::uint64_t name_at = at + sizeof note;
    const std::uint64_t content_at = name_at + padded(note.n_namesz);
    if (content_at + note.n_descsz > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.compare(name_at, 4, "GNU", 4) == 0) {
      return hex(notes.substr(content_at, note.n_descsz));
    }
    at = content_at + padded(note.n_descsz);
  }
  return {};
}

// Of 64-bit files in this machine's byte order, which is what runs here.
Reading<std::string> build_id(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Elf64_Ehdr header{};
  if (!read_at(stream, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return Missing{"not-elf", "not a 64-bit ELF file"};
  }
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(stream, header.e_phoff + i * sizeof segment, segment)) break;
    constexpr std::uint64_t most_bytes = 1 << 20;
    if (segment.p_type != PT_NOTE || segment.p_filesz > most_bytes) continue;
    std::string notes(segment.p_filesz, '\0');
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!stream.read(notes.data(), static_cast<std::streamsize>(notes.size()))) break;
    if (auto id = build_id_in(notes); !id.empty()) return id;
  }
  return Missing{"not-there", "it was linked without --build-id"};
}

}  // namespace

Json binary_facts(const std::filesystem::path& file) {
  Reading<std::string> digest = Missing{"unreadable", ""};
  Reading<std::int64_t> size = Missing{"unreadable", ""};
  Reading<std::string> id = Missing{"unreadable", ""};
  try {
    digest = sha256_hex_of_file(file);
    size = static_cast<std::int64_t>(std::filesystem::file_size(file));
    id = build_id(file);
  } catch (const std::exception& error) {
    const Missing missing{"unreadable", as_utf8(error.what())};
    if (!digest) digest = missing;
    if (!size) size = missing;
    id = missing;
  }
  return Json{{"file", as_utf8(file.string())},
              {"sha256", sourced(digest, "file")},
              {"size_bytes", sourced(size, "file")},
              {"build_id", sourced(id, "ELF note NT_GNU_BUILD_ID")}};
}

}  // namespace assay::env
