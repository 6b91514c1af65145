// SPDX-License-Identifier: MIT
//
// SHA-256, the one digest of the record (BagIt manifests, `sha256sum -c`), by OpenSSL.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace assay {

// Lower-case hexadecimal, 64 characters.
std::string sha256_hex(std::string_view bytes);

// Throws Error{bad_input} if the file cannot be read.
std::string sha256_hex_of_file(const std::filesystem::path& file);

// The same, piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void add(const void* bytes, std::size_t size);
  // Ends the digest; the object takes no more bytes.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay
