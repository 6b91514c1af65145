// SPDX-License-Identifier: MIT
#include "assay/measure/workspace.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "assay/base/large_memory.hpp"
#include "assay/base/random.hpp"
#include "assay/problem/content.hpp"

namespace assay::measure {
namespace {

std::string hex(std::uint64_t key) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = digits[(key >> (4 * i)) & 0xfU];
  return text;
}

// Content that is fixed does not depend on any key of the run.
std::uint64_t key_of_input(const InputSpec& spec, const std::string& problem, std::uint64_t key) {
  return derive_key(spec.renewal == Renewal::fixed ? 0 : key, {"input", problem, spec.name});
}

}  // namespace

Buffer::Buffer(std::string name, Tensor tensor, device::Device& device, std::uint64_t guard_key,
               std::size_t shift_bytes)
    : name_(std::move(name)),
      tensor_(std::move(tensor)),
      device_(&device),
      guard_key_(guard_key),
      placement_(placement_of(tensor_)),
      shift_bytes_(shift_bytes),
      is_dense_(tensor_.is_dense()),
      // A page more whatever the shift is: the size of the allocation must not depend on the draw.
      memory_(device.allocate(placement_.total_bytes + page_bytes)) {
  ASSAY_EXPECTS(shift_bytes < page_bytes);
  if (!device.is_host_memory()) return;
  // Defined from the start: hashing or comparing never reads indeterminate bytes.
  std::memset(memory_.data(), 0, memory_.bytes());
  arm_guards(tensor_, written() - placement_.payload_offset, guard_key_);
}

std::byte* Buffer::host_copy() {
  if (host_copy_.empty()) {
    host_copy_ = large_vector<std::byte>(memory_.bytes());
    arm_guards(tensor_, host_copy_.data() + shift_bytes_, guard_key_);
  }
  return host_copy_.data();
}

void* Buffer::data() const noexcept {
  return static_cast<std::byte*>(memory_.data()) + shift_bytes_ + placement_.payload_offset;
}

std::byte* Buffer::host() {
  if (device_->is_host_memory()) return static_cast<std::byte*>(data());
  device_->copy_to_host(host_copy(), memory_.data(), memory_.bytes());
  return host_copy() + shift_bytes_ + placement_.payload_offset;
}

std::byte* Buffer::written() {
  if (device_->is_host_memory() || has_original()) return host();
  return host_copy() + shift_bytes_ + placement_.payload_offset;
}

void Buffer::commit() {
  if (device_->is_host_memory()) return;
  device_->copy_from_host(memory_.data(), host_copy(), memory_.bytes());
}

void Buffer::commit(const Window& window) {
  if (device_->is_host_memory() || window.count == 0) return;
  if (!is_dense_ || window.count == tensor_.element_count()) return commit();
  const std::size_t element_bytes = tensor_.dtype().size_bytes;
  const std::byte* host = host_copy() + shift_bytes_ + placement_.payload_offset;
  const auto bring = [&](std::int64_t first, std::int64_t count) {
    const auto begin = static_cast<std::size_t>(first) * element_bytes;
    device_->copy_from_host(static_cast<std::byte*>(data()) + begin, host + begin,
                            static_cast<std::size_t>(count) * element_bytes);
  };
  // It goes on from the first element where it meets the end.
  const std::int64_t until_end = std::min(window.count, tensor_.element_count() - window.first);
  bring(window.first, until_end);
  if (until_end < window.count) bring(0, window.count - until_end);
}

std::vector<device::Range> Buffer::ranges(const Window& window) const {
  if (window.count == 0) return {};
  if (!is_dense_ || window.count >= tensor_.element_count()) return {range()};
  const std::size_t element_bytes = tensor_.dtype().size_bytes;
  const auto* first = static_cast<const std::byte*>(data());
  const auto part = [&](std::int64_t begin, std::int64_t count) {
    return device::Range{first + static_cast<std::size_t>(begin) * element_bytes,
                         static_cast<std::size_t>(count) * element_bytes};
  };
  const std::int64_t until_end = std::min(window.count, tensor_.element_count() - window.first);
  std::vector<device::Range> ranges{part(window.first, until_end)};
  if (until_end < window.count) ranges.push_back(part(0, window.count - until_end));
  return ranges;
}

void Buffer::write_element(std::int64_t index, const std::vector<std::byte>& element) {
  const auto place = static_cast<std::size_t>(tensor_.offset_of(index)) * element.size();
  std::byte* on_device = static_cast<std::byte*>(data()) + place;
  if (device_->is_host_memory()) {
    std::memcpy(on_device, element.data(), element.size());
  } else {
    device_->copy_from_host(on_device, element.data(), element.size());
  }
}

std::optional<std::string> Buffer::guard_damage() {
  std::byte* allocation = host() - placement_.payload_offset;
  const GuardReport report = check_guards(tensor_, allocation, guard_key_);
  if (report.intact()) return std::nullopt;
  arm_guards(tensor_, allocation, guard_key_);
  commit();
  return report.text(name_, tensor_);
}

void Buffer::keep_original() {
  if (!has_original()) original_ = device_->allocate(placement_.payload_bytes);
  device_->copy_within(original_.data(), data(), placement_.payload_bytes);
}

void Buffer::restore_original() {
  device_->copy_within(data(), original_.data(), placement_.payload_bytes);
}

const std::byte* Buffer::original_host() {
  if (device_->is_host_memory()) return static_cast<const std::byte*>(original_.data());
  original_copy_.resize(placement_.payload_bytes);
  device_->copy_to_host(original_copy_.data(), original_.data(), placement_.payload_bytes);
  return original_copy_.data();
}

Workspace::Workspace(const Contract& contract, const Case& the_case, device::Device& device,
                     std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                     std::uint64_t placement_key, const Helpers& helpers)
    : contract_(&contract),
      case_(the_case),
      device_(&device),
      helpers_(helpers),
      placement_key_(placement_key) {
  ASSAY_EXPECTS(inputs.size() == contract.inputs.size());
  ASSAY_EXPECTS(outputs.size() == contract.outputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = contract.inputs[i].name;
    inputs_.emplace_back(name, std::move(inputs[i]), device, derive_key(i, {"guard", name}),
                         drawn_shift_bytes(placement_key, name));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = contract.outputs[i].name;
    outputs_.emplace_back(name, std::move(outputs[i]), device, derive_key(i, {"guard", name}),
                          drawn_shift_bytes(placement_key, name));
  }
}

std::unique_ptr<Workspace> Workspace::of_case(const Contract& contract, const Case& the_case,
                                              device::Device& device, std::uint64_t placement_key,
                                              const Helpers& helpers) {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  for (const InputSpec& spec : contract.inputs) inputs.push_back(spec.tensor(the_case));
  for (const OutputSpec& spec : contract.outputs) outputs.push_back(spec.tensor(the_case));
  return std::make_unique<Workspace>(contract, the_case, device, std::move(inputs),
                                     std::move(outputs), placement_key, helpers);
}

std::int64_t Workspace::footprint_bytes() const noexcept {
  std::size_t bytes = 0;
  for (const Buffer& buffer : inputs_) bytes += buffer.tensor().bytes();
  for (const Buffer& buffer : outputs_) bytes += buffer.tensor().bytes();
  return static_cast<std::int64_t>(bytes);
}

bool Workspace::has_in_place() const noexcept {
  return std::any_of(contract_->inputs.begin(), contract_->inputs.end(),
                     [](const InputSpec& spec) { return spec.mutable_in_place; });
}

void Workspace::keep_originals() {
  hashes_.clear();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (contract_->inputs[i].mutable_in_place) inputs_[i].keep_original();
  }
}

void Workspace::watch_inputs() {
  hashes_.clear();
  for (Buffer& buffer : inputs_) {
    hashes_.push_back(
        buffer.has_original() ? 0 : content_hash(buffer.tensor(), buffer.host(), helpers_));
  }
}

void Workspace::fill(std::uint64_t content_key) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const InputSpec& spec = contract_->inputs[i];
    Buffer& buffer = inputs_[i];
    const std::uint64_t key = key_of_input(spec, contract_->problem, content_key);
    std::byte* payload = buffer.written();
    assay::fill(buffer.tensor(), key, payload, helpers_);
    if (spec.renewal == Renewal::mutate) {
      assay::renew(spec, case_, buffer.tensor(), key, payload);
    }
    buffer.commit();
  }
  content_key_ = content_key;
  renewals_.clear();
  content_id_ = derive_key(content_key, {"fill"});
  keep_originals();
  poison_outputs(derive_key(content_id_, {"poison"}));
}

std::vector<device::Range> Workspace::renew(std::uint64_t content_key, Extent extent) {
  restore_in_place();
  std::vector<device::Range> touched;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const InputSpec& spec = contract_->inputs[i];
    Buffer& buffer = inputs_[i];
    if (buffer.has_original()) touched.push_back(buffer.range());
    if (spec.renewal == Renewal::fixed) continue;
    const std::uint64_t key = key_of_input(spec, contract_->problem, content_key);
    const Window window = extent == Extent::whole
                              ? assay::renew(spec, case_, buffer.tensor(), key, buffer.written(),
                                             std::numeric_limits<std::int64_t>::max(), helpers_)
                              : assay::renew(spec, case_, buffer.tensor(), key, buffer.written());
    buffer.commit(window);
    const std::vector<device::Range> ranges = buffer.ranges(window);
    touched.insert(touched.end(), ranges.begin(), ranges.end());
  }
  renewals_.emplace_back(content_key, extent);
  const char* step = extent == Extent::whole ? "renew-whole" : "renew";
  content_id_ = derive_key(content_id_, {step, hex(content_key)});
  keep_originals();
  return touched;
}

void Workspace::restore_in_place() {
  for (Buffer& buffer : inputs_) {
    if (buffer.has_original()) buffer.restore_original();
  }
}

void Workspace::poison_outputs(std::uint64_t key) {
  poison_key_ = key;
  for (Buffer& buffer : outputs_) {
    poison_elements(buffer.tensor(), buffer.written(), key);
    buffer.commit();
  }
}

void Workspace::poison_few(std::uint64_t key) {
  constexpr std::uint64_t few = 32;
  for (Buffer& buffer : outputs_) {
    const Tensor& tensor = buffer.tensor();
    const auto count = static_cast<std::uint64_t>(tensor.element_count());
    if (count == 0) continue;
    const std::vector<std::byte> element = poison_element(tensor.dtype(), poison_key_);
    Random random(derive_key(key, {"few", buffer.name()}));
    for (std::uint64_t i = 0; i < std::min(few, count); ++i) {
      buffer.write_element(static_cast<std::int64_t>(random.next_below(count)), element);
    }
  }
}

void Workspace::spoil_output() {
  const auto spoil = [](Buffer& buffer) {
    if (buffer.tensor().element_count() == 0) return;
    std::byte* element = buffer.host();
    for (std::size_t i = 0; i < buffer.tensor().dtype().size_bytes; ++i) element[i] = ~element[i];
    buffer.commit();
  };
  if (!outputs_.empty()) {
    spoil(outputs_.front());
    return;
  }
  for (Buffer& buffer : inputs_) {
    if (buffer.has_original()) return spoil(buffer);
  }
}

std::optional<std::string> Workspace::changed_inputs() {
  ASSAY_EXPECTS(hashes_.size() == inputs_.size());
  std::optional<std::string> changed;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (contract_->inputs[i].mutable_in_place) continue;
    if (content_hash(inputs_[i].tensor(), inputs_[i].host(), helpers_) == hashes_[i]) continue;
    changed = (changed ? *changed + ", " : std::string()) + "'" + inputs_[i].name() + "'";
  }
  if (!changed) return std::nullopt;
  // The other subjects must see what they would have seen: the same steps give the same content.
  const auto renewals = renewals_;
  fill(content_key_);
  for (const auto& [key, extent] : renewals) renew(key, extent);
  watch_inputs();
  return "the input " + *changed + " was changed by the call, and is not declared in_place()";
}

OutputCopy Workspace::take_outputs() {
  OutputCopy copy;
  copy.poison_key = poison_key_;
  const auto take = [&](Buffer& buffer) {
    const std::byte* payload = buffer.host();
    copy.payloads.push_back(
        large_copy(payload, payload + placement_of(buffer.tensor()).payload_bytes));
  };
  for (Buffer& buffer : outputs_) take(buffer);
  for (Buffer& buffer : inputs_) {
    if (buffer.has_original()) take(buffer);
  }
  for (std::deque<Buffer>* buffers : {&inputs_, &outputs_}) {
    for (Buffer& buffer : *buffers) {
      if (auto damage = buffer.guard_damage(); damage && !copy.out_of_bounds) {
        copy.out_of_bounds = std::move(damage);
      }
    }
  }
  copy.input_changed = changed_inputs();
  return copy;
}

std::vector<InputContent> Workspace::contents() {
  std::vector<InputContent> contents;
  for (Buffer& buffer : inputs_) {
    contents.push_back(
        {&buffer.tensor(), buffer.has_original() ? buffer.original_host() : buffer.host()});
  }
  return contents;
}

std::vector<device::Range> Workspace::ranges() const {
  std::vector<device::Range> ranges;
  for (const Buffer& buffer : inputs_) ranges.push_back(buffer.range());
  for (const Buffer& buffer : outputs_) ranges.push_back(buffer.range());
  return ranges;
}

std::unique_ptr<Context> Workspace::make_context(int threads) {
  const auto slots = [](std::deque<Buffer>& buffers) {
    std::vector<Context::Slot> result;
    for (Buffer& buffer : buffers)
      result.push_back({buffer.name(), &buffer.tensor(), buffer.data()});
    return result;
  };
  // By its number, so that the first scratch of every subject begins at the same place in a page.
  const auto allocate = [device = device_, key = placement_key_,
                         number = 0](std::size_t bytes) mutable -> std::shared_ptr<void> {
    const std::size_t shift = drawn_shift_bytes(key, "scratch " + std::to_string(number++));
    auto memory = std::make_shared<device::Allocation>(device->allocate(bytes + page_bytes));
    return std::shared_ptr<void>(memory, static_cast<std::byte*>(memory->data()) + shift);
  };
  return std::make_unique<Context>(&case_, slots(inputs_), slots(outputs_), threads,
                                   device_->stream(), allocate);
}

}  // namespace assay::measure
