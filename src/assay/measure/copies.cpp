// SPDX-License-Identifier: MIT
#include "assay/measure/copies.hpp"

#include <algorithm>

#include "assay/base/error.hpp"

namespace assay::measure {
namespace {

// What is asked of memory beside the copies themselves: they need not fill it to the last byte.
constexpr double most_of_memory = 0.9;

}  // namespace

Copies::Copies(const Contract& contract, const Case& the_case, device::Device& device,
               std::uint64_t placement_key, const Helpers& helpers)
    : contract_(&contract),
      case_(the_case),
      device_(&device),
      placement_key_(placement_key),
      helpers_(helpers) {
  all_.push_back(make());
  is_touched_.push_back(false);
}

std::unique_ptr<Workspace> Copies::make() const {
  return Workspace::of_case(*contract_, case_, *device_, placement_key_, helpers_);
}

void Copies::rotate() {
  const std::string name =
      "the case '" + case_.id() + "' of the problem '" + contract_->problem + "'";
  const Reading<Rotation> rotation =
      rotation_for(first().footprint_bytes(), device_->last_level_cache_bytes());
  if (!rotation) throw Error(ErrorKind::usage, name + " " + rotation.missing().detail);
  // A kept original of what is written in place is as large again.
  const std::int64_t needed =
      (rotation->bytes - first().footprint_bytes()) * (first().has_in_place() ? 2 : 1);
  device_->begin_memory_peak();  // what earlier cells needed is free again
  const std::optional<MemoryUse> use = device_->memory_use();
  const Reading<std::int64_t> spare =
      use ? use->spare_bytes() : Missing{"not-told", "the device does not tell"};
  if (spare && static_cast<double>(needed) > most_of_memory * static_cast<double>(*spare)) {
    throw Error(ErrorKind::device,
                name + " cannot be rotated: " + std::to_string(rotation->copies) +
                    " copies of its " + std::to_string(first().footprint_bytes()) + " bytes need " +
                    std::to_string(needed) + " bytes more, and " +
                    std::to_string(std::max<std::int64_t>(*spare, 0)) + " are left of the " +
                    use->capacity_of + "'s memory; use the state cold, or a smaller case");
  }
  while (all_.size() < static_cast<std::size_t>(rotation->copies)) all_.push_back(make());
  is_touched_.assign(all_.size(), false);
  rotation_ = *rotation;
}

std::size_t Copies::take_next() noexcept {
  const std::size_t taken = next_;
  next_ = (next_ + 1) % all_.size();
  return taken;
}

bool Copies::take_touch(std::size_t index) noexcept {
  const bool was_touched = is_touched_[index];
  is_touched_[index] = false;
  return was_touched;
}

void Copies::fill(std::uint64_t content_key) {
  for (const auto& copy : all_) copy->fill(content_key);
}

void Copies::renew(std::uint64_t content_key, Workspace::Extent extent) {
  std::vector<device::Range> written;
  for (const auto& copy : all_) {
    const std::vector<device::Range> ranges = copy->renew(content_key, extent);
    written.insert(written.end(), ranges.begin(), ranges.end());
  }
  if (rotation_ && !written.empty()) device_->evict(device::Eviction::clean, written);
}

void Copies::watch_inputs() {
  for (const auto& copy : all_) copy->watch_inputs();
  is_touched_.assign(all_.size(), true);
}

}  // namespace assay::measure
