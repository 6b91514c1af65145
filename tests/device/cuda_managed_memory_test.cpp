// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "assay/device/cuda/managed_memory.hpp"

namespace {

using namespace assay::device::cuda;

TEST(ManagedMemory, CountsThePeakOfEachCellAnew) {
  ManagedMemory memory;
  memory.own("p/a");
  memory.allocated(1, 1000);
  memory.allocated(2, 10);
  memory.freed(1);
  EXPECT_EQ(memory.most_of("p/a"), 1010);
  memory.begin_peak();
  EXPECT_EQ(memory.most_of("p/a"), 10) << "what it still holds";
  memory.allocated(3, 5);
  EXPECT_EQ(memory.most_of("p/a"), 15);
}

TEST(ManagedMemory, BelongsToWhoseCodeAllocatedIt) {
  ManagedMemory memory;
  memory.allocated(0x1000, 7);  // before any subject
  memory.own("p/a");
  memory.allocated(0x2000, 100);
  memory.own("p/b");
  memory.allocated(0x3000, 30);
  EXPECT_EQ(memory.most_of("p/a"), 100);
  EXPECT_EQ(memory.most_of("p/b"), 30);
  EXPECT_EQ(memory.most_of(""), 7);
  EXPECT_EQ(memory.most_of("p/never"), 0);
}

TEST(ManagedMemory, IsTheMostThatWasHeldAtOnceWhoeverFreesIt) {
  ManagedMemory memory;
  memory.own("p/a");
  memory.allocated(0x1000, 100);
  memory.own("p/b");
  memory.freed(0x1000);
  memory.freed(0x9000);  // of another kind
  memory.own("p/a");
  memory.allocated(0x1000, 60);
  EXPECT_EQ(memory.most_of("p/a"), 100);
  memory.allocated(0x2000, 60);
  EXPECT_EQ(memory.most_of("p/a"), 120);
}

// What CUPTI hands to a callback at the end of a call of the driver.
struct Call {
  CUresult result = CUDA_SUCCESS;
  CUpti_CallbackData data{};

  void end(ManagedMemory& memory, CUpti_CallbackId id, const void* params,
           CUpti_ApiCallbackSite site = CUPTI_API_EXIT) {
    data.callbackSite = site;
    data.functionReturnValue = &result;
    data.functionParams = params;
    note_call(memory, id, data);
  }
};

TEST(ManagedMemory, IsSeenInTheDriversCalls) {
  ManagedMemory memory;
  memory.own("p/a");
  CUdeviceptr address = 0x7000;
  const cuMemAllocManaged_params allocation{&address, 4096, CU_MEM_ATTACH_GLOBAL};
  Call().end(memory, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, &allocation);
  EXPECT_EQ(memory.most_of("p/a"), 4096);
  const cuMemFree_v2_params release{0x7000};
  Call().end(memory, CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, &release);
  address = 0x8000;
  Call().end(memory, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, &allocation);
  EXPECT_EQ(memory.most_of("p/a"), 4096) << "the first was freed";
}

TEST(ManagedMemory, IsNotInCallsThatFailedOrBeginOrAreOthers) {
  ManagedMemory memory;
  CUdeviceptr address = 0x7000;
  const cuMemAllocManaged_params allocation{&address, 4096, CU_MEM_ATTACH_GLOBAL};
  Call failed;
  failed.result = CUDA_ERROR_OUT_OF_MEMORY;
  failed.end(memory, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, &allocation);
  Call().end(memory, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, &allocation, CUPTI_API_ENTER);
  Call().end(memory, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &allocation);
  Call().end(memory, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, nullptr);
  EXPECT_EQ(memory.most_of(""), 0);
}

}  // namespace
