// SPDX-License-Identifier: MIT
#include "assay/measure/context.hpp"

#include "assay/base/error.hpp"

namespace assay {

Context::Context(const Case* the_case, std::vector<Slot> inputs, std::vector<Slot> outputs,
                 int threads, void* stream, Allocate allocate)
    : case_(the_case),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      threads_(threads),
      stream_(stream),
      allocate_(std::move(allocate)) {}

Context::~Context() = default;

void Context::set_launch(std::shared_ptr<detail::Launch> launch) { launch_ = std::move(launch); }

void* Context::scratch_bytes(std::string_view name, std::size_t bytes) {
  for (const Scratch& scratch : scratch_) {
    if (scratch.name != name) continue;
    if (bytes > scratch.bytes) {
      throw Error(ErrorKind::usage, "the scratch '" + scratch.name + "' was asked for with " +
                                        std::to_string(scratch.bytes) + " bytes and then with " +
                                        std::to_string(bytes) +
                                        ": ask for the most at first, or use two names");
    }
    return scratch.memory.get();
  }
  scratch_.push_back({std::string(name), bytes, allocate_(bytes)});
  return scratch_.back().memory.get();
}

detail::Launch& Context::launch() const {
  if (launch_ == nullptr) {
    throw Error(ErrorKind::usage, "the subject is CUDA source that has not been made ready");
  }
  return *launch_;
}

void Context::no_such_tensor(const std::vector<Slot>& slots, std::string_view name) const {
  std::string known;
  for (const Slot& slot : slots) known += (known.empty() ? "'" : ", '") + slot.name + "'";
  throw Error(ErrorKind::usage, std::string("there is no ") +
                                    (&slots == &inputs_ ? "input" : "output") + " '" +
                                    std::string(name) + "': the problem declares " +
                                    (known.empty() ? "none" : known));
}

void Context::wrong_type(const Slot& slot, std::size_t asked_bytes) const {
  const DType& dtype = slot.tensor->dtype();
  throw Error(ErrorKind::usage, "'" + slot.name + "' holds " + dtype.name + " (" +
                                    std::to_string(dtype.size_bytes) +
                                    " bytes an element) and was asked for as a type of " +
                                    std::to_string(asked_bytes) + " bytes");
}

}  // namespace assay
