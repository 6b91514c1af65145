// SPDX-License-Identifier: MIT
#include "assay/base/memory_use.hpp"

namespace assay {
namespace {

std::int64_t not_negative(std::int64_t bytes, const std::string& where) {
  if (bytes >= 0) return bytes;
  throw Error(ErrorKind::bad_input,
              where + ": expected at least 0, found " + std::to_string(bytes));
}

Reading<std::int64_t> take_bytes(ObjectReader& reader, const char* key) {
  auto bytes = reader.take_reading<std::int64_t>(key);
  if (bytes) not_negative(*bytes, reader.where() + "." + key);
  return bytes;
}

}  // namespace

Reading<std::int64_t> MemoryUse::spare_bytes() const {
  if (!peak_bytes) return peak_bytes.missing();
  if (!capacity_bytes) return capacity_bytes.missing();
  return *capacity_bytes - *peak_bytes;
}

Reading<bool> MemoryUse::fits() const {
  if (swapped_bytes && *swapped_bytes > 0) return false;
  return spare_bytes().transform([](std::int64_t spare) { return spare >= 0; });
}

Json to_json(const MemoryUse& use) {
  Json json{{"allocated_bytes", use.allocated_bytes},
            {"peak_bytes", json_of(use.peak_bytes)},
            {"swapped_bytes", json_of(use.swapped_bytes)},
            {"remote_bytes", json_of(use.remote_bytes)}};
  // Records of before it was known have none.
  if (use.managed_bytes || use.managed_bytes.missing().reason != MemoryUse::no_managed_memory) {
    json["managed_bytes"] = json_of(use.managed_bytes);
  }
  json["capacity_bytes"] = json_of(use.capacity_bytes);
  json["capacity_of"] = use.capacity_of;
  return json;
}

MemoryUse memory_use_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  MemoryUse use;
  use.allocated_bytes =
      not_negative(reader.take<std::int64_t>("allocated_bytes"), where + ".allocated_bytes");
  use.peak_bytes = take_bytes(reader, "peak_bytes");
  use.swapped_bytes = take_bytes(reader, "swapped_bytes");
  use.remote_bytes = take_bytes(reader, "remote_bytes");
  if (reader.has("managed_bytes")) use.managed_bytes = take_bytes(reader, "managed_bytes");
  use.capacity_bytes = take_bytes(reader, "capacity_bytes");
  use.capacity_of = reader.take<std::string>("capacity_of");
  reader.finish();
  return use;
}

}  // namespace assay
