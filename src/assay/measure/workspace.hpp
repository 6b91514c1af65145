// SPDX-License-Identifier: MIT
//
// Workspace: the tensors of one case in the device's memory, between their guard zones. Filled,
// renewed, poisoned, restored, copied out and watched for what a subject may not do. All subjects
// of a cell work on the same workspace, so that where memory lies is the same for all. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/measure/context.hpp"
#include "assay/problem/content.hpp"
#include "assay/problem/contract.hpp"
#include "assay/problem/placement.hpp"
#include "assay/problem/reference.hpp"

namespace assay::measure {

// One tensor in an allocation of its own. Host code looks at it and changes it through `host()`,
// which is the memory itself or, where the device's is not the host's, a copy.
class Buffer {
 public:
  // shift_bytes: how far the whole placement begins behind the start of the memory, below one page.
  // A device with memory of its own has nothing of it before the first commit(), and the host no
  // copy of it before that is asked for: allocating is the device's work alone.
  Buffer(std::string name, Tensor tensor, device::Device& device, std::uint64_t guard_key,
         std::size_t shift_bytes);

  const std::string& name() const noexcept { return name_; }
  const Tensor& tensor() const noexcept { return tensor_; }
  void* data() const noexcept;  // the first element, on the device

  // The first element on the host, brought up to date; valid until the next call.
  std::byte* host();
  // As host() left it, or as it was changed there since: what the memory holds where no subject may
  // write, without asking the device for it. Where subjects may write, the same as host().
  std::byte* written();
  // After a change by the host: brings it to the device, all of it or these elements.
  void commit();
  void commit(const Window& window);
  // Changes one element where it lies, and nothing around it.
  void write_element(std::int64_t index, const std::vector<std::byte>& element);

  // What the guards say, as a sentence; absent if they are intact. Damaged ones are armed again.
  std::optional<std::string> guard_damage();

  // Keeps the elements as they are now / brings the kept ones back, on the device.
  void keep_original();
  void restore_original();
  bool has_original() const noexcept { return original_.data() != nullptr; }
  // The kept elements on the host.
  const std::byte* original_host();

  device::Range range() const noexcept { return {memory_.data(), memory_.bytes()}; }
  // Where these elements lie; more than that where elements are not in order.
  std::vector<device::Range> ranges(const Window& window) const;

 private:
  std::byte* host_copy();

  std::string name_;
  Tensor tensor_;
  device::Device* device_;
  std::uint64_t guard_key_;
  Placement placement_;
  std::size_t shift_bytes_;
  bool is_dense_;  // elements lie in order, without gaps
  device::Allocation memory_;
  device::Allocation original_;       // payload only
  std::vector<std::byte> host_copy_;  // of memory_, where the device's memory is not the host's
  std::vector<std::byte> original_copy_;
};

// Elements as they lay after a call: of the outputs, then of the inputs that may be written.
struct OutputCopy {
  std::vector<std::vector<std::byte>> payloads;
  std::uint64_t poison_key = 0;
  std::optional<std::string> out_of_bounds;
  std::optional<std::string> input_changed;
};

class Workspace {
 public:
  // Tensors in the order of the contract. Contents are undefined until fill(). Where each tensor
  // begins inside a page is drawn from the key. helpers: for work on whole tensors.
  Workspace(const Contract& contract, const Case& the_case, device::Device& device,
            std::vector<Tensor> inputs, std::vector<Tensor> outputs, std::uint64_t placement_key,
            const Helpers& helpers = {});
  // The tensors that the contract gives for the case.
  static std::unique_ptr<Workspace> of_case(const Contract& contract, const Case& the_case,
                                            device::Device& device, std::uint64_t placement_key,
                                            const Helpers& helpers = {});

  const Case& which() const noexcept { return case_; }
  const Helpers& helpers() const noexcept { return helpers_; }
  std::int64_t footprint_bytes() const noexcept;
  bool has_in_place() const noexcept;
  std::deque<Buffer>& inputs() noexcept { return inputs_; }
  std::deque<Buffer>& outputs() noexcept { return outputs_; }

  // Every input anew under the key; outputs are poisoned.
  void fill(std::uint64_t content_key);
  // Every input that may change, under the key: a window of it, which costs little, or the whole.
  // Gives where memory was touched for it.
  enum class Extent { window, whole };
  std::vector<device::Range> renew(std::uint64_t content_key, Extent extent = Extent::window);
  // Names the content that the inputs have now: the same fills and renewals give the same.
  std::uint64_t content_id() const noexcept { return content_id_; }

  // Inputs that a subject may have written get the content of fill() or renew() back.
  void restore_in_place();
  void poison_outputs(std::uint64_t key);
  // A few elements spread over every output, without touching the rest of the caches.
  void poison_few(std::uint64_t key);
  // For the fake device: makes one element of the first output wrong.
  void spoil_output();

  // Remembers what the inputs hold (a pass over all of them), for take_outputs() to look at.
  void watch_inputs();
  // After a call: the outputs, and whether anything was written that may not be. Damage is undone:
  // guards are armed, changed inputs are filled again. watch_inputs() must have come after the last
  // fill() or renew().
  OutputCopy take_outputs();

  // Inputs as they were before any call.
  std::vector<InputContent> contents();
  std::vector<device::Range> ranges() const;
  std::unique_ptr<Context> make_context(int threads);

 private:
  void keep_originals();
  std::optional<std::string> changed_inputs();

  const Contract* contract_;
  Case case_;
  device::Device* device_;
  Helpers helpers_;
  std::deque<Buffer> inputs_;  // deque: contexts point at the tensors
  std::deque<Buffer> outputs_;
  std::vector<std::uint64_t> hashes_;  // of the inputs that are watched; empty: none are
  std::vector<std::pair<std::uint64_t, Extent>> renewals_;
  std::uint64_t placement_key_;
  std::uint64_t content_key_ = 0;
  std::uint64_t content_id_ = 0;
  std::uint64_t poison_key_ = 0;
};

}  // namespace assay::measure
