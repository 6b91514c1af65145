// SPDX-License-Identifier: MIT
//
// What a CUDA device reaches at most: its memory and its arithmetic by Assay's own kernels, its
// tensor cores by the vendor's library, and what a kernel costs that does nothing.
#include <algorithm>
#include <array>
#include <functional>

#include "assay/base/time.hpp"
#include "assay/device/cuda/call.hpp"
#include "assay/device/cuda/cublas.hpp"
#include "assay/device/cuda/cuda.hpp"
#include "assay/device/cuda/passes.hpp"
#include "assay/device/cuda/peak_kernels.hpp"

namespace assay::device::cuda {
namespace {

// Grids that fill the device once, twice and four times: which moves most differs by kernel.
constexpr unsigned fills[] = {1, 2, 4};
// At the beginning, in the middle and at the end of a copy.
constexpr std::size_t looked_at_bytes = std::size_t{1} << 20;
// Of what lies where a copy is to arrive: of no other array.
constexpr unsigned seed_of_nothing = 0x5eed;
// Of arithmetic: a launch and a tail are a thousandth of it.
constexpr double compute_pass_ns = 2e6;
constexpr unsigned probe_rounds = 4;
// The first with tensor cores that take bf16.
constexpr int least_major_of_bf16 = 8;

const Missing kNotAsked{"not-asked", "no work model counts operations of it"};

}  // namespace

std::string Cuda::ceiling_timer() const { return is_profiled() ? "cupti" : "events"; }

std::function<double()> Cuda::pass_of(const std::string& name, std::function<void()> enqueue) {
  Call pass(std::move(enqueue));
  pass.run(2);
  synchronize();
  return [this, name, pass]() mutable {
    now_ = {};
    now_.code = "ceiling " + name;
    return measure(pass, 1, ceiling_timer()).interval_ns;
  };
}

std::int64_t Cuda::free_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  driver_->check(driver_->cuMemGetInfo(&free, &total), "cuMemGetInfo");
  return static_cast<std::int64_t>(free);
}

std::vector<BandwidthCeiling> Cuda::bandwidth_ceilings() {
  std::vector<BandwidthCeiling> rows;
  for (const char* kernel : {"read", "write", "copy", "triad"}) {
    BandwidthCeiling row;
    row.level = memory_level_name;
    row.kernel = kernel;
    row.stores = row.kernel == "read" ? "none" : "regular";
    rows.push_back(std::move(row));
  }
  const Reading<std::int64_t> size =
      array_bytes_for(free_bytes(), static_cast<std::int64_t>(l2_bytes_));
  for (BandwidthCeiling& row : rows) {
    row.array_bytes = size ? *size : static_cast<std::int64_t>(std::max<std::size_t>(l2_bytes_, 1));
    if (!size) row.bytes_per_s = size.missing();
  }
  if (!size) return rows;
  const auto bytes = static_cast<std::size_t>(*size);
  std::array<Allocation, 3> arrays;
  try {
    for (Allocation& array : arrays) array = allocate(bytes);
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    for (BandwidthCeiling& row : rows) row.bytes_per_s = Missing{"no-room", error.what()};
    return rows;
  }
  const auto address = [&](std::size_t i) {
    return reinterpret_cast<CUdeviceptr>(arrays[i].data());
  };
  // Random exponents make NaNs and infinities of some numbers; they cost no more than others.
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    kernels().write(address(i), bytes, static_cast<unsigned>(i + 1), blocks_, stream_);
  }
  synchronize();
  const CopyArrays of_copy{address(0), address(1), bytes};
  const struct {
    int arrays;
    std::vector<Way> ways;
  } kinds[] = {
      {1, by_grids([&](unsigned blocks) { kernels().read(address(0), bytes, blocks, stream_); })},
      {1,
       by_grids([&](unsigned blocks) { kernels().write(address(0), bytes, 7, blocks, stream_); })},
      {2, ways_to_copy(of_copy)},
      {3, by_grids([&](unsigned blocks) {
         kernels().triad(address(0), address(1), address(2), bytes, blocks, stream_);
       })},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double moved = kinds[i].arrays * static_cast<double>(bytes);
    std::vector<std::function<Reading<Passes>()>> rates;
    for (const Way& way : kinds[i].ways) {
      rates.emplace_back([&, i] {
        if (rows[i].kernel == "copy") expect_copied(of_copy, way);
        return rate_over(pass_of(rows[i].kernel, way.enqueue), moved);
      });
    }
    const BestWay best = best_of(rates, "kernel-failed");
    rows[i].bytes_per_s = best.passes;
    if (best.passes) rows[i].way = kinds[i].ways[best.index].name;
  }
  return rows;
}

std::vector<Cuda::Way> Cuda::by_grids(const std::function<void(unsigned)>& enqueue) const {
  std::vector<Way> ways;
  for (const unsigned fill : fills) {
    const unsigned blocks = fill * blocks_;
    ways.push_back(
        {"strided, " + std::to_string(blocks) + " blocks", [enqueue, blocks] { enqueue(blocks); }});
  }
  return ways;
}

std::vector<Cuda::Way> Cuda::ways_to_copy(const CopyArrays& arrays) {
  std::vector<Way> ways = by_grids([this, arrays](unsigned blocks) {
    kernels().copy(arrays.from, arrays.to, arrays.bytes, blocks, stream_);
  });
  const auto tiles =
      static_cast<unsigned>((arrays.bytes + Kernels::tile_bytes - 1) / Kernels::tile_bytes);
  for (const unsigned blocks : {blocks_, 2 * blocks_, 4 * blocks_, tiles}) {
    ways.push_back(
        {"tiles of 32 KiB, " + std::to_string(blocks) + " blocks", [this, arrays, blocks] {
           kernels().copy_tiles(arrays.from, arrays.to, arrays.bytes, blocks, stream_);
         }});
  }
  ways.push_back({"the driver's own (cuMemcpyDtoDAsync)", [this, arrays] {
                    driver_->check(
                        driver_->cuMemcpyDtoDAsync(arrays.to, arrays.from, arrays.bytes, stream_),
                        "cuMemcpyDtoDAsync");
                  }});
  return ways;
}

// A copy that leaves something out would be the fastest of all.
void Cuda::expect_copied(const CopyArrays& arrays, const Way& way) {
  kernels().write(arrays.to, arrays.bytes, seed_of_nothing, blocks_, stream_);
  way.enqueue();
  synchronize();
  std::vector<char> from(std::min(arrays.bytes, looked_at_bytes));
  std::vector<char> to(from.size());
  const std::size_t last = arrays.bytes - from.size();
  for (const std::size_t at : {std::size_t{0}, last / 2 / 16 * 16, last}) {
    driver_->check(driver_->cuMemcpyDtoH(from.data(), arrays.from + at, from.size()),
                   "cuMemcpyDtoH");
    driver_->check(driver_->cuMemcpyDtoH(to.data(), arrays.to + at, to.size()), "cuMemcpyDtoH");
    if (from != to) {
      throw Error(ErrorKind::device, "a copy (" + way.name + ") of " +
                                         std::to_string(arrays.bytes) +
                                         " bytes did not arrive whole at byte " +
                                         std::to_string(at) + " and after it");
    }
  }
}

ComputeCeiling Cuda::multiply_add_ceiling(const PeakKernels& kernels, const std::string& dtype) {
  ComputeCeiling row;
  row.dtype = dtype;
  const auto type = dtype == "f64" ? PeakKernels::Type::f64 : PeakKernels::Type::f32;
  // One wave that fills the device: all of it begins and ends together.
  const auto pass = [&](unsigned rounds) {
    return pass_of(dtype, [&, rounds] { kernels.multiply_add(type, rounds, blocks_, stream_); });
  };
  const unsigned rounds = rounds_for(compute_pass_ns, probe_rounds, pass(probe_rounds)());
  row.flop_per_s = rate_over(pass(rounds), PeakKernels::flop(rounds, blocks_));
  return row;
}

ComputeCeiling Cuda::matrix_ceiling(const PeakKernels& kernels) {
  ComputeCeiling row;
  row.dtype = "bf16";
  row.kernel = matrix_product_name;
  const int major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  if (major < least_major_of_bf16) {
    row.flop_per_s = Missing{"not-supported",
                             "tensor cores take bf16 from compute capability 8.0 on, and this "
                             "device has " +
                                 std::to_string(major) + ".x"};
    return row;
  }
  try {
    const Reading<Cublas> library = Cublas::open(Cublas::names(), stream_);
    if (!library) {
      row.flop_per_s = library.missing();
      return row;
    }
    row.library = library->version();
    const Reading<std::int64_t> width = matrix_width_for(free_bytes());
    if (!width) {
      row.flop_per_s = width.missing();
      return row;
    }
    const auto n = static_cast<std::size_t>(*width);
    std::array<Allocation, 3> matrices;
    std::array<CUdeviceptr, 3> address{};
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      matrices[i] = allocate(2 * n * n);
      address[i] = reinterpret_cast<CUdeviceptr>(matrices[i].data());
      kernels.random_bf16(address[i], 2 * n * n, static_cast<unsigned>(i + 1), blocks_, stream_);
    }
    const auto side = static_cast<double>(n);
    std::vector<std::function<Reading<Passes>()>> layouts;
    for (const bool is_transposed : {true, false}) {
      layouts.emplace_back([&, is_transposed] {
        const auto pass = pass_of(is_transposed ? "bf16, transposed" : "bf16", [&, is_transposed] {
          library->multiply_bf16(*width, is_transposed, address[0], address[1], address[2]);
        });
        return rate_over(pass, 2 * side * side * side);
      });
    }
    row.flop_per_s = best_of(layouts, "library-failed").passes;
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    // Of the others nothing depends on the library.
    row.flop_per_s = Missing{"library-failed", error.what()};
  }
  return row;
}

std::optional<MachineCeilings> Cuda::ceilings(const std::set<std::string>& dtypes) {
  const std::int64_t begin_ns = monotonic_ns();
  MachineCeilings ceilings;
  ceilings.instructions = "sm_" +
                          std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
                          std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  std::size_t total = 0;
  driver_->check(driver_->cuDeviceTotalMem(&total, device_), "cuDeviceTotalMem");
  ceilings.levels = {{"L2", Missing{"not-supported", "the driver says 0 bytes"}, 1},
                     {memory_level_name, static_cast<std::int64_t>(total), 1}};
  if (l2_bytes_ > 0) ceilings.levels.front().bytes = static_cast<std::int64_t>(l2_bytes_);
  ceilings.bandwidths = bandwidth_ceilings();

  const auto is_asked = [&](const char* dtype) {
    return dtypes.contains(dtype) || dtypes.contains("");
  };
  std::optional<PeakKernels> kernels;  // compiling them takes as long as some of the passes
  if (!dtypes.empty()) kernels.emplace(*driver_);
  for (const char* dtype : {"f32", "f64"}) {
    ceilings.compute.push_back(is_asked(dtype) ? multiply_add_ceiling(*kernels, dtype)
                                               : ComputeCeiling{dtype, 1, kNotAsked});
  }
  ceilings.compute.push_back(is_asked("bf16")
                                 ? matrix_ceiling(*kernels)
                                 : ComputeCeiling{"bf16", 1, kNotAsked, matrix_product_name});

  if (!empty_kernel_) empty_kernel_ = empty_kernel(ceiling_timer(), 1);
  ceilings.calls = {{empty_kernel_name, *empty_kernel_}};
  if (!(empty_kernel_->best > 0)) {
    ceilings.calls.front().ns = Missing{"no-time", "the timer saw no time pass in it"};
  }
  ceilings.took_s = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  return ceilings;
}

}  // namespace assay::device::cuda
