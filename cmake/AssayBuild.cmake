# How Assay's own targets are built. What a user of Assay gets is in AssayProgram.cmake.

option(ASSAY_WERROR "Treat warnings in Assay's own code as errors" ON)

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wsign-conversion;-Wshadow;-Wold-style-cast;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wdouble-promotion;-Wundef>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wnull-dereference>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ASSAY_WERROR}>>:-Werror>)

# assay_module(NAME SOURCES ... HEADERS ... DEPENDS module ... LIBRARIES external ...)
#
# One module of src/assay, a static library assay_NAME. HEADERS are the public ones: installed, C++17, standard library only.
# DEPENDS are modules of the table in tools/check_layers.py; LIBRARIES come from outside and stay private to the module.
function(assay_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;HEADERS;DEPENDS;LIBRARIES")
  add_library(assay_${name} STATIC ${arg_SOURCES})
  set_target_properties(assay_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(assay_${name} PRIVATE cxx_std_20)
  target_include_directories(assay_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  target_link_libraries(assay_${name} PRIVATE $<BUILD_INTERFACE:assay_warnings> ${arg_LIBRARIES})
  foreach(dependency IN LISTS arg_DEPENDS)
    target_link_libraries(assay_${name} PUBLIC assay_${dependency})
  endforeach()
  if(arg_HEADERS)
    target_sources(assay_${name} PUBLIC
      FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/src" FILES ${arg_HEADERS})
  endif()
  set_property(GLOBAL APPEND PROPERTY ASSAY_MODULES assay_${name})
endfunction()

# assay_test(module SOURCES ... LIBRARIES module ...)
#
# The unit tests of one module: executable test_MODULE, found by CTest as module.Suite.Name, label `unit`.
function(assay_test module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(test_${module} ${arg_SOURCES})
  target_compile_features(test_${module} PRIVATE cxx_std_20)
  target_link_libraries(test_${module} PRIVATE assay_warnings GTest::gmock_main)
  foreach(library IN LISTS arg_LIBRARIES)
    target_link_libraries(test_${module} PRIVATE assay_${library})
  endforeach()
  gtest_discover_tests(test_${module} TEST_PREFIX "${module}." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS unit)
endfunction()
