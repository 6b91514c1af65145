// SPDX-License-Identifier: MIT
#include "assay/base/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "assay/base/error.hpp"

namespace assay {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorKind::bug, "OpenSSL offers no SHA-256 here");
  }
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(const void* bytes, std::size_t size) {
  ASSAY_EXPECTS(EVP_DigestUpdate(state_->context, bytes, size) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  ASSAY_EXPECTS(EVP_DigestFinal_ex(state_->context, digest.data(), &size) == 1);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += digits[digest[i] >> 4];
    text += digits[digest[i] & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

std::string sha256_hex_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::array<char, 1 << 16> buffer{};
  Sha256 digest;
  while (stream.read(buffer.data(), buffer.size()) || stream.gcount() > 0) {
    digest.add(buffer.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.eof()) {
    throw Error(ErrorKind::bad_input, "cannot read " + file.string() + ": " + std::strerror(errno),
                errno);
  }
  return digest.hex();
}

}  // namespace assay
