// SPDX-License-Identifier: MIT
//
// CudaSource: a subject given as the text of a CUDA kernel, compiled when it is made ready for a
// cell: outside of every interval, and kept from process to process. What is launched is set up
// then too, so that a call is one launch and nothing else.
//
//   sum.cuda_source("tiled", assay::CudaSource::file("sum.cu")
//       .kernel("tiled<256>")
//       .grid([](const assay::Case& c) { return assay::Dim3{blocks_of(c.integer("n"))}; })
//       .block(assay::Dim3{256})
//       .arguments([](assay::Context& c) {
//         return assay::Arguments(c.input<float>("x"), c.output<float>("y"), c.integer("n"));
//       }));
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/base/dim3.hpp"
#include "assay/measure/context.hpp"
#include "assay/problem/tensor.hpp"

namespace assay {

// The values of a kernel's parameters, in order: views (their first element's address), pointers,
// numbers, and structs that can be copied byte by byte. A value must have the very type of the
// parameter: 32-bit and 64-bit integers are told apart by the check before the first launch, float
// and std::int32_t are not.
class Arguments {
 public:
  template <typename... T>
  explicit Arguments(const T&... values) {
    (add(values), ...);
  }

  template <typename T>
  Arguments& add(const T& value) {
    static_assert(std::is_trivially_copyable<T>::value,
                  "an argument of a kernel is copied byte by byte");
    static_assert(alignof(T) <= alignment, "no parameter is aligned to more");
    add_bytes(&value, sizeof(T));
    return *this;
  }
  template <typename T>
  Arguments& add(const View<T>& view) {
    T* const data = view.data();
    add_bytes(&data, sizeof data);
    return *this;
  }

  const std::vector<std::int64_t>& sizes_bytes() const noexcept { return sizes_; }
  // The address of each value; valid until the object changes or is gone.
  std::vector<void*> pointers();

 private:
  static constexpr std::size_t alignment = 64;
  struct alignas(alignment) Unit {
    unsigned char bytes[alignment];
  };
  void add_bytes(const void* value, std::size_t size);

  std::vector<Unit> units_;  // each value begins with one of its own
  std::vector<std::int64_t> sizes_;
};

// A value, or a function of the case.
template <typename T>
class PerCase {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a value is the same for every case
  PerCase(T value) : function_([value = std::move(value)](const Case&) { return value; }) {}
  template <typename V, std::enable_if_t<std::is_convertible<V, T>::value, int> = 0>
  // NOLINTNEXTLINE(google-explicit-constructor): as is what becomes one, a literal for a string
  PerCase(V value) : PerCase(T(std::move(value))) {}
  template <typename F, std::enable_if_t<std::is_invocable_r<T, F, const Case&>::value, int> = 0>
  // NOLINTNEXTLINE(google-explicit-constructor): and so is a function
  PerCase(F function) : function_(std::move(function)) {}

  T operator()(const Case& the_case) const { return function_(the_case); }

 private:
  std::function<T(const Case&)> function_;
};

// Nothing of it is defined here: every file that includes Assay would pay for it, and most have no
// source to give.
class CudaSource {
 public:
  // Relative to the current directory or, where it is not there, to the folder of the program. Read
  // when the subject is made ready.
  static CudaSource file(std::string path);
  // The text itself; name: for messages.
  static CudaSource text(std::string source, std::string name = "source.cu");

  // The kernel's name as it is in the source, or of a template an expression: "tiled<float, 256>".
  CudaSource& kernel(PerCase<std::string> name);
  // Of the compiler, as for nvcc: "-DTILE=256", "--use_fast_math", "-arch=sm_90a".
  CudaSource& options(PerCase<std::vector<std::string>> options);
  CudaSource& options(std::initializer_list<std::string> options);
  CudaSource& grid(PerCase<Dim3> blocks);
  CudaSource& block(PerCase<Dim3> threads);
  // Dynamic shared memory of a block. More than 48 KiB is asked for where it is needed.
  CudaSource& shared_bytes(PerCase<std::int64_t> bytes);
  // Called once for each cell, when the subject is made ready; scratch memory may be taken here.
  CudaSource& arguments(std::function<Arguments(Context&)> arguments);

  // For the worker.
  bool is_file() const noexcept { return is_file_; }
  const std::string& file_name() const noexcept { return file_name_; }
  const std::string& source() const noexcept { return source_; }  // empty of a file
  std::string kernel_of(const Case& the_case) const;
  std::vector<std::string> options_of(const Case& the_case) const;
  Dim3 grid_of(const Case& the_case) const;
  Dim3 block_of(const Case& the_case) const;
  std::int64_t shared_bytes_of(const Case& the_case) const;
  Arguments arguments_of(Context& context) const;

 private:
  CudaSource(std::string file_name, std::string source, bool is_file);

  std::string file_name_;
  std::string source_;
  bool is_file_;
  PerCase<std::string> kernel_;
  PerCase<std::vector<std::string>> options_;
  PerCase<Dim3> grid_;
  PerCase<Dim3> block_;
  PerCase<std::int64_t> shared_bytes_;
  std::function<Arguments(Context&)> arguments_;
};

}  // namespace assay
