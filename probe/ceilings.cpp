// SPDX-License-Identifier: MIT
#include "ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "arena.hpp"
#include "assay/base/error.hpp"
#include "assay/base/time.hpp"
#include "assay/measure/program.hpp"
#include "ceiling_kernels.hpp"
#include "ceiling_passes.hpp"
#include "ceiling_rows.hpp"
#include "team.hpp"
#include "topology.hpp"

namespace assay::probe {
namespace {

constexpr double kFactor = 3;  // of the triad
// So small that all sums are exact, so large that no two kernels leave the same.
double source_b(std::size_t i) { return static_cast<double>((i & 1023U) + 1); }
double source_c(std::size_t i) { return static_cast<double>((i & 511U) + 2000); }
constexpr double kWritten = 42;

[[noreturn]] void wrong_result(const std::string& what) {
  throw Error(ErrorKind::device, "the kernel '" + what +
                                     "' of the ceilings left a wrong result: either this machine "
                                     "computes wrongly or Assay has a bug");
}

Stores stores_of(const BandwidthCeiling& row) {
  return row.stores == "non-temporal" ? Stores::non_temporal : Stores::regular;
}

class OnThisMachine final : public Runner {
 public:
  OnThisMachine(const Topology& topology, const std::vector<BandwidthCeiling>& rows)
      : rows_(&rows), cores_(topology.cores.size()), team_(topology.cores) {}

  double now_s() override { return static_cast<double>(monotonic_ns()) * 1e-9; }

  void begin(std::int64_t threads, int round) override {
    arena_.reset();
    filled_bytes_ = 0;
    threads_ = threads;
    const auto number = static_cast<std::size_t>(round);
    first_ = cores_ <= kRounds ? number % cores_ : number * cores_ / kRounds;
    std::size_t most = 0;
    for (const BandwidthCeiling& row : *rows_) {
      const bool has_room = row.bytes_per_s || row.bytes_per_s.missing().reason != "no-room";
      if (row.threads == threads && has_room) most = std::max(most, elements_of(row));
    }
    sums_.assign(static_cast<std::size_t>(threads), 0);
    expected_ = sums_;
    arena_ = std::make_unique<Arena>(static_cast<std::size_t>(threads), most * sizeof(double));
  }

  void prepare(const BandwidthCeiling& row) override {
    const std::size_t n = elements_of(row);
    if (filled_bytes_ == n * sizeof(double)) return;
    filled_bytes_ = n * sizeof(double);
    team_.run(threads_, first_, [&](std::size_t i) {
      const Arena::Arrays own = arena_->arrays(i, filled_bytes_);
      std::uint64_t sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        own.a[k] = 0;
        own.b[k] = source_b(k);
        own.c[k] = source_c(k);
        std::uint64_t word = 0;
        std::memcpy(&word, own.b + k, sizeof word);
        sum += word;
      }
      expected_[i] = sum;
    });
  }

  double pass_s(const BandwidthCeiling& row, std::int64_t repeats) override {
    const std::size_t n = elements_of(row);
    const Stores stores = stores_of(row);
    const auto arrays = [&](std::size_t i) { return arena_->arrays(i, n * sizeof(double)); };
    std::function<void(std::size_t)> work;
    if (row.kernel == "read") {
      work = [&](std::size_t i) { sums_[i] = read_words(arrays(i).b, n, repeats); };
    } else if (row.kernel == "write") {
      work = [&](std::size_t i) { write_words(arrays(i).a, n, kWritten, stores, repeats); };
    } else if (row.kernel == "copy") {
      work = [&](std::size_t i) { copy_words(arrays(i).a, arrays(i).b, n, stores, repeats); };
    } else {
      work = [&](std::size_t i) {
        const Arena::Arrays own = arrays(i);
        triad_words(own.a, own.b, own.c, n, kFactor, stores, repeats);
      };
    }
    const double s = team_.run(threads_, first_, work);
    if (row.kernel != "read") return s;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i] != expected_[i] * static_cast<std::uint64_t>(repeats)) wrong_result(row.kernel);
    }
    return s;
  }

  void check(const BandwidthCeiling& row) override {
    if (row.kernel == "read") return;
    const std::size_t n = elements_of(row);
    team_.run(threads_, first_, [&](std::size_t i) {
      const double* a = arena_->arrays(i, n * sizeof(double)).a;
      std::size_t wrong = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double expected = row.kernel == "write"  ? kWritten
                                : row.kernel == "copy" ? source_b(k)
                                                       : source_b(k) + kFactor * source_c(k);
        wrong += a[k] == expected ? 0 : 1;
      }
      if (wrong != 0) wrong_result(row.kernel);
    });
  }

  Work arithmetic(const ComputeCeiling& row, std::int64_t steps) override {
    std::vector<Chains> chains(static_cast<std::size_t>(threads_));
    const bool is_f32 = row.dtype == "f32";
    // Exact in every step: a lane grows by steps · term, and needs fewer bits than a float has.
    const double term = 0x1p-10;
    const double s = team_.run(threads_, first_, [&](std::size_t i) {
      chains[i] = is_f32 ? multiply_add_f32(steps, 1, static_cast<float>(term))
                         : multiply_add_f64(steps, 1, term);
    });
    double flop = 0;
    for (const Chains& own : chains) {
      const double operations = static_cast<double>(steps) * static_cast<double>(own.lanes);
      if (own.growth != operations * term) wrong_result("multiply-add " + row.dtype);
      flop += 2 * operations;
    }
    return {s, flop};
  }

  // What thread 0 alone takes for it.
  double alone_s(const std::function<void()>& work) {
    return team_.run(1, first_, [&](std::size_t) { work(); });
  }

 private:
  const std::vector<BandwidthCeiling>* rows_;
  std::size_t cores_;
  Team team_;
  std::unique_ptr<Arena> arena_;
  std::int64_t threads_ = 1;
  std::size_t first_ = 0;
  std::size_t filled_bytes_ = 0;
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint64_t> expected_;
};

// Through the loop that a worker calls every subject by.
std::vector<CallCost> call_costs(OnThisMachine& machine) {
  constexpr std::int64_t kCalls = 1'000'000;
  constexpr int kPasses = 15;
  Program program;
  Problem& problem = program.problem("nothing").unchecked();
  const Subject& subject = problem.subject("empty", [] {});
  const Case the_case;
  Context context(&the_case, {}, {}, 1, nullptr, {});
  detail::Loop& loop = subject.loop(the_case);
  std::vector<double> iterations;
  std::vector<double> calls;
  for (int i = 0; i < kPasses; ++i) {
    iterations.push_back(machine.alone_s([&] { loop.run(context, kCalls); }));
    calls.push_back(machine.alone_s([&] {
      for (std::int64_t k = 0; k < kCalls; ++k) {
        detail::Loop* erased = &loop;
        do_not_optimize(erased);
        erased->run(context, 1);
      }
    }));
  }
  const auto of_one = [](std::vector<double> times_s) {
    for (double& time : times_s) time *= 1e9 / static_cast<double>(kCalls);
    return passes_of(std::move(times_s), false);
  };
  return {{empty_iteration_name, of_one(iterations)}, {erased_call_name, of_one(calls)}};
}

}  // namespace

MachineCeilings measure_ceilings(double budget_s) {
  const std::int64_t start_ns = monotonic_ns();
  const Topology topology = topology_of_this_machine();
  MachineCeilings ceilings;
  ceilings.instructions = ceiling_instructions();
  ceilings.vector_bits = ceiling_vector_bits();
  ceilings.cores = topology.cores;
  ceilings.cores_allowed = topology.cores_allowed;
  ceilings.levels = levels_of(topology);
  for (const std::int64_t threads :
       thread_counts(static_cast<std::int64_t>(topology.cores.size()))) {
    const auto rows = rows_of(topology, threads);
    ceilings.bandwidths.insert(ceilings.bandwidths.end(), rows.begin(), rows.end());
    for (const char* dtype : {"f32", "f64"}) {
      ceilings.compute.push_back({dtype, threads, Missing{"not-measured", ""}});
    }
  }
  OnThisMachine machine(topology, ceilings.bandwidths);
  ceilings.calls = call_costs(machine);
  measure_rows(machine, budget_s, ceilings.bandwidths, ceilings.compute);
  ceilings.took_s = static_cast<double>(monotonic_ns() - start_ns) * 1e-9;
  return ceilings;
}

}  // namespace assay::probe
