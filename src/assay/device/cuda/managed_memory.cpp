// SPDX-License-Identifier: MIT
#include "assay/device/cuda/managed_memory.hpp"

#include <algorithm>

namespace assay::device::cuda {

void ManagedMemory::own(std::string owner) {
  const std::lock_guard lock(guard_);
  owner_ = std::move(owner);
}

void ManagedMemory::allocated(std::uint64_t address, std::int64_t bytes) {
  const std::lock_guard lock(guard_);
  blocks_.insert_or_assign(address, Block{owner_, bytes});
  Held& held = held_[owner_];
  held.now += bytes;
  held.most = std::max(held.most, held.now);
}

void ManagedMemory::freed(std::uint64_t address) {
  const std::lock_guard lock(guard_);
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return;
  held_[block->second.owner].now -= block->second.bytes;
  blocks_.erase(block);
}

void ManagedMemory::begin_peak() {
  const std::lock_guard lock(guard_);
  for (auto& [owner, held] : held_) held.most = held.now;
}

std::int64_t ManagedMemory::most_of(const std::string& owner) const {
  const std::lock_guard lock(guard_);
  const auto held = held_.find(owner);
  return held == held_.end() ? 0 : held->second.most;
}

void note_call(ManagedMemory& memory, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const auto* result = static_cast<const CUresult*>(data.functionReturnValue);
  if (data.callbackSite != CUPTI_API_EXIT || data.functionParams == nullptr || result == nullptr ||
      *result != CUDA_SUCCESS) {
    return;
  }
  if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged) {
    const auto& call = *static_cast<const cuMemAllocManaged_params*>(data.functionParams);
    if (call.dptr == nullptr) return;
    memory.allocated(*call.dptr, static_cast<std::int64_t>(call.bytesize));
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2) {
    memory.freed(static_cast<const cuMemFree_v2_params*>(data.functionParams)->dptr);
  }
}

}  // namespace assay::device::cuda
