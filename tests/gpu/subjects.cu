// SPDX-License-Identifier: MIT
//
// What a program does wrong on a GPU, one subject each, beside subjects that are well.
// A failed assertion is one of the things that are tried, in every kind of build.
#undef NDEBUG
#include <assay/assay.hpp>
#include <cassert>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace {

cudaStream_t stream_of(assay::Context& context) {
  return static_cast<cudaStream_t>(context.stream());
}

__global__ void doubled(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

__global__ void stores_to_nowhere() { *reinterpret_cast<volatile float*>(8) = 1; }

__global__ void loads_unaligned(const float* x, float* y) {
  const auto* bytes = reinterpret_cast<const char*>(x) + 1;
  *y = *reinterpret_cast<const volatile float*>(bytes);
}

__global__ void asserts(int one) { assert(one == 2); }

__global__ void never_ends(volatile float* y) {
  while (*y < 3e38F) {
  }
}

void launch_doubled(assay::Context& context, cudaStream_t stream) {
  const auto x = context.input<float>(0);
  const auto n = static_cast<std::int64_t>(x.size());
  doubled<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(
      x.data(), context.output<float>(0).data(), n);
}

void well(assay::Context& context) { launch_doubled(context, stream_of(context)); }

assay::Problem& declare(assay::Program& program, const char* name) {
  auto& problem = program.problem(name);
  problem.axis("n", {1000, 100000});
  const auto array = [](const assay::Case& c) { return assay::Tensor::f32({c.integer("n")}); };
  problem.input("x", array);
  problem.output("y", array);
  problem.subject("well", well);
  problem.subject("also-well", well);
  return problem;
}

// What breaks only while it is timed: checks come before, and would find it.
assay::Problem& declare_unchecked(assay::Program& program, const char* name) {
  return declare(program, name).unchecked();
}

}  // namespace

int main(int argc, char** argv) {
  assay::Program program;
  auto& checked = declare(program, "checked");
  checked.reference([](assay::ReferenceCall& call) {
    const auto& x = call.input("x");
    for (std::size_t i = 0; i < x.size(); ++i) call.output("y")[i] = 2 * x[i];
  });
  checked.tolerance(assay::Tolerance::exact());

  declare_unchecked(program, "illegal-address").subject("breaks", [](assay::Context& context) {
    stores_to_nowhere<<<1, 1, 0, stream_of(context)>>>();
  });
  declare_unchecked(program, "misaligned").subject("breaks", [](assay::Context& context) {
    loads_unaligned<<<1, 1, 0, stream_of(context)>>>(context.input<float>(0).data(),
                                                     context.output<float>(0).data());
  });
  declare_unchecked(program, "assertion").subject("breaks", [](assay::Context& context) {
    asserts<<<1, 1, 0, stream_of(context)>>>(1);
  });
  // The launch fails, and nobody looks.
  declare_unchecked(program, "too-much-shared").subject("breaks", [](assay::Context& context) {
    asserts<<<1, 1, std::size_t{1} << 20, stream_of(context)>>>(2);
  });
  declare_unchecked(program, "endless").subject("breaks", [](assay::Context& context) {
    never_ends<<<1, 1, 0, stream_of(context)>>>(context.output<float>(0).data());
  });
  declare_unchecked(program, "nothing").subject("breaks", [](assay::Context&) {});
  declare_unchecked(program, "other-queue").subject("breaks", [](assay::Context& context) {
    launch_doubled(context, nullptr);
  });
  declare_unchecked(program, "waits").subject("breaks", [](assay::Context& context) {
    well(context);
    cudaStreamSynchronize(stream_of(context));
  });
  declare_unchecked(program, "allocates").subject("breaks", [](assay::Context& context) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, 1 << 20) != cudaSuccess) throw std::runtime_error("cudaMalloc");
    well(context);
    cudaFree(memory);
  });
  int calls = 0;
  declare_unchecked(program, "changing")
      .subject("breaks", [calls](assay::Context& context) mutable {
        well(context);
        if (++calls % 3 == 0) well(context);
      });
  auto& source = declare(program, "source");
  source.reference([](assay::ReferenceCall& call) {
    const auto& x = call.input("x");
    for (std::size_t i = 0; i < x.size(); ++i) call.output("y")[i] = 2 * x[i];
  });
  source.tolerance(assay::Tolerance::exact());
  source.work([](const assay::Case& c) {
    const auto n = static_cast<double>(c.integer("n"));
    assay::Work work;
    work.bytes_read = 4 * n;
    work.bytes_written = 4 * n;
    work.flop = n;
    work.flop_by_dtype["f32"] = n;
    return work;
  });
  source.cuda_source(
      "from-source",
      assay::CudaSource::text(
          "extern \"C\" __global__ void twice(const float* x, float* y, long long n) {\n"
          "  long long i = blockIdx.x * 256LL + threadIdx.x;\n"
          "  if (i < n) y[i] = 2 * x[i];\n}\n",
          "twice.cu")
          .kernel("twice")
          .grid([](const assay::Case& c) {
            return assay::Dim3{static_cast<std::uint32_t>((c.integer("n") + 255) / 256)};
          })
          .block(assay::Dim3{256})
          .arguments([](assay::Context& c) {
            return assay::Arguments(c.input<float>("x"), c.output<float>("y"), c.integer("n"));
          }));
  return assay::main(argc, argv, program);
}
