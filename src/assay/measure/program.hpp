// SPDX-License-Identifier: MIT
//
// Program and Problem: how a user says what is measured. A program holds problems; a problem holds
// axes, inputs, outputs, the reference and the subjects. assay::main runs it: as a worker when the
// assay command started it, else by hand.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/measure/subject.hpp"
#include "assay/problem/axis.hpp"
#include "assay/problem/contract.hpp"

namespace assay {

// Prepares a named state before a sample, outside the interval.
using StateCallback = std::function<void(Context&)>;

class Problem {
 public:
  explicit Problem(std::string name);

  Problem& axis(const std::string& name, AxisValues values);

  // How an input is described; the returned reference takes what differs from the default: fresh
  // content, never written.
  class Input {
   public:
    Input(Contract& contract, std::size_t index) : contract_(&contract), index_(index) {}
    Input& fixed();
    Input& mutate(Mutate function);
    Input& in_place();  // the subject may write it; it is restored before every sample and compared
                        // afterwards

   private:
    Contract* contract_;
    std::size_t index_;
  };
  Input input(const std::string& name, std::function<Tensor(const Case&)> tensor);
  Problem& output(const std::string& name, std::function<Tensor(const Case&)> tensor);

  // In a wider type, on the host. Without one the problem must be declared unchecked().
  Problem& reference(Reference reference);
  Problem& tolerance(Tolerance tolerance);
  Problem& special_values(SpecialValues values);
  Problem& unchecked();
  Problem& work(WorkModel model);
  // What else than its axes makes a case what it is (m, n, k, layouts, epilogue, batch, precision),
  // for the record. Types, shapes, strides and alignment of inputs and outputs are recorded anyway.
  Problem& dimensions(DimensionModel model);
  Problem& state(const std::string& name, StateCallback prepare);

  // callable: f(Context&) or f(); what it returns is kept from the optimiser. The first subject is
  // the baseline unless the experiment says otherwise. Throws Error{usage} if the name is taken or
  // cannot stand in an identity. (build: leave it, it is filled in where the call is compiled.)
  template <typename F>
  Subject& subject(const std::string& name, F callable, BuildFacts build = ASSAY_BUILD_FACTS) {
    return add(std::make_unique<Subject>(
        name, std::make_unique<detail::LoopOf<F>>(std::move(callable)), build));
  }
  // A template over dtypes: callable(Context&, Type<T>), instantiated for each T; the axis "dtype"
  // picks among them.
  template <typename First, typename... Rest, typename F>
  Subject& subject(const std::string& name, F callable, BuildFacts build = ASSAY_BUILD_FACTS) {
    std::vector<std::pair<std::string, std::unique_ptr<detail::Loop>>> loops;
    loops.push_back(typed_loop<First>(callable));
    (loops.push_back(typed_loop<Rest>(callable)), ...);
    return add(std::make_unique<Subject>(name, std::move(loops), build));
  }

  // A subject given as CUDA source (cuda_source.hpp), for a CUDA device.
  Subject& cuda_source(const std::string& name, CudaSource source,
                       BuildFacts build = ASSAY_BUILD_FACTS);

  const std::string& name() const noexcept { return contract_.problem; }
  const std::vector<Axis>& axes() const noexcept { return axes_; }
  const Contract& contract() const noexcept { return contract_; }
  bool is_unchecked() const noexcept { return unchecked_; }
  const std::vector<std::unique_ptr<Subject>>& subjects() const noexcept { return subjects_; }
  const std::vector<std::pair<std::string, StateCallback>>& states() const noexcept {
    return states_;
  }
  // nullptr if there is none of that name.
  Subject* find_subject(const std::string& name) const noexcept;

 private:
  template <typename T, typename F>
  static std::pair<std::string, std::unique_ptr<detail::Loop>> typed_loop(const F& callable) {
    auto bound = [callable](Context& context) mutable { return callable(context, Type<T>{}); };
    return {dtype_of<T>().name,
            std::make_unique<detail::LoopOf<decltype(bound)>>(std::move(bound))};
  }
  Subject& add(std::unique_ptr<Subject> subject);

  std::vector<Axis> axes_;
  Contract contract_;
  bool unchecked_ = false;
  std::vector<std::unique_ptr<Subject>> subjects_;
  std::vector<std::pair<std::string, StateCallback>> states_;
};

class Program {
 public:
  // A new problem; the reference stays valid. Throws Error{usage} if the name is taken or cannot
  // stand in an identity.
  Problem& problem(const std::string& name);

  const std::deque<Problem>& problems() const noexcept { return problems_; }
  const Problem* find(const std::string& name) const noexcept;

 private:
  std::deque<Problem> problems_;
};

}  // namespace assay
