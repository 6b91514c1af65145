# What find_package(assay) finds: the worker's side (assay::assay, assay::main, assay_add_program), beside the commands.

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

foreach(tool IN ITEMS assay_cli assay_probe)
  if(TARGET ${tool})
    install(TARGETS ${tool} RUNTIME)
  endif()
endforeach()

if(TARGET assay_worker)
  assay_worker_modules_(modules)
  list(TRANSFORM modules PREPEND assay_ OUTPUT_VARIABLE targets)
  list(APPEND targets assay_worker)
  if(TARGET assay_main_entry)
    list(APPEND targets assay_main_entry)
  endif()
  install(TARGETS ${targets} EXPORT assay-targets ARCHIVE FILE_SET HEADERS)

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
