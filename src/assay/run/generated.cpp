// SPDX-License-Identifier: MIT
#include "assay/run/generated.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "assay/base/digest.hpp"
#include "assay/record/checks.hpp"

namespace assay::run {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> bytes_of(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  const std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

// What makes an entry another one. How long it took, and whether a cache had it, does not.
std::string identity_of(const Json& entry) {
  Json identity = entry;
  for (const char* member :
       {"trial", "compile_ns", "obtained_ns", "is_from_cache", "cubin", "ptx"}) {
    identity.erase(member);
  }
  return identity.dump();
}

// The name of the copy in the record's generated/.
Reading<std::string> copy(record::Writer& writer, const Reading<std::string>& source,
                          const std::string& sha256, const char* ending) {
  const std::string name = sha256 + ending;
  const fs::path folder = fs::path(GeneratedCode::file).parent_path();
  const std::string in_record = (folder / name).string();
  if (fs::exists(writer.data() / in_record)) return name;
  if (!source) return source.missing();
  const auto bytes = bytes_of(*source);
  if (!bytes) return Missing{"unreadable", "cannot read " + *source};
  if (sha256_hex(*bytes) != sha256) {
    return Missing{"changed", *source + " is no longer what the worker ran"};
  }
  writer.write_text(in_record, *bytes);
  return name;
}

}  // namespace

void GeneratedCode::read(const record::Writer& writer) {
  is_read_ = true;
  const fs::path path = writer.data() / file;
  const auto text = bytes_of(path);
  if (!text) return;
  const Json before = parse_json(*text, path.string());
  record::expect_format(before, format, path.string());
  ObjectReader reader(before, path.string());
  const Json& kernels = reader.member("kernels");
  if (!kernels.is_array()) {
    throw Error(ErrorKind::bad_input, path.string() + ": 'kernels' must be a list");
  }
  for (const Json& entry : kernels) seen_.insert(identity_of(entry));
  kernels_ = kernels;
}

void GeneratedCode::keep(record::Writer& writer, const std::vector<wire::Generated>& generated,
                         const std::string& build, const std::string& problem,
                         const std::string& case_id, std::int64_t trial) {
  if (generated.empty()) return;
  if (!is_read_) read(writer);
  bool is_new = false;
  for (const wire::Generated& each : generated) {
    Json entry{{"build", build}, {"problem", problem}, {"case", case_id}, {"trial", trial}};
    entry.update(wire::to_json(each));
    entry.erase("cubin_file");  // a place on this machine
    entry.erase("ptx_file");
    if (!seen_.insert(identity_of(entry)).second) continue;
    entry["cubin"] = json_of(copy(writer, each.cubin_file, each.cubin_sha256, ".cubin"));
    entry["ptx"] = json_of(copy(writer, each.ptx_file, each.ptx_sha256, ".ptx"));
    kernels_.push_back(std::move(entry));
    is_new = true;
  }
  if (is_new) writer.write_json(file, Json{{"format", format}, {"kernels", kernels_}}, true);
}

}  // namespace assay::run
