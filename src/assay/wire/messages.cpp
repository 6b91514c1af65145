// SPDX-License-Identifier: MIT
#include "assay/wire/messages.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "assay/wire/envelope.hpp"

namespace assay::wire {

Json sealed(const Envelope& envelope, const char* role, const std::string& kind) {
  return Json{
      {"assay", protocol_version}, {"nonce", envelope.nonce}, {"id", envelope.id}, {role, kind}};
}

std::string line_of(const Json& json) {
  // Messages carry what a user's code says of itself, which need not be UTF-8.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Envelope take_envelope(ObjectReader& reader) {
  const auto version = reader.take<std::int64_t>("assay");
  if (version != protocol_version) {
    throw Error(ErrorKind::bad_input, "it speaks version " + std::to_string(version) +
                                          " of the protocol, this is version " +
                                          std::to_string(protocol_version) +
                                          ": build both sides with the same Assay");
  }
  Envelope envelope;
  envelope.nonce = reader.take<std::string>("nonce");
  envelope.id = reader.take<std::int64_t>("id");
  return envelope;
}

std::string hex_of(std::uint64_t key) {
  std::array<char, 17> digits{};
  std::string text(16, '0');
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), key, 16).ptr;
  const auto length = static_cast<std::size_t>(end - digits.data());
  text.replace(text.size() - length, length, digits.data(), length);
  return text;
}

std::uint64_t take_hex(ObjectReader& reader, std::string_view key) {
  const auto text = reader.take<std::string>(key);
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || result.ec != std::errc() || result.ptr != text.data() + text.size()) {
    throw Error(ErrorKind::bad_input, reader.where() + ": '" + std::string(key) +
                                          "' must be 16 hexadecimal digits, found '" + text + "'");
  }
  return value;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result(text.substr(0, limit));
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  if (text.size() > limit) result += "…";
  return result;
}

const std::string& expect_plain(const std::string& text, const char* what) {
  const bool is_plain = std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' || byte == 0x7f || c == ',' || c == '"';
  });
  if (!is_plain) {
    throw Error(ErrorKind::bad_input, std::string(what) + " '" + printable(text, 60) +
                                          "' must not hold control characters, commas or quotes");
  }
  return text;
}

Case take_case(ObjectReader& reader, std::string_view key) {
  return Case::parse(reader.take<std::string>(key));
}

}  // namespace assay::wire
