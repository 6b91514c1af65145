// SPDX-License-Identifier: MIT
//
// Which shape of launch suits a GPU: threads, unrolling, blocks and cache hints for the kernels of
// the experiments, each checked against a plain one first. No Assay: events around single launches
// on a busy queue, in random order, cold by reading or warm. Events add the same few microseconds
// to all, so that only differences between rows of one size mean something.
//
//   gpu_shapes [ROUNDS] > shapes.csv
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "add_rmsnorm_cuda/rows.cuh"
#include "cuda_common/copy.cuh"
#include "cuda_common/launch.cuh"
#include "reduction_cuda/sum.cuh"

namespace {

using cuda_common::expect;

template <typename T>
class Memory {
 public:
  explicit Memory(std::size_t count) {
    expect(cudaMalloc(&data_, count * sizeof(T)), "allocating memory");
    expect(cudaMemset(data_, 0, count * sizeof(T)), "clearing memory");
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { cudaFree(data_); }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

__device__ float random_at(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15ULL;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ULL;
  i ^= i >> 27;
  return static_cast<float>(i >> 40) * 0x1p-23F - 1.0F;
}
__device__ void set(float& place, float value) { place = value; }
__device__ void set(__nv_bfloat16& place, float value) { place = __float2bfloat16_rn(value); }

template <typename T>
__global__ void fill(T* x, std::int64_t n, std::uint64_t key) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) set(x[i], random_at(static_cast<std::uint64_t>(i) + (key << 40)));
}

template <typename T>
void fill_all(const Memory<T>& memory, std::int64_t n, std::uint64_t key) {
  fill<<<static_cast<unsigned>(cuda_common::blocks_for(n, 256)), 256>>>(memory.data(), n, key);
  cuda_common::expect_launched("filling memory");
}

__global__ void read_all(const float4* x, std::int64_t n, float* out) {
  float total = 0;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += step) {
    const float4 v = x[i];
    total += v.x + v.y + v.z + v.w;
  }
  if (total == 12345.678F) *out = total;  // never, but the compiler cannot know
}

class Evictor {
 public:
  Evictor() : buffer_(floats()), out_(1) {}
  void run(cudaStream_t stream) const {
    read_all<<<static_cast<unsigned>(cuda_common::multiprocessors() * 4), 512, 0, stream>>>(
        reinterpret_cast<const float4*>(buffer_.data()), static_cast<std::int64_t>(floats() / 4),
        out_.data());
    cuda_common::expect_launched("evicting");
  }

 private:
  static std::size_t floats() {
    int bytes = 0;
    expect(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0), "asking for the cache size");
    return std::max<std::size_t>(std::size_t{1} << 20, static_cast<std::size_t>(bytes) / 4 * 4);
  }
  Memory<float> buffer_;
  Memory<float> out_;
};

struct Candidate {
  std::string name;
  std::function<void(cudaStream_t)> run;
  std::vector<float> us{};
};

double quantile(std::vector<float> values, double at) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(at * static_cast<double>(values.size() - 1))];
}

// Prints a line per candidate; `bytes` is what a call moves at least.
void measure(const std::string& what, const std::string& size, bool cold, double bytes, int rounds,
             std::vector<Candidate>& candidates, const Evictor& evictor, std::mt19937& random) {
  cudaStream_t stream = nullptr;
  expect(cudaStreamCreate(&stream), "making a stream");
  std::vector<cudaEvent_t> events(2 * candidates.size());
  for (cudaEvent_t& event : events) expect(cudaEventCreate(&event), "making an event");
  std::vector<std::size_t> order(candidates.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (Candidate& candidate : candidates) {
    candidate.us.clear();
    candidate.run(stream);
  }
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      // Keeps the queue busy until the host has put everything into it; warm, the candidate's own
      // call comes last before the timed one.
      evictor.run(stream);
      if (!cold) candidates[i].run(stream);
      expect(cudaEventRecord(events[2 * i], stream), "recording an event");
      candidates[i].run(stream);
      expect(cudaEventRecord(events[2 * i + 1], stream), "recording an event");
    }
    expect(cudaStreamSynchronize(stream), "waiting for a round");
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      float ms = 0;
      expect(cudaEventElapsedTime(&ms, events[2 * i], events[2 * i + 1]), "reading two events");
      candidates[i].us.push_back(ms * 1000);
    }
  }
  for (const Candidate& candidate : candidates) {
    const double median = quantile(candidate.us, 0.5);
    std::printf("%s,%s,%s,%s,%.3f,%.3f,%.3f,%.0f\n", what.c_str(), size.c_str(),
                cold ? "cold" : "warm", candidate.name.c_str(), median,
                quantile(candidate.us, 0.05), quantile(candidate.us, 0.95), bytes / median / 1000);
  }
  std::fflush(stdout);
  for (const cudaEvent_t event : events) cudaEventDestroy(event);
  cudaStreamDestroy(stream);
}

// --- sums ------------------------------------------------------------------------------------

struct SumMemory {
  const float* x;
  std::int64_t n;
  float* y;
  reduction_cuda::Handover handover;
};

template <int Threads, int Unroll, reduction_cuda::Load load>
void add_sums(const SumMemory& m, const char* load_name, std::vector<Candidate>& candidates) {
  for (const int blocks : {1, 2, 4, 8}) {
    if (blocks * Threads > 4096) continue;
    for (const int least : {1, 2, 4}) {
      if (m.n > (1 << 22) && least != 1) continue;  // the limit is the number of blocks there
      const reduction_cuda::Shape shape{blocks, least};
      candidates.push_back({"threads=" + std::to_string(Threads) +
                                " unroll=" + std::to_string(Unroll) + " " + load_name +
                                " blocks/SM=" + std::to_string(blocks) +
                                " least=" + std::to_string(least),
                            [=](cudaStream_t stream) {
                              reduction_cuda::launch_sum<Threads, Unroll, load>(
                                  m.x, m.n, m.y, m.handover, shape, stream);
                            }});
    }
  }
}

template <int Threads, int Unroll>
void add_loads(const SumMemory& m, std::vector<Candidate>& candidates) {
  add_sums<Threads, Unroll, reduction_cuda::Load::plain>(m, "plain", candidates);
  add_sums<Threads, Unroll, reduction_cuda::Load::no_allocate>(m, "no-allocate", candidates);
}

void sums(int rounds, const Evictor& evictor, std::mt19937& random) {
  const Memory<float> x(std::size_t{1} << 26);
  fill_all(x, std::int64_t{1} << 26, 1);
  const Memory<float> y(1);
  const Memory<float> partial(1 << 16);
  const Memory<unsigned> done(1);
  for (const int log2_n : {20, 24, 26}) {
    const SumMemory m{x.data(),
                      std::int64_t{1} << log2_n,
                      y.data(),
                      {partial.data(), nullptr, done.data(), nullptr}};
    std::vector<Candidate> candidates;
    add_loads<256, 4>(m, candidates);
    add_loads<256, 8>(m, candidates);
    add_loads<512, 2>(m, candidates);
    add_loads<512, 4>(m, candidates);
    add_loads<512, 8>(m, candidates);
    add_loads<1024, 2>(m, candidates);
    add_loads<1024, 4>(m, candidates);

    std::vector<float> host(static_cast<std::size_t>(m.n));
    expect(cudaMemcpy(host.data(), x.data(), host.size() * sizeof(float), cudaMemcpyDeviceToHost),
           "reading x");
    double exact = 0;
    double magnitudes = 0;
    for (const float value : host) {
      exact += static_cast<double>(value);
      magnitudes += std::fabs(static_cast<double>(value));
    }
    for (const Candidate& candidate : candidates) {
      for (int call = 0; call < 2; ++call)
        candidate.run(nullptr);  // the second finds the counter reset
      float sum = 0;
      expect(cudaMemcpy(&sum, y.data(), sizeof sum, cudaMemcpyDeviceToHost), "reading the sum");
      if (std::fabs(static_cast<double>(sum) - exact) > 1e-6 * magnitudes)
        std::printf("# WRONG: %s gives %.9g for %.9g\n", candidate.name.c_str(),
                    static_cast<double>(sum), exact);
    }
    const std::string size = "2^" + std::to_string(log2_n);
    const double bytes = 4.0 * static_cast<double>(m.n);
    measure("sum", size, true, bytes, rounds, candidates, evictor, random);
    if (log2_n == 20) measure("sum", size, false, bytes, rounds, candidates, evictor, random);
  }
}

// --- rows ------------------------------------------------------------------------------------

using add_rmsnorm_cuda::Access;
using add_rmsnorm_cuda::Element;
using add_rmsnorm_cuda::Rows;
using add_rmsnorm_cuda::Step;

template <Step step, int Threads, int Vectors>
void add_rows(const Rows& a, const char* what, std::vector<Candidate>& candidates) {
  const std::string name = std::string(what) + " threads=" + std::to_string(Threads) +
                           " vectors=" + std::to_string(Vectors);
  candidates.push_back({name + " plain", [a](cudaStream_t stream) {
                          add_rmsnorm_cuda::launch_in_registers<step, Threads, Vectors>(a, stream);
                        }});
  candidates.push_back(
      {name + " streaming", [a](cudaStream_t stream) {
         add_rmsnorm_cuda::launch_in_registers<step, Threads, Vectors, Access::streaming>(a,
                                                                                          stream);
       }});
}

std::vector<std::uint16_t> bits_of(const Element* data, std::int64_t n) {
  std::vector<std::uint16_t> bits(static_cast<std::size_t>(n));
  expect(cudaMemcpy(bits.data(), data, bits.size() * 2, cudaMemcpyDeviceToHost),
         "reading a matrix");
  return bits;
}

// Elements that differ by more than one step of bfloat16 (the order of the squares may differ).
std::int64_t different(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::abs(int{a[i]} - int{b[i]}) > 1 ? 1 : 0;
  return count;
}

void rows(int rounds, const Evictor& evictor, std::mt19937& random) {
  constexpr std::int64_t row_count = 4096;
  constexpr std::int64_t most = row_count * 8193;
  const Memory<Element> x(most);
  const Memory<Element> r(most);
  const Memory<Element> w(8193 + 8);
  const Memory<Element> s(most);
  const Memory<Element> y(most);
  const Memory<float> scale(row_count);
  fill_all(x, most, 1);
  fill_all(r, most, 2);
  fill_all(w, 8193, 3);
  for (const int cols : {8191, 8192, 8193}) {
    const std::int64_t n = row_count * cols;
    const Rows a{x.data(),  r.data(), w.data(),
                 s.data(),  y.data(), scale.data(),
                 row_count, cols,     1.0F / static_cast<float>(cols)};
    std::vector<Candidate> fused;
    add_rows<Step::fused, 256, 4>(a, "fused", fused);
    add_rows<Step::fused, 512, 2>(a, "fused", fused);
    add_rows<Step::fused, 1024, 1>(a, "fused", fused);

    add_rmsnorm_cuda::row_by_elements<Step::fused, 256><<<row_count, 256>>>(a);
    const std::vector<std::uint16_t> right_s = bits_of(s.data(), n);
    const std::vector<std::uint16_t> right_y = bits_of(y.data(), n);
    for (const Candidate& candidate : fused) {
      expect(cudaMemset(s.data(), 0xff, static_cast<std::size_t>(n) * 2), "spoiling s");
      expect(cudaMemset(y.data(), 0xff, static_cast<std::size_t>(n) * 2), "spoiling y");
      candidate.run(nullptr);
      const std::int64_t wrong =
          different(bits_of(s.data(), n), right_s) + different(bits_of(y.data(), n), right_y);
      if (wrong != 0)
        std::printf("# WRONG: %s, %d columns: %lld elements\n", candidate.name.c_str(), cols,
                    static_cast<long long>(wrong));
    }
    const std::string size = "4096x" + std::to_string(cols);
    const double matrix = 2.0 * static_cast<double>(n);
    measure("fused", size, true, 4 * matrix, rounds, fused, evictor, random);

    std::vector<Candidate> norms;
    add_rows<Step::norm, 256, 4>(a, "norm", norms);
    add_rows<Step::norm, 512, 2>(a, "norm", norms);
    add_rows<Step::norm, 1024, 1>(a, "norm", norms);
    measure("norm", size, true, 2 * matrix, rounds, norms, evictor, random);

    std::vector<Candidate> adds;
    adds.push_back({"add plain", [a, n](cudaStream_t stream) {
                      add_rmsnorm_cuda::launch_add<Access::plain>(a.x, a.r, a.s, n, stream);
                    }});
    adds.push_back({"add streaming", [a, n](cudaStream_t stream) {
                      add_rmsnorm_cuda::launch_add<Access::streaming>(a.x, a.r, a.s, n, stream);
                    }});
    measure("add", size, true, 3 * matrix, rounds, adds, evictor, random);
  }
}

// What the others are measured against: the same bytes without any arithmetic, and nothing at all.
void ceilings(int rounds, const Evictor& evictor, std::mt19937& random) {
  constexpr std::int64_t n = std::int64_t{1} << 27;
  const Memory<float> x(n);
  const Memory<float> y(n);
  fill_all(x, n, 1);
  std::vector<Candidate> copies;
  copies.push_back(
      {"copy", [&](cudaStream_t stream) { cuda_common::copy(x.data(), y.data(), n, stream); }});
  measure("copy", "2^27", true, 8.0 * n, rounds, copies, evictor, random);
  std::vector<Candidate> reads;
  reads.push_back(
      {"read", [&](cudaStream_t stream) {
         read_all<<<static_cast<unsigned>(cuda_common::multiprocessors() * 4), 512, 0, stream>>>(
             reinterpret_cast<const float4*>(x.data()), n / 4, y.data());
       }});
  measure("read", "2^27", true, 4.0 * n, rounds, reads, evictor, random);
  std::vector<Candidate> none;
  none.push_back({"two events", [](cudaStream_t) {}});
  measure("nothing", "0", true, 0, rounds, none, evictor, random);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
  if (rounds < 1) {
    std::fprintf(stderr, "usage: %s [ROUNDS], a number from 1 up\n", argv[0]);
    return 2;
  }
  try {
    std::mt19937 random(20261130);
    const Evictor evictor;
    std::printf("what,size,state,shape,median_us,p5_us,p95_us,gb_per_s\n");
    ceilings(rounds, evictor, random);
    sums(rounds, evictor, random);
    rows(rounds, evictor, random);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 5;
  }
  return 0;
}
