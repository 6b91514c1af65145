# Where CUDA's headers are. Nothing of CUDA is linked: driver, compiler, profiler and management library are opened at run
# time, so that one binary serves machines with and without a GPU. Without the headers the device `cuda` is left out.

option(ASSAY_CUDA "Build the device cuda where CUDA's headers are found" ON)

set(ASSAY_HAS_CUDA OFF)
if(ASSAY_CUDA)
  set(hints "${CUDAToolkit_ROOT}" "$ENV{CUDAToolkit_ROOT}" "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda)
  find_path(ASSAY_CUDA_INCLUDE cuda.h HINTS ${hints} PATH_SUFFIXES include targets/x86_64-linux/include
    DOC "The folder of cuda.h")
  find_path(ASSAY_NVRTC_INCLUDE nvrtc.h HINTS "${ASSAY_CUDA_INCLUDE}" ${hints} PATH_SUFFIXES include
    DOC "The folder of nvrtc.h")
  find_path(ASSAY_CUPTI_INCLUDE cupti.h HINTS "${ASSAY_CUDA_INCLUDE}" ${hints}
    PATH_SUFFIXES include extras/CUPTI/include DOC "The folder of cupti.h")
  if(ASSAY_CUDA_INCLUDE AND ASSAY_NVRTC_INCLUDE AND ASSAY_CUPTI_INCLUDE)
    file(STRINGS "${ASSAY_CUDA_INCLUDE}/cuda.h" version_line REGEX "^#define CUDA_VERSION [0-9]+")
    string(REGEX MATCH "[0-9]+$" ASSAY_CUDA_VERSION "${version_line}")
    # The names of the driver's interface that Assay uses are those of 12.0 and later; the profiler's records are laid out as
    # its header says, and only this layout is read.
    file(STRINGS "${ASSAY_CUPTI_INCLUDE}/cupti_activity.h" records REGEX "^} CUpti_Activity(Kernel10|Memcpy6|Memset4);")
    list(LENGTH records record_count)
    if(ASSAY_CUDA_VERSION GREATER_EQUAL 12000 AND record_count EQUAL 3)
      set(ASSAY_HAS_CUDA ON)
    endif()
  endif()
  if(ASSAY_HAS_CUDA)
    message(STATUS "assay: the device cuda is built with the headers in ${ASSAY_CUDA_INCLUDE} (${ASSAY_CUDA_VERSION})")
  else()
    message(STATUS "assay: no headers of CUDA 13 (cuda.h, nvrtc.h, cupti.h), the device cuda is left out")
  endif()
endif()
