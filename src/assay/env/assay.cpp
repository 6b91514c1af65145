// SPDX-License-Identifier: MIT
//
// How this Assay was built: it times on a CPU, so its own code is part of every sample's overhead.
#include <string_view>

#include "assay/env/facts.hpp"

namespace assay::env {
namespace {

#if defined(__clang__)
constexpr const char* compiler = "Clang " __clang_version__;
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

#if defined(__OPTIMIZE__)
constexpr bool is_optimised = true;
#else
constexpr bool is_optimised = false;
#endif

#if defined(NDEBUG)
constexpr bool has_assertions = false;
#else
constexpr bool has_assertions = true;
#endif

#if defined(__SANITIZE_ADDRESS__)
constexpr std::string_view sanitizer = "address";
#elif defined(__SANITIZE_THREAD__)
constexpr std::string_view sanitizer = "thread";
#else
constexpr std::string_view sanitizer = "none";
#endif

Json known(Json value, const char* source) {
  return sourced(Reading<Json>(std::move(value)), source);
}

// What the build system does not tell is not known, which is not the same as none.
Json said(std::string_view text) {
  constexpr const char* source = "CMake, when it was configured";
  if (text.empty()) {
    return sourced(Reading<std::string>(Missing{"not-said", "CMake was given none"}), source);
  }
  return known(text, source);
}

}  // namespace

Json assay_facts() {
  return Json{{"version", known(ASSAY_VERSION, "CMake, when it was configured")},
              {"compiler", known(compiler, "the compiler's macros")},
              {"build_type", said(ASSAY_OWN_BUILD_TYPE)},
              {"flags", said(ASSAY_OWN_FLAGS)},
              {"optimised", known(is_optimised, "__OPTIMIZE__")},
              {"assertions", known(has_assertions, "NDEBUG")},
              {"sanitizer", known(sanitizer, "the compiler's macros")}};
}

}  // namespace assay::env
