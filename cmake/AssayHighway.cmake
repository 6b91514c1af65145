# Highway: portable SIMD, with the instruction set picked at run time. The configuration file of Debian's package also asks
# for libraries that are not used here, hence by hand. Makes the target assay_hwy where it is found.
find_path(ASSAY_HWY_INCLUDE hwy/highway.h DOC "Where Highway's headers are")
find_library(ASSAY_HWY_LIBRARY hwy DOC "Highway's library")
if(ASSAY_HWY_INCLUDE AND ASSAY_HWY_LIBRARY AND NOT TARGET assay_hwy)
  add_library(assay_hwy INTERFACE)
  target_include_directories(assay_hwy SYSTEM INTERFACE "${ASSAY_HWY_INCLUDE}")
  target_compile_definitions(assay_hwy INTERFACE HWY_SHARED_DEFINE)
  target_link_libraries(assay_hwy INTERFACE "${ASSAY_HWY_LIBRARY}")
endif()
