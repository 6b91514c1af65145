# What find_package(assay) finds: the worker's side (assay::assay, assay::main, assay_add_program). The commands install
# themselves, beside where they are built.

include(CMakePackageConfigHelpers)

# The modules that a user's program links, each after what asked for it.
function(assay_worker_modules_ result)
  set(found measure)
  set(left measure)
  while(left)
    list(POP_FRONT left module)
    get_target_property(dependencies assay_${module} ASSAY_DEPENDS)
    foreach(dependency IN LISTS dependencies)
      if(NOT dependency IN_LIST found)
        list(APPEND found ${dependency})
        list(APPEND left ${dependency})
      endif()
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# find_dependency() for every library that the modules keep to themselves: a static library's final link needs it all the same.
function(assay_worker_dependencies_ modules result)
  set(calls)
  foreach(module IN LISTS modules)
    get_target_property(libraries assay_${module} ASSAY_LINKS)
    foreach(library IN LISTS libraries)
      if(library MATCHES "^([A-Za-z0-9_]+)::([A-Za-z0-9_]+)$" AND NOT CMAKE_MATCH_1 STREQUAL "PkgConfig")
        set(call "find_dependency(${CMAKE_MATCH_1})")
        if(CMAKE_MATCH_1 STREQUAL "OpenSSL")
          set(call "find_dependency(OpenSSL COMPONENTS ${CMAKE_MATCH_2})")
        endif()
        list(APPEND calls "${call}")
      elseif(library AND NOT library MATCHES "^[a-z]+$")
        # A bare name, such as dl, is one of the system's; anything else a user's CMake could not find.
        message(FATAL_ERROR "assay_${module} links ${library}, and the installed package would not know where to find it")
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES calls)
  list(JOIN calls "\n" calls)
  set(${result} "${calls}" PARENT_SCOPE)
endfunction()

if(TARGET assay_worker)
  assay_worker_modules_(modules)
  list(TRANSFORM modules PREPEND assay_ OUTPUT_VARIABLE targets)
  list(APPEND targets assay_worker)
  if(TARGET assay_main_entry)
    list(APPEND targets assay_main_entry)
  endif()
  install(TARGETS ${targets} EXPORT assay-targets ARCHIVE FILE_SET HEADERS)

  assay_worker_dependencies_("${modules}" ASSAY_FIND_DEPENDENCIES)
  set(destination "${CMAKE_INSTALL_LIBDIR}/cmake/assay")
  install(EXPORT assay-targets NAMESPACE assay:: DESTINATION "${destination}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/assay-config.cmake.in"
    "${PROJECT_BINARY_DIR}/assay-config.cmake" INSTALL_DESTINATION "${destination}")
  # Before 1.0 every minor version may change what a program is compiled against.
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/assay-config-version.cmake" COMPATIBILITY SameMinorVersion)
  install(FILES
    "${PROJECT_BINARY_DIR}/assay-config.cmake" "${PROJECT_BINARY_DIR}/assay-config-version.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/AssayProgram.cmake"
    DESTINATION "${destination}")
endif()
