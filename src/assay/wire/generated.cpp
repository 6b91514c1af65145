// SPDX-License-Identifier: MIT
#include "assay/wire/generated.hpp"

#include <algorithm>

#include "assay/wire/envelope.hpp"

namespace assay::wire {
namespace {

// It becomes the name of a file.
std::string take_digest(ObjectReader& reader, const char* key) {
  auto digest = reader.take<std::string>(key);
  const bool fits = digest.size() == 64 && std::all_of(digest.begin(), digest.end(), [](char c) {
                      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                    });
  if (!fits) {
    throw Error(ErrorKind::bad_input,
                reader.where() + "." + key + " must be a SHA-256: 64 hexadecimal digits");
  }
  return digest;
}

}  // namespace

Json to_json(const Generated& generated) {
  return Json{{"subject", generated.subject},
              {"kernel", generated.kernel},
              {"lowered_name", generated.lowered_name},
              {"architecture", generated.architecture},
              {"compiler", generated.compiler},
              {"options", generated.options},
              {"source_sha256", generated.source_sha256},
              {"cubin_sha256", generated.cubin_sha256},
              {"ptx_sha256", generated.ptx_sha256},
              {"compile_ns", generated.compile_ns},
              {"obtained_ns", generated.obtained_ns},
              {"is_from_cache", generated.is_from_cache},
              {"cubin_file", json_of(generated.cubin_file)},
              {"ptx_file", json_of(generated.ptx_file)},
              {"grid", generated.grid},
              {"block", generated.block},
              {"dynamic_shared_bytes", generated.dynamic_shared_bytes},
              {"registers", json_of(generated.registers)},
              {"static_shared_bytes", json_of(generated.static_shared_bytes)},
              {"local_bytes", json_of(generated.local_bytes)},
              {"spill_store_bytes", json_of(generated.spill_store_bytes)},
              {"spill_load_bytes", json_of(generated.spill_load_bytes)},
              {"max_threads", json_of(generated.max_threads)},
              {"occupancy_frac", json_of(generated.occupancy_frac)},
              {"occupancy_limited_by", json_of(generated.occupancy_limited_by)}};
}

Generated generated_from(ObjectReader& reader) {
  Generated generated;
  generated.subject = reader.take<std::string>("subject");
  generated.kernel = reader.take<std::string>("kernel");
  generated.lowered_name = reader.take<std::string>("lowered_name");
  generated.architecture = reader.take<std::string>("architecture");
  generated.compiler = reader.take<std::string>("compiler");
  generated.options = take_list<std::string>(reader, "options");
  generated.source_sha256 = take_digest(reader, "source_sha256");
  generated.cubin_sha256 = take_digest(reader, "cubin_sha256");
  generated.ptx_sha256 = take_digest(reader, "ptx_sha256");
  generated.compile_ns = reader.take<std::int64_t>("compile_ns");
  generated.obtained_ns = reader.take<std::int64_t>("obtained_ns");
  generated.is_from_cache = reader.take<bool>("is_from_cache");
  generated.cubin_file = reader.take_reading<std::string>("cubin_file");
  generated.ptx_file = reader.take_reading<std::string>("ptx_file");
  generated.grid = take_list<std::int64_t>(reader, "grid");
  generated.block = take_list<std::int64_t>(reader, "block");
  generated.dynamic_shared_bytes = reader.take<std::int64_t>("dynamic_shared_bytes");
  generated.registers = reader.take_reading<std::int64_t>("registers");
  generated.static_shared_bytes = reader.take_reading<std::int64_t>("static_shared_bytes");
  generated.local_bytes = reader.take_reading<std::int64_t>("local_bytes");
  generated.spill_store_bytes = reader.take_reading<std::int64_t>("spill_store_bytes");
  generated.spill_load_bytes = reader.take_reading<std::int64_t>("spill_load_bytes");
  generated.max_threads = reader.take_reading<std::int64_t>("max_threads");
  generated.occupancy_frac = reader.take_reading<double>("occupancy_frac");
  generated.occupancy_limited_by = reader.take_reading<std::string>("occupancy_limited_by");
  return generated;
}

}  // namespace assay::wire
