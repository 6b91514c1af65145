// SPDX-License-Identifier: MIT
//
// BuildFacts: how the file that declares a subject was compiled. The flags of the user's own file
// are what matters, not those of this library, so the macros must be looked at where the user's
// code is compiled: as a default argument of Problem::subject().
#pragma once

namespace assay {

struct BuildFacts {
  const char* compiler;  // "GCC 12.2.0", "nvcc 13.0.88 with GCC 12.2.0"
  const char* flags;     // as assay_add_program recorded them; empty if built otherwise
  bool optimised;
  bool aligned;           // functions and loops aligned by assay_add_program
  const char* sanitizer;  // "address", "thread", or empty
};

}  // namespace assay

#define ASSAY_TEXT_OF_(x) #x
#define ASSAY_TEXT_(x) ASSAY_TEXT_OF_(x)

#if defined(__clang__)
#define ASSAY_HOST_COMPILER_                                                              \
  "Clang " ASSAY_TEXT_(__clang_major__) "." ASSAY_TEXT_(__clang_minor__) "." ASSAY_TEXT_( \
      __clang_patchlevel__)
#elif defined(__GNUC__)
#define ASSAY_HOST_COMPILER_ \
  "GCC " ASSAY_TEXT_(__GNUC__) "." ASSAY_TEXT_(__GNUC_MINOR__) "." ASSAY_TEXT_(__GNUC_PATCHLEVEL__)
#else
#define ASSAY_HOST_COMPILER_ "unknown"
#endif

// nvcc makes the kernels itself and leaves the host's code to another compiler, which matters too.
#if defined(__NVCC__) && defined(__CUDACC_VER_MAJOR__)
#define ASSAY_COMPILER_                                                                            \
  "nvcc " ASSAY_TEXT_(__CUDACC_VER_MAJOR__) "." ASSAY_TEXT_(__CUDACC_VER_MINOR__) "." ASSAY_TEXT_( \
      __CUDACC_VER_BUILD__) " with " ASSAY_HOST_COMPILER_
#else
#define ASSAY_COMPILER_ ASSAY_HOST_COMPILER_
#endif

#if defined(ASSAY_BUILD_FLAGS)
#define ASSAY_FLAGS_ ASSAY_BUILD_FLAGS
#else
#define ASSAY_FLAGS_ ""
#endif

#if defined(__OPTIMIZE__)
#define ASSAY_OPTIMISED_ true
#else
#define ASSAY_OPTIMISED_ false
#endif

#if defined(ASSAY_ALIGNED)
#define ASSAY_ALIGNED_ true
#else
#define ASSAY_ALIGNED_ false
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_SANITIZER_ "address"
#elif __has_feature(thread_sanitizer)
#define ASSAY_SANITIZER_ "thread"
#endif
#endif
#if !defined(ASSAY_SANITIZER_)
#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_SANITIZER_ "address"
#elif defined(__SANITIZE_THREAD__)
#define ASSAY_SANITIZER_ "thread"
#else
#define ASSAY_SANITIZER_ ""
#endif
#endif

#define ASSAY_BUILD_FACTS                                                             \
  ::assay::BuildFacts {                                                               \
    ASSAY_COMPILER_, ASSAY_FLAGS_, ASSAY_OPTIMISED_, ASSAY_ALIGNED_, ASSAY_SANITIZER_ \
  }
