// SPDX-License-Identifier: MIT
//
// Context: what a subject is called with. Typed views of its inputs and outputs, the case, the
// queue to enqueue on, counted scratch.
//
// Looking a tensor up costs about a nanosecond and happens inside the interval, as it would in a
// caller's argument set-up. A subject of a few nanoseconds takes it by position (input<float>(0)),
// which is a load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/problem/tensor.hpp"

namespace assay {

namespace detail {

// A kernel made ready for one cell: what a source subject's loop runs.
class Launch {
 public:
  virtual ~Launch() = default;
  virtual void run(std::int64_t iterations) = 0;
};

}  // namespace detail

class Context {
 public:
  struct Slot {
    std::string name;
    const Tensor* tensor;
    void* data;
  };
  // Memory of the device, 64-byte aligned, freed with its last owner.
  using Allocate = std::function<std::shared_ptr<void>(std::size_t bytes)>;

  // Built by the worker, one per cell and subject: all of a cell share inputs and outputs, each has
  // its own scratch.
  Context(const Case* the_case, std::vector<Slot> inputs, std::vector<Slot> outputs, int threads,
          void* stream, Allocate allocate);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Case& which() const noexcept { return *case_; }
  std::int64_t integer(std::string_view axis) const { return case_->integer(axis); }
  double number(std::string_view axis) const { return case_->number(axis); }
  const std::string& text(std::string_view axis) const { return case_->text(axis); }

  // Throw Error{usage} for an unknown name, a position out of range, or a T of another size than
  // the tensor's dtype.
  template <typename T>
  View<const T> input(std::string_view name) const {
    return view<const T>(inputs_, name);
  }
  template <typename T>
  View<const T> input(int position) const {
    return view<const T>(inputs_, position);
  }
  // An input that is declared mutable in place.
  template <typename T>
  View<T> inout(std::string_view name) const {
    return view<T>(inputs_, name);
  }
  template <typename T>
  View<T> output(std::string_view name) const {
    return view<T>(outputs_, name);
  }
  template <typename T>
  View<T> output(int position) const {
    return view<T>(outputs_, position);
  }

  // Uninitialised memory that lives as long as the cell, 64-byte aligned; the same `name` gives the
  // same memory again, to prepare() and to every call. The bytes are counted per subject in the
  // record. Throws Error{usage} if more is asked for than under that name at first.
  void* scratch_bytes(std::string_view name, std::size_t bytes);
  template <typename T>
  T* scratch(std::string_view name, std::size_t count) {
    return static_cast<T*>(scratch_bytes(name, count * sizeof(T)));
  }

  // Threads that the subject was declared with (1 unless .threads()).
  int threads() const noexcept { return threads_; }
  // The queue: a CUDA stream on a CUDA device, nullptr on the CPU.
  void* stream() const noexcept { return stream_; }

  // For the worker: what a source subject launches. Throws Error{usage} if there is nothing yet.
  void set_launch(std::shared_ptr<detail::Launch> launch);
  detail::Launch& launch() const;

  // For the worker: the scratch handed out, which a cold sample flushes too.
  struct Scratch {
    std::string name;
    std::size_t bytes;
    std::shared_ptr<void> memory;
  };
  const std::vector<Scratch>& scratch_areas() const noexcept { return scratch_; }

 private:
  template <typename T>
  View<T> view(const std::vector<Slot>& slots, std::string_view name) const {
    for (const Slot& slot : slots) {
      if (slot.name == name) return typed<T>(slot);
    }
    no_such_tensor(slots, name);
  }
  template <typename T>
  View<T> view(const std::vector<Slot>& slots, int position) const {
    if (position < 0 || static_cast<std::size_t>(position) >= slots.size())
      no_such_tensor(slots, std::to_string(position));
    return typed<T>(slots[static_cast<std::size_t>(position)]);
  }
  template <typename T>
  View<T> typed(const Slot& slot) const {
    if (slot.tensor->dtype().size_bytes != sizeof(T)) wrong_type(slot, sizeof(T));
    return View<T>(static_cast<T*>(slot.data), slot.tensor);
  }
  [[noreturn]] void no_such_tensor(const std::vector<Slot>& slots, std::string_view name) const;
  [[noreturn]] void wrong_type(const Slot& slot, std::size_t asked_bytes) const;

  const Case* case_;
  std::vector<Slot> inputs_;
  std::vector<Slot> outputs_;
  std::vector<Scratch> scratch_;
  int threads_;
  void* stream_;
  Allocate allocate_;
  std::shared_ptr<detail::Launch> launch_;  // after the scratch that its arguments point to
};

}  // namespace assay
