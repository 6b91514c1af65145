// SPDX-License-Identifier: MIT
#include "assay/base/digest.hpp"
#include "assay/base/json_list.hpp"
#include "assay/env/compilations.hpp"
#include "assay/env/elf.hpp"
#include "assay/env/environment.hpp"
#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

template <typename Call>
auto read(Call call) -> Reading<decltype(call())> {
  try {
    return call();
  } catch (const std::exception& error) {
    return Missing{"unreadable", as_utf8(error.what())};
  }
}

Reading<Json> json_of_list(const Reading<std::vector<std::string>>& list) {
  return list.transform([](const auto& all) { return Json(all); });
}

Json compilation_json(const Compilation& compilation) {
  return {{"compiler", compilation.compiler},
          {"flags", json_of(compilation.flags)},
          {"sources", compilation.sources},
          {"examples", compilation.examples}};
}

}  // namespace

Json binary_facts(const std::filesystem::path& file) {
  constexpr const char* debug_information = "DWARF: DW_AT_producer";
  const ElfFacts elf = elf_facts(file);
  const Reading<Compilations> compiled = compilations_of(file);
  const auto of_all = [&](Reading<bool> Compilations::*member) -> Reading<bool> {
    return compiled ? (*compiled).*member : Reading<bool>(compiled.missing());
  };
  return Json{
      {"file", as_utf8(file.string())},
      {"sha256", sourced(read([&] { return sha256_hex_of_file(file); }), "file")},
      {"size_bytes",
       sourced(read([&] { return static_cast<std::int64_t>(std::filesystem::file_size(file)); }),
               "file")},
      {"build_id", sourced(elf.build_id, "ELF note NT_GNU_BUILD_ID")},
      {"tools", sourced(json_of_list(elf.tools), "ELF section .comment")},
      {"needed", sourced(json_of_list(elf.needed), "ELF section .dynamic: DT_NEEDED")},
      {"compilations", sourced(compiled.transform([](const Compilations& all) {
         return list_of(all.all, compilation_json);
       }),
                               debug_information)},
      {"link_time_optimised",
       sourced(of_all(&Compilations::link_time_optimised), debug_information)},
      {"profile_guided", sourced(of_all(&Compilations::profile_guided), debug_information)},
      {"has_debug_info", sourced(elf.has_debug_info, "ELF section .debug_info")},
      {"position_independent", sourced(elf.is_position_independent, "ELF header")}};
}

}  // namespace assay::env
