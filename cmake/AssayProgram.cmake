# assay_add_program: builds a program that Assay measures. Works where Assay was found by find_package(assay) and where it was
# taken in by add_subdirectory.

include_guard(GLOBAL)

# assay_add_program(NAME SOURCES file ... [LAYOUTS count] [LIBRARIES target ...])
#
# An executable NAME of SOURCES, linked with assay::assay and LIBRARIES; SOURCES hold main().
#
# Functions and loops are aligned to 64 bytes: identical source placed elsewhere differed by as much as 10 % without. What is
# left of placement is made a variable by LAYOUTS: NAME.layout-1 ... NAME.layout-count are linked from the very same object
# files with their sections in an order drawn from that seed (lld is needed for it). An experiment with
# [layout] replicates = count measures over all of them.
#
# Without CMAKE_BUILD_TYPE the sources are compiled with -O3 -DNDEBUG: a number from unoptimised code is of no use. The flags
# are compiled in (ASSAY_BUILD_FLAGS, ASSAY_ALIGNED), so that the record can hold them.
#
# SOURCES may be in CUDA C++ (.cu) where the project has enabled that language: their host code gets the same flags, and their
# kernels the line numbers that profilers show. Neither changes the machine code of a kernel.
function(assay_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LAYOUTS" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "assay_add_program(${name}): expected SOURCES file ... [LAYOUTS count] [LIBRARIES target ...], "
      "found '${ARGN}'")
  endif()
  if(NOT DEFINED arg_LAYOUTS)
    set(arg_LAYOUTS 0)
  elseif(NOT arg_LAYOUTS MATCHES "^[0-9]+$")
    message(FATAL_ERROR "assay_add_program(${name}): LAYOUTS must be a number, found '${arg_LAYOUTS}'")
  endif()

  assay_program_flags_(${name} flags)
  string(REPLACE ";" " " flags_text "${flags}")
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} ${flags_text}" record)
  assay_quote_(record)
  # What nvcc knows by itself it must see itself, or kernels would be compiled without it.
  set(nvcc_flags ${flags})
  list(FILTER nvcc_flags INCLUDE REGEX "^-[OD]")
  set(host_flags ${flags})
  list(FILTER host_flags EXCLUDE REGEX "^-[OD]")
  string(REPLACE ";" "," host_flags "${host_flags}")
  list(APPEND nvcc_flags -lineinfo "-Xcompiler=${host_flags}")
  string(REPLACE ";" "," architectures "${CMAKE_CUDA_ARCHITECTURES}")
  string(REPLACE ";" " " flags_text "${nvcc_flags}")
  string(STRIP "${CMAKE_CUDA_FLAGS} ${CMAKE_CUDA_FLAGS_${type}} ${flags_text} (architectures ${architectures})" cuda_record)
  assay_quote_(cuda_record)

  # One set of object files for all layouts: what differs between them is the link.
  add_library(${name}.objects OBJECT ${arg_SOURCES})
  target_link_libraries(${name}.objects PRIVATE assay::assay ${arg_LIBRARIES})
  target_compile_options(${name}.objects PRIVATE "$<$<COMPILE_LANGUAGE:CXX,C>:${flags}>")
  target_compile_options(${name}.objects PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${nvcc_flags}>")
  target_compile_definitions(${name}.objects PRIVATE ASSAY_ALIGNED=1
    "$<$<COMPILE_LANGUAGE:CXX,C>:ASSAY_BUILD_FLAGS=\"${record}\">"
    "$<$<COMPILE_LANGUAGE:CUDA>:ASSAY_BUILD_FLAGS=\"${cuda_record}\">")

  add_executable(${name})
  target_link_libraries(${name} PRIVATE ${name}.objects assay::assay ${arg_LIBRARIES})

  if(arg_LAYOUTS GREATER 0)
    find_program(ASSAY_LLD NAMES ld.lld ld.lld-14 ld.lld-15 ld.lld-16 ld.lld-17 ld.lld-18 ld.lld-19
      DOC "The linker that links the seeded layouts")
    if(NOT ASSAY_LLD)
      message(FATAL_ERROR "assay_add_program(${name}): LAYOUTS needs the linker lld, which orders sections by a seed, and "
        "there is no ld.lld in PATH. Install it (Debian, Ubuntu: apt-get install lld), set ASSAY_LLD to it, or leave "
        "LAYOUTS out.")
    endif()
    # -fuse-ld=lld looks for the plain name: where there is only ld.lld-14, a folder with a link to it comes first.
    set(folder "${CMAKE_BINARY_DIR}/CMakeFiles/assay-lld")
    file(MAKE_DIRECTORY "${folder}")
    file(CREATE_LINK "${ASSAY_LLD}" "${folder}/ld.lld" SYMBOLIC)
    foreach(seed RANGE 1 ${arg_LAYOUTS})
      add_executable(${name}.layout-${seed})
      target_link_libraries(${name}.layout-${seed} PRIVATE ${name}.objects assay::assay ${arg_LIBRARIES})
      target_link_options(${name}.layout-${seed} PRIVATE "-B${folder}" -fuse-ld=lld
        "LINKER:--shuffle-sections=.text*=${seed}"
        "LINKER:--shuffle-sections=.rodata*=${seed}"
        "LINKER:--shuffle-sections=.data*=${seed}"
        "LINKER:--shuffle-sections=.bss*=${seed}")
    endforeach()
  endif()
endfunction()

# The text as it stands inside a C string.
function(assay_quote_ variable)
  string(REPLACE "\\" "\\\\" text "${${variable}}")
  string(REPLACE "\"" "\\\"" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# The flags that a program gets on top of the user's own.
function(assay_program_flags_ name result)
  include(CheckCXXCompilerFlag)
  set(flags -ffunction-sections -fdata-sections)
  foreach(flag IN ITEMS -falign-functions=64 -falign-loops=64)
    string(MAKE_C_IDENTIFIER "ASSAY_HAS${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      list(APPEND flags ${flag})
    else()
      message(WARNING "assay_add_program(${name}): the compiler does not know ${flag}; where code lies in memory will "
        "move this program's times by more")
    endif()
  endforeach()
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    message(STATUS "assay: no CMAKE_BUILD_TYPE given, compiling ${name} with -O3 -DNDEBUG")
    list(APPEND flags -O3 -DNDEBUG)
  endif()
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()
