// SPDX-License-Identifier: MIT
#include "assay/env/elf.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

#include "assay/base/sources.hpp"

namespace assay::env {
namespace {

// Of one section: what is longer was not made by a linker.
constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;

struct Section {
  std::string name;
  Elf64_Shdr header;
};

class File {
 public:
  explicit File(const std::filesystem::path& file) : stream_(file, std::ios::binary) {}

  bool is_open() const { return stream_.is_open(); }

  template <typename T>
  bool read(std::uint64_t offset, T& value) {
    return read(offset, sizeof value, reinterpret_cast<char*>(&value));
  }
  // Empty if it is not all there.
  std::string bytes(std::uint64_t offset, std::uint64_t size) {
    if (size > most_bytes) return {};
    std::string text(size, '\0');
    return read(offset, size, text.data()) ? text : std::string();
  }

 private:
  bool read(std::uint64_t offset, std::uint64_t size, char* to) {
    if (offset > static_cast<std::uint64_t>(INT64_MAX)) return false;
    stream_.clear();
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(to, static_cast<std::streamsize>(size));
    return static_cast<bool>(stream_);
  }

  std::ifstream stream_;
};

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

// By the segments, which strip(1) leaves.
Reading<std::string> build_id(File& file, const Elf64_Ehdr& header) {
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!file.read(header.e_phoff + i * sizeof segment, segment)) break;
    if (segment.p_type != PT_NOTE) continue;
    if (auto id = build_id_in(file.bytes(segment.p_offset, segment.p_filesz)); !id.empty()) {
      return id;
    }
  }
  return Missing{"not-there", "it was linked without --build-id"};
}

// The text that starts there and ends with a NUL; empty beyond the end.
std::string text_at(const std::string& table, std::uint64_t at) {
  if (at >= table.size()) return {};
  return table.substr(at, table.find('\0', at) - at);
}

std::vector<Section> sections_of(File& file, const Elf64_Ehdr& header) {
  std::vector<Section> sections;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return sections;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Section section{};
    if (!file.read(header.e_shoff + i * sizeof section.header, section.header)) return {};
    sections.push_back(std::move(section));
  }
  if (header.e_shstrndx >= sections.size()) return {};
  const auto& of_names = sections[header.e_shstrndx].header;
  const std::string names = file.bytes(of_names.sh_offset, of_names.sh_size);
  for (Section& section : sections) section.name = text_at(names, section.header.sh_name);
  return sections;
}

const Section* find(const std::vector<Section>& sections, std::string_view name) {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const Section& section) { return section.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

Reading<std::vector<std::string>> tools(File& file, const std::vector<Section>& sections) {
  const Section* comment = find(sections, ".comment");
  if (comment == nullptr) return Missing{"not-there", "it has no section .comment"};
  const std::string bytes = file.bytes(comment->header.sh_offset, comment->header.sh_size);
  if (bytes.empty()) return Missing{"not-understood", "its section .comment is not there whole"};
  std::vector<std::string> found;
  for (const std::string& each : split(bytes, '\0')) {
    const std::string text = as_utf8(each);
    if (!text.empty() && std::find(found.begin(), found.end(), text) == found.end()) {
      found.push_back(text);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Reading<std::vector<std::string>> needed(File& file, const std::vector<Section>& sections) {
  if (sections.empty()) return Missing{"not-there", "it has no table of sections"};
  const Section* dynamic = find(sections, ".dynamic");
  if (dynamic == nullptr) return std::vector<std::string>();
  if (dynamic->header.sh_link >= sections.size()) {
    return Missing{"not-understood", "its section .dynamic names no strings"};
  }
  const auto& strings = sections[dynamic->header.sh_link].header;
  const std::string names = file.bytes(strings.sh_offset, strings.sh_size);
  const std::string entries = file.bytes(dynamic->header.sh_offset, dynamic->header.sh_size);
  if (names.empty() || entries.empty()) {
    return Missing{"not-understood", "its section .dynamic is not there whole"};
  }
  std::vector<std::string> found;
  for (std::size_t at = 0; at + sizeof(Elf64_Dyn) <= entries.size(); at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    std::memcpy(&entry, entries.data() + at, sizeof entry);
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) found.push_back(as_utf8(text_at(names, entry.d_un.d_val)));
  }
  return found;
}

}  // namespace

ElfFacts elf_facts(const std::filesystem::path& path) {
  ElfFacts facts;
  const auto all_are = [&](const Missing& missing) {
    facts = {missing, missing, missing, missing, missing};
    return facts;
  };
  File file(path);
  if (!file.is_open()) return all_are({"unreadable", path.string() + " cannot be opened"});
  Elf64_Ehdr header{};
  if (!file.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return all_are({"not-elf", "not a 64-bit ELF file"});
  }
  const std::vector<Section> sections = sections_of(file, header);
  facts.build_id = build_id(file, header);
  facts.tools = tools(file, sections);
  facts.needed = needed(file, sections);
  facts.is_position_independent = header.e_type == ET_DYN;
  if (sections.empty()) {
    facts.has_debug_info = Missing{"not-there", "it has no table of sections"};
  } else {
    facts.has_debug_info = find(sections, ".debug_info") != nullptr;
  }
  return facts;
}

}  // namespace assay::env
