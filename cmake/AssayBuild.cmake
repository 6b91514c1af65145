# How Assay's own targets are built. What a user of Assay gets is in AssayProgram.cmake.

option(ASSAY_WERROR "Treat warnings in Assay's own code as errors" ${PROJECT_IS_TOP_LEVEL})
option(ASSAY_UNIT_TESTS "Build the unit tests with the other tests" ON)
# Off for developers: a precompiled header hides an include that a file forgets.
option(ASSAY_PCH "Precompile the headers that cost the most, for builds from nothing" OFF)
# Off for the same reason, and as one changed file makes all of its module compile anew. On where much is built once.
option(ASSAY_UNITY "Compile several sources of a module or of its tests at once, for builds from nothing" OFF)
set(ASSAY_SANITIZE "" CACHE STRING "Sanitizers to build everything with, such as address,undefined or thread")

# A project that takes Assay in by add_subdirectory links what Assay's static libraries link, so it must see it.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(PROJECT_IS_TOP_LEVEL)
  # Unoptimised numbers mislead, so that is nobody's default.
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    message(STATUS "assay: no CMAKE_BUILD_TYPE given, taking RelWithDebInfo")
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
  find_program(ASSAY_CCACHE ccache DOC "Compiler cache, used when it is found")
  if(ASSAY_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${ASSAY_CCACHE}")
  endif()
  if(ASSAY_SANITIZE)
    # -O0: compiling is most of what such a build costs, the tests themselves take a minute; -g1: line numbers are all that a
    # report needs.
    add_compile_options(-fsanitize=${ASSAY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O0 -g1)
    add_link_options(-fsanitize=${ASSAY_SANITIZE})
  endif()
endif()

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wsign-conversion;-Wold-style-cast;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wdouble-promotion;-Wundef>
  # Several sources compiled as one: a local name of one may be another's at file scope.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:${ASSAY_UNITY}>>>:-Wshadow>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wnull-dereference>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ASSAY_WERROR}>>:-Werror>
  # Without -Wpedantic, which what nvcc generates does not keep.
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${ASSAY_WERROR}>>:-Werror=all-warnings;-Xcompiler=-Werror>
  # What GCC says from its flow analysis depends on what it inlined, and often speaks of paths in the libraries' headers that
  # cannot be taken: worth reading, not worth failing a build that another version of the compiler passes.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:${ASSAY_WERROR}>>:-Wno-error=null-dereference;-Wno-error=array-bounds;-Wno-error=maybe-uninitialized;-Wno-error=stringop-overflow;-Wno-error=restrict>)
if(ASSAY_SANITIZE)
  # GCC's flow analysis of instrumented code warns of paths that cannot be taken (std::variant, std::optional).
  target_compile_options(assay_warnings INTERFACE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized;-Wno-null-dereference>)
endif()

# assay_module(NAME SOURCES ... HEADERS ... DEPENDS module ... LIBRARIES external ...)
#
# One module of src/assay, a static library assay_NAME. HEADERS are the public ones: installed, C++17, standard library only.
# DEPENDS are modules of the table in tools/check_layers.py; LIBRARIES come from outside and stay private to the module.
function(assay_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;DEPENDS;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "assay_module(${name}): do not know what '${arg_UNPARSED_ARGUMENTS}' is")
  endif()
  add_library(assay_${name} STATIC ${arg_SOURCES})
  set_target_properties(assay_${name} PROPERTIES EXPORT_NAME ${name} ASSAY_DEPENDS "${arg_DEPENDS}")
  target_compile_features(assay_${name} PRIVATE cxx_std_20)
  target_include_directories(assay_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(assay_${name} PRIVATE $<BUILD_INTERFACE:assay_warnings>)
  foreach(library IN LISTS arg_LIBRARIES)
    assay_is_header_only_(${library} header_only)
    if(header_only)
      target_link_libraries(assay_${name} PRIVATE $<BUILD_INTERFACE:${library}>)
    else()
      target_link_libraries(assay_${name} PRIVATE ${library})
      set_property(TARGET assay_${name} APPEND PROPERTY ASSAY_LINKS ${library})
    endif()
  endforeach()
  foreach(dependency IN LISTS arg_DEPENDS)
    target_link_libraries(assay_${name} PUBLIC assay_${dependency})
  endforeach()
  if(arg_HEADERS)
    target_sources(assay_${name} PUBLIC
      FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${arg_HEADERS})
  endif()
  set_property(GLOBAL APPEND PROPERTY ASSAY_MODULES ${name})
  assay_unity_(assay_${name})
  # Half of the time of a source that includes it.
  set(modules_without_json base stats problem device)
  if(NOT name IN_LIST modules_without_json)
    assay_precompile_(assay_${name} MODULES <nlohmann/json.hpp>)
  endif()
endfunction()

# assay_precompile_(target KIND header ...)
#
# One precompiled header for all targets of a KIND, as one is more than 100 MB: the first of them makes it.
function(assay_precompile_ target kind)
  if(NOT ASSAY_PCH)
    return()
  endif()
  get_property(first GLOBAL PROPERTY ASSAY_PCH_OF_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY ASSAY_PCH_OF_${kind} ${target})
  endif()
endfunction()

# So few at once that two cores find enough to do, and that no compiler needs more than a gigabyte.
function(assay_unity_ target)
  if(ASSAY_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
endfunction()

# Whether a library matters to compiling alone: who links an installed module then need not have it.
function(assay_is_header_only_ library result)
  set(${result} OFF PARENT_SCOPE)
  if(TARGET ${library})
    get_target_property(type ${library} TYPE)
    get_target_property(links ${library} INTERFACE_LINK_LIBRARIES)
    if(type STREQUAL "INTERFACE_LIBRARY" AND NOT links)
      set(${result} ON PARENT_SCOPE)
    endif()
  endif()
endfunction()

# assay_test(module SOURCES ... LIBRARIES module ...)
#
# The unit tests of one module: executable test_MODULE, found by CTest as module.Suite.Name, label `unit`.
function(assay_test module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(test_${module} ${arg_SOURCES})
  if(NOT ASSAY_UNIT_TESTS)
    set_target_properties(test_${module} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  target_compile_features(test_${module} PRIVATE cxx_std_20)
  target_link_libraries(test_${module} PRIVATE assay_warnings GTest::gmock_main)
  foreach(library IN LISTS arg_LIBRARIES)
    target_link_libraries(test_${module} PRIVATE assay_${library})
  endforeach()
  assay_precompile_(test_${module} TESTS <gmock/gmock.h> <gtest/gtest.h> <nlohmann/json.hpp>)
  assay_unity_(test_${module})
  gtest_discover_tests(test_${module} TEST_PREFIX "${module}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit)
  add_dependencies(assay_unit_tests test_${module})
endfunction()

# assay_add_if_there(directory ...)
function(assay_add_if_there)
  foreach(directory IN LISTS ARGN)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${directory}/CMakeLists.txt")
      add_subdirectory(${directory})
    endif()
  endforeach()
endfunction()
