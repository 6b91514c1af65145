// SPDX-License-Identifier: MIT
#include "assay/device/cuda/source_kernel.hpp"

#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/device/cuda/occupancy.hpp"

namespace assay::device::cuda {
namespace {

// Up to here a kernel needs no permission for its shared memory, static and dynamic together.
constexpr std::int64_t shared_bytes_without_asking = std::int64_t{48} << 10;

class Module {
 public:
  Module(const Driver& driver, const std::string& cubin) : driver_(&driver) {
    driver.check(driver.cuModuleLoadData(&module_, cubin.data()), "cuModuleLoadData");
  }
  ~Module() { driver_->cuModuleUnload(module_); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  CUfunction function(const std::string& name) const {
    CUfunction found = nullptr;
    driver_->check(driver_->cuModuleGetFunction(&found, module_, name.c_str()),
                   ("cuModuleGetFunction " + name).c_str());
    return found;
  }

 private:
  const Driver* driver_;
  CUmodule module_ = nullptr;
};

std::string size_text(const Dim3& size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

// What the assembler said stands where the driver has no such value, and where it fails.
Reading<std::int64_t> attribute(const Driver& driver, CUfunction function,
                                CUfunction_attribute which) {
  int value = 0;
  const CUresult result = driver.cuFuncGetAttribute(&value, which, function);
  if (result == CUDA_SUCCESS) return std::int64_t{value};
  return Missing{"not-readable", "cuFuncGetAttribute: " + driver.describe(result)};
}

class CudaKernel final : public LoadedKernel {
 public:
  CudaKernel(const Driver& driver, CUdevice device, const SourceKernel& kernel,
             const Obtained& obtained)
      : driver_(&driver),
        device_(device),
        module_(driver, obtained.compiled.cubin),
        launch_text_("launch of the kernel " + kernel.kernel) {
    const Compiled& compiled = obtained.compiled;
    origin_.kernel = kernel.kernel;
    origin_.lowered_name = compiled.lowered_names.at(kernel.kernel);
    origin_.architecture = compiled.architecture;
    origin_.compiler = compiled.compiler;
    origin_.options = compiled.options;
    origin_.source_sha256 = sha256_hex(kernel.source);
    origin_.cubin_sha256 = sha256_hex(compiled.cubin);
    origin_.ptx_sha256 = sha256_hex(compiled.ptx);
    origin_.compile_ns = compiled.compile_ns;
    origin_.obtained_ns = obtained.obtained_ns;
    origin_.is_from_cache = obtained.is_from_cache;
    origin_.cubin_file = obtained.cubin_file;
    origin_.ptx_file = obtained.ptx_file;
    function_ = module_.function(origin_.lowered_name);

    const CompiledKernel printed = kernel_in(compiled.log, origin_.lowered_name);
    resources_.registers = attribute(driver, function_, CU_FUNC_ATTRIBUTE_NUM_REGS);
    resources_.static_shared_bytes =
        attribute(driver, function_, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    resources_.local_bytes = attribute(driver, function_, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    resources_.max_threads = attribute(driver, function_, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    resources_.spill_store_bytes = printed.spill_store_bytes;
    resources_.spill_load_bytes = printed.spill_load_bytes;
    parameter_bytes_ = parameter_bytes_in(compiled.ptx, origin_.lowered_name);
  }

  void allow(const Dim3& grid, const Dim3& block, std::int64_t shared_bytes) override {
    const auto refuse = [&](const std::string& why) {
      throw Error(ErrorKind::bad_input,
                  "the kernel " + origin_.kernel + " cannot be launched with " + size_text(grid) +
                      " blocks of " + size_text(block) + " threads and " +
                      std::to_string(shared_bytes) + " bytes of dynamic shared memory: " + why);
    };
    if (grid.count() < 1 || block.count() < 1) refuse("there is none of them");
    if (shared_bytes < 0) refuse("that is negative");
    if (resources_.max_threads && block.count() > *resources_.max_threads) {
      refuse("at most " + std::to_string(*resources_.max_threads) +
             " threads fit in a block of it, by its registers and __launch_bounds__");
    }
    const std::int64_t fixed =
        resources_.static_shared_bytes ? *resources_.static_shared_bytes : std::int64_t{0};
    if (shared_bytes + fixed <= shared_bytes_without_asking) return;
    const std::int64_t most = limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (shared_bytes + fixed > most) {
      refuse("with its " + std::to_string(fixed) + " static bytes that is more than the " +
             std::to_string(most) + " bytes that the device has for a block");
    }
    if (shared_bytes <= allowed_shared_bytes_) return;
    driver_->check(
        driver_->cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(shared_bytes)),
        "cuFuncSetAttribute MAX_DYNAMIC_SHARED_SIZE_BYTES");
    allowed_shared_bytes_ = shared_bytes;
  }

  void launch(const Dim3& grid, const Dim3& block, std::int64_t shared_bytes, void* stream,
              void** arguments) override {
    const CUresult result = driver_->cuLaunchKernel(
        function_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
        static_cast<unsigned>(shared_bytes), static_cast<CUstream>(stream), arguments, nullptr);
    driver_->check(result, launch_text_.c_str());
  }

  const KernelOrigin& origin() const override { return origin_; }
  const KernelResources& resources() const override { return resources_; }
  const Reading<std::vector<std::int64_t>>& parameter_bytes() const override {
    return parameter_bytes_;
  }

  Reading<Occupancy> occupancy(const Dim3& block, std::int64_t shared_bytes) const override {
    int blocks = 0;
    const CUresult result = driver_->cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, function_, static_cast<int>(block.count()),
        static_cast<std::size_t>(shared_bytes));
    if (result != CUDA_SUCCESS) {
      return Missing{"not-readable",
                     "cuOccupancyMaxActiveBlocksPerMultiprocessor: " + driver_->describe(result)};
    }
    MultiprocessorLimits limits;
    limits.warp_threads = limit(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    limits.threads = limit(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    limits.blocks = limit(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    limits.registers = limit(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    limits.shared_bytes = limit(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    limits.reserved_shared_bytes = limit(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    if (!resources_.registers) return resources_.registers.missing();
    if (!resources_.static_shared_bytes) return resources_.static_shared_bytes.missing();
    return occupancy_of(
        limits,
        {block.count(), *resources_.registers, *resources_.static_shared_bytes + shared_bytes},
        blocks);
  }

 private:
  std::int64_t limit(CUdevice_attribute which) const {
    int value = 0;
    driver_->check(driver_->cuDeviceGetAttribute(&value, which, device_), "cuDeviceGetAttribute");
    return value;
  }

  const Driver* driver_;
  CUdevice device_;
  Module module_;
  CUfunction function_ = nullptr;
  std::string launch_text_;
  KernelOrigin origin_;
  KernelResources resources_;
  Reading<std::vector<std::int64_t>> parameter_bytes_ = Missing{"not-asked", ""};
  std::int64_t allowed_shared_bytes_ = 0;
};

}  // namespace

std::unique_ptr<LoadedKernel> load_compiled(const Driver& driver, CUdevice device,
                                            const SourceKernel& kernel, const Obtained& obtained) {
  return std::make_unique<CudaKernel>(driver, device, kernel, obtained);
}

std::unique_ptr<LoadedKernel> load_source(const Driver& driver, CUdevice device,
                                          const std::string& architecture,
                                          const SourceKernel& kernel) {
  const Reading<Nvrtc>& compiler = nvrtc();
  if (!compiler) {
    throw Error(ErrorKind::device,
                "cannot compile " + kernel.file_name + ": " + compiler.missing().detail);
  }
  const SourceCode code{
      kernel.source, kernel.file_name, kernel.options, architecture, {kernel.kernel}};
  return load_compiled(driver, device, kernel,
                       CompileCache::from_environment().get(code, *compiler));
}

}  // namespace assay::device::cuda
