// SPDX-License-Identifier: MIT
//
// Subject: one implementation of a problem, with its type erased once per sample.
//
// The loop over the iterations is instantiated for each callable, so that the call inlines into it
// and an iteration costs no more than the subject itself; std::function around the single call
// would put an indirect call into every iteration. What is erased is the whole loop: one indirect
// call per sample, which lies below every timer's step.
//
// What can be inlined is up to the callable: the code of a lambda or a function object is part of
// its type and is; a plain function is handed over as a pointer, and each iteration calls through
// it. That costs a nanosecond or so, so one problem should not mix the two.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/base/do_not_optimize.hpp"
#include "assay/measure/build_facts.hpp"
#include "assay/measure/context.hpp"
#include "assay/measure/cuda_source.hpp"
#include "assay/problem/contract.hpp"

namespace assay {

namespace detail {

// Calls f(context) or f(); a value that it returns is kept.
template <typename F>
inline __attribute__((always_inline)) void call_once(F& f, Context& context) {
  if constexpr (std::is_invocable<F&, Context&>::value) {
    if constexpr (std::is_void<std::invoke_result_t<F&, Context&>>::value) {
      f(context);
    } else {
      do_not_optimize(f(context));
    }
  } else {
    static_assert(std::is_invocable<F&>::value,
                  "a subject is called as f(assay::Context&) or as f()");
    if constexpr (std::is_void<std::invoke_result_t<F&>>::value) {
      f();
    } else {
      do_not_optimize(f());
    }
  }
}

// What the worker holds of a callable.
class Loop {
 public:
  virtual ~Loop() = default;
  // iterations ≥ 0.
  virtual void run(Context& context, std::int64_t iterations) = 0;
};

template <typename F>
class LoopOf final : public Loop {
 public:
  explicit LoopOf(F f) : f_(std::move(f)) {}
  void run(Context& context, std::int64_t iterations) override {
    // Counting an unsigned number down to zero takes two instructions with every compiler.
    for (auto left = static_cast<std::uint64_t>(iterations); left != 0; --left) {
      call_once(f_, context);
      clobber();  // this iteration's stores are made; costs no instruction
    }
  }

 private:
  F f_;
};

// Of a subject that is given as CUDA source.
class LoopOfLaunches final : public Loop {
 public:
  void run(Context& context, std::int64_t iterations) override { context.launch().run(iterations); }
};

}  // namespace detail

// A type as a value, for subjects that are templates over dtypes: [](assay::Context& c, auto t) {
// using T = typename decltype(t)::type; }
template <typename T>
struct Type {
  using type = T;
};

constexpr int all_cores = -1;

class Subject {
 public:
  Subject(std::string name, std::unique_ptr<detail::Loop> loop, BuildFacts build);
  ~Subject();
  // One loop per dtype; the case's axis "dtype" picks.
  Subject(std::string name,
          std::vector<std::pair<std::string, std::unique_ptr<detail::Loop>>> loops,
          BuildFacts build);

  // Given as CUDA source: Problem::cuda_source.
  Subject(std::string name, CudaSource source, BuildFacts build);

  // Where it is applicable; elsewhere it is not measured, and the result says so. Several are
  // joined by "and".
  Subject& supports(std::function<bool(const Case&)> predicate);
  // One-time work outside every interval (packing weights, making a plan), run once per cell and
  // process. reuse_count: how many calls share one preparation in real use; the record gives the
  // amortised cost beside the time.
  Subject& prepare(std::function<void(Context&)> work, std::int64_t reuse_count);
  // Block and tile sizes and the like, for the record; the same in every case, or a function of the
  // case.
  Subject& parameter(const std::string& name, const std::string& value);
  Subject& parameter(const std::string& name, std::function<std::string(const Case&)> value);
  // Threads that a call uses; all_cores for as many as the worker may run on. Default 1: pinned to
  // one core.
  Subject& threads(int count);
  // This subject's samples are prepared as that state says ("warm", "cold", "rotate",
  // "write-flush", or one of the problem's own), whatever the cell's state is: then the state is
  // what the experiment varies. It stands among the parameters as "state".
  Subject& in_state(const std::string& name);
  // Work of this subject where it differs from the problem's (a fused kernel moves fewer bytes).
  Subject& work(WorkModel model);

  const std::string& name() const noexcept { return name_; }
  // False also if no loop exists for the case's dtype.
  bool is_supported(const Case& the_case) const;
  // Throws Error{usage} if there is none.
  detail::Loop& loop(const Case& the_case) const;
  const std::map<std::string, std::string>& parameters() const noexcept { return parameters_; }
  // Those that are functions of the case.
  std::map<std::string, std::string> parameters_of(const Case& the_case) const;
  int declared_threads() const noexcept { return threads_; }
  const std::function<void(Context&)>& preparation() const noexcept { return prepare_; }
  std::int64_t reuse_count() const noexcept { return reuse_count_; }
  // Empty: that of the cell.
  const std::string& own_state() const noexcept { return own_state_; }
  const WorkModel& work_model() const noexcept { return work_; }
  const BuildFacts& build() const noexcept { return build_; }
  // nullptr unless it is given as source.
  const CudaSource* source() const noexcept { return source_.get(); }

 private:
  std::string name_;
  BuildFacts build_;
  std::vector<std::pair<std::string, std::unique_ptr<detail::Loop>>> loops_;
  std::vector<std::function<bool(const Case&)>> supports_;
  std::map<std::string, std::string> parameters_;
  std::map<std::string, std::function<std::string(const Case&)>> parameters_of_case_;
  std::function<void(Context&)> prepare_;
  std::int64_t reuse_count_ = 0;
  int threads_ = 1;
  std::string own_state_;
  WorkModel work_;
  std::unique_ptr<const CudaSource> source_;
};

}  // namespace assay
