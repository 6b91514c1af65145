# libdw::libdw, of elfutils, which comes without a CMake package of its own.
find_path(libdw_INCLUDE_DIR elfutils/libdw.h)
find_library(libdw_LIBRARY dw)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libdw REQUIRED_VARS libdw_LIBRARY libdw_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "Debian and Ubuntu have it as libdw-dev")
mark_as_advanced(libdw_INCLUDE_DIR libdw_LIBRARY)
if(libdw_FOUND AND NOT TARGET libdw::libdw)
  add_library(libdw::libdw UNKNOWN IMPORTED)
  set_target_properties(libdw::libdw PROPERTIES
    IMPORTED_LOCATION "${libdw_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${libdw_INCLUDE_DIR}")
endif()
