# The CUDA language, for experiments and benches whose kernels are compiled ahead of time. Nothing else of Assay needs nvcc:
# where it is not found, they are left out and the rest is built as ever.

option(ASSAY_CUDA_EXPERIMENTS "Build the experiments and benches in CUDA C++ where nvcc is found" ON)

set(ASSAY_HAS_NVCC OFF)
# The sanitizers' flags are given to every language, and nvcc does not know them.
if(ASSAY_CUDA_EXPERIMENTS AND NOT ASSAY_SANITIZE)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(ASSAY_NVCC nvcc HINTS "${CUDAToolkit_ROOT}/bin" "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin" /usr/local/cuda/bin
      DOC "NVIDIA's compiler")
    if(ASSAY_NVCC)
      set(ENV{CUDACXX} "${ASSAY_NVCC}")
    endif()
  endif()
  # One host compiler for both languages, so that a program's files agree about the standard library.
  if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX})
    set(CMAKE_CUDA_HOST_COMPILER "${CMAKE_CXX_COMPILER}" CACHE FILEPATH "The host compiler that nvcc calls")
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    # "native" would need the GPU at the time of building. Machine code for the two data-centre generations before the newest,
    # and PTX, which the driver compiles, for whatever comes later.
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      set(CMAKE_CUDA_ARCHITECTURES "80-real;90" CACHE STRING "Compute capabilities that CUDA C++ is compiled for")
    endif()
    if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
      set(CMAKE_CUDA_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(ASSAY_HAS_NVCC ON)
    message(STATUS "assay: CUDA C++ is compiled by nvcc ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
  else()
    message(STATUS "assay: no nvcc that works, the experiments and benches in CUDA C++ are left out")
  endif()
endif()
