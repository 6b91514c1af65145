// SPDX-License-Identifier: MIT
#include "assay/device/cuda/compile_cache.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "assay/base/digest.hpp"
#include "assay/base/json.hpp"
#include "assay/base/time.hpp"
#include "assay/device/cuda/includes.hpp"

namespace assay::device::cuda {
namespace {

namespace fs = std::filesystem;

// Changes when an entry holds something else, or a key is made in another way.
constexpr const char* entry_format = "assay-compiled/1";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path with_ending(const fs::path& folder, const std::string& key, const char* ending) {
  return folder / (key + ending);
}

// A file appears whole or not at all, whoever else writes it. Returns what went wrong, else "".
std::string write_whole(const fs::path& path, std::string_view bytes) {
  std::string temporary = path.string() + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) return "cannot create " + temporary + ": " + std::strerror(errno);
  int failed = 0;
  while (!bytes.empty() && failed == 0) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EINTR) failed = errno;
  }
  if (::close(fd) != 0 && failed == 0) failed = errno;
  if (failed == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failed = errno;
  if (failed == 0) return {};
  ::unlink(temporary.c_str());
  return "cannot write " + path.string() + ": " + std::strerror(failed);
}

Json body_of(const Compiled& compiled, const std::string& key) {
  return Json{{"format", entry_format},
              {"key", key},
              {"architecture", compiled.architecture},
              {"compiler", compiled.compiler},
              {"options", compiled.options},
              {"cubin_sha256", sha256_hex(compiled.cubin)},
              {"ptx_sha256", sha256_hex(compiled.ptx)},
              {"log", compiled.log},
              {"compile_ns", compiled.compile_ns},
              {"lowered_names", compiled.lowered_names}};
}

// Bytes that are no UTF-8 (of a path, say) make no JSON; such an entry is not kept.
std::optional<std::string> entry_text(Json body) {
  try {
    body["sha256"] = sha256_hex(json_text(body));
    return json_text(body);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::optional<Compiled> entry(const fs::path& folder, const std::string& key) {
  const auto text = bytes_of_file(with_ending(folder, key, ".json"));
  if (!text) return std::nullopt;
  try {
    Json body = parse_json(*text, key);
    const auto digest = body.at("sha256").get<std::string>();
    body.erase("sha256");
    if (sha256_hex(json_text(body)) != digest || body.at("format") != entry_format ||
        body.at("key") != key) {
      return std::nullopt;
    }
    Compiled compiled;
    body.at("architecture").get_to(compiled.architecture);
    body.at("compiler").get_to(compiled.compiler);
    body.at("options").get_to(compiled.options);
    body.at("log").get_to(compiled.log);
    body.at("compile_ns").get_to(compiled.compile_ns);
    body.at("lowered_names").get_to(compiled.lowered_names);
    auto cubin = bytes_of_file(with_ending(folder, key, ".cubin"));
    auto ptx = bytes_of_file(with_ending(folder, key, ".ptx"));
    if (!cubin || !ptx || sha256_hex(*cubin) != body.at("cubin_sha256") ||
        sha256_hex(*ptx) != body.at("ptx_sha256")) {
      return std::nullopt;
    }
    compiled.cubin = std::move(*cubin);
    compiled.ptx = std::move(*ptx);
    return compiled;
  } catch (const std::exception&) {
    return std::nullopt;  // damaged: whatever is wrong with it, it is compiled again
  }
}

// Returns what went wrong, else "".
std::string keep(const fs::path& folder, const std::string& key, const Compiled& compiled) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return "cannot create " + folder.string() + ": " + failed.message();
  const auto text = entry_text(body_of(compiled, key));
  if (!text) return "the options or the log are not UTF-8";
  // What names the others comes last.
  const std::array<std::pair<const char*, std::string_view>, 3> files{
      {{".cubin", compiled.cubin}, {".ptx", compiled.ptx}, {".json", *text}}};
  for (const auto& [ending, bytes] : files) {
    const std::string wrong = write_whole(with_ending(folder, key, ending), bytes);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace

Reading<std::string> cache_key(const SourceCode& code, const std::string& compiler,
                               const std::vector<fs::path>& toolkit) {
  for (const std::string& option : code.options) {
    for (const std::string_view name :
         {"--pch", "-pch", "--create-pch", "-create-pch", "--use-pch", "-use-pch", "--time",
          "-time", "--fdevice-time-trace", "-fdevice-time-trace"}) {
      if (option.compare(0, name.size(), name) == 0) {
        return Missing{"option", "the option " + option + " reads or writes files of its own"};
      }
    }
  }
  const auto included = included_files(code.source, code.file_name, code.options, toolkit);
  if (!included) return included.missing();
  Sha256 digest;
  // Each with its length: no two lists run into the same bytes.
  const auto add = [&](const std::string& text) {
    const std::string length = std::to_string(text.size()) + ":";
    digest.add(length.data(), length.size());
    digest.add(text.data(), text.size());
  };
  const auto add_all = [&](const std::vector<std::string>& texts) {
    add(std::to_string(texts.size()));
    for (const std::string& text : texts) add(text);
  };
  add(entry_format);
  add(compiler);
  add(code.architecture);
  add(code.source);
  add(code.file_name);  // __FILE__, and line information
  add_all(code.options);
  add_all(code.names);
  for (const auto& folder : toolkit) add(folder.string());
  for (const IncludedFile& file : *included) {
    add(file.path.string());
    add(file.sha256);
  }
  return digest.hex();
}

CompileCache CompileCache::from_environment() {
  const bool is_forced = variable("ASSAY_FORCE_COMPILE") == "1";
  const std::string chosen = variable("ASSAY_CACHE_DIR");
  if (!chosen.empty()) return CompileCache(fs::path(chosen), is_forced);
  const std::string base = variable("XDG_CACHE_HOME");
  if (!base.empty()) return CompileCache(fs::path(base) / "assay", is_forced);
  const std::string home = variable("HOME");
  if (!home.empty()) return CompileCache(fs::path(home) / ".cache/assay", is_forced);
  return CompileCache(
      Missing{"no-folder", "none of ASSAY_CACHE_DIR, XDG_CACHE_HOME and HOME is set"}, is_forced);
}

Obtained CompileCache::get(const SourceCode& code, const std::string& compiler,
                           const std::vector<fs::path>& toolkit, const Compile& compile) const {
  Obtained obtained;
  const std::int64_t start_ns = monotonic_ns();
  if (folder_) {
    obtained.key = cache_key(code, compiler, toolkit);
  } else {
    obtained.key = folder_.missing();
  }
  std::optional<Compiled> found;
  if (obtained.key && !is_forced_) found = entry(*folder_, *obtained.key);
  obtained.is_from_cache = found.has_value();
  obtained.compiled = found ? std::move(*found) : compile(code);
  obtained.obtained_ns = monotonic_ns() - start_ns;
  if (!obtained.key) {
    obtained.cubin_file = obtained.key.missing();
    obtained.ptx_file = obtained.key.missing();
    return obtained;
  }
  if (!obtained.is_from_cache) {
    const std::string wrong = keep(*folder_, *obtained.key, obtained.compiled);
    if (!wrong.empty()) {
      const Missing missing{"not-writable", wrong +
                                                "; set ASSAY_CACHE_DIR to a folder that can be "
                                                "written, or every process compiles anew"};
      obtained.cubin_file = missing;
      obtained.ptx_file = missing;
      return obtained;
    }
  }
  obtained.cubin_file = fs::absolute(with_ending(*folder_, *obtained.key, ".cubin"));
  obtained.ptx_file = fs::absolute(with_ending(*folder_, *obtained.key, ".ptx"));
  return obtained;
}

Obtained CompileCache::get(const SourceCode& code, const Nvrtc& nvrtc) const {
  return get(code, nvrtc.identity(), toolkit_includes(nvrtc.path()),
             [&](const SourceCode& each) { return nvrtc.compile(each); });
}

}  // namespace assay::device::cuda
