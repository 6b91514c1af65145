// SPDX-License-Identifier: MIT
#include "assay/device/cuda/source_kernel.hpp"

#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/device/cuda/code_refusal.hpp"
#include "assay/device/cuda/occupancy.hpp"

namespace assay::device::cuda {
namespace {

// Up to here a kernel needs no permission for its shared memory, static and dynamic together.
constexpr std::int64_t shared_bytes_without_asking = std::int64_t{48} << 10;

class Module {
 public:
  Module(const Driver& driver, const std::string& cubin, const OfferedCode& offered)
      : driver_(&driver) {
    check_code(driver, driver.cuModuleLoadData(&module_, cubin.data()), "cuModuleLoadData",
               offered);
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

// What is known of the code before it is loaded.
struct Code {
  std::string cubin;
  KernelOrigin origin;
  OfferedCode offered;
  CompiledKernel printed;  // by the assembler
  Reading<std::vector<std::int64_t>> parameter_bytes = Missing{"not-asked", ""};
};

Code known_of(const SourceKernel& kernel, const Obtained& obtained) {
  const Compiled& compiled = obtained.compiled;
  Code code;
  code.cubin = compiled.cubin;
  code.origin.kernel = kernel.kernel;
  code.origin.lowered_name = compiled.lowered_names.at(kernel.kernel);
  code.origin.architecture = compiled.architecture;
  code.origin.compiler = compiled.compiler;
  code.origin.options = compiled.options;
  code.origin.source_sha256 = sha256_hex(kernel.source);
  code.origin.cubin_sha256 = sha256_hex(compiled.cubin);
  code.origin.ptx_sha256 = sha256_hex(compiled.ptx);
  code.origin.compile_ns = compiled.compile_ns;
  code.origin.obtained_ns = obtained.obtained_ns;
  code.origin.is_from_cache = obtained.is_from_cache;
  code.origin.cubin_file = obtained.cubin_file;
  code.origin.ptx_file = obtained.ptx_file;
  code.offered = {ptx_version_in(compiled.ptx),
                  "It was compiled for " + compiled.architecture + " by " + compiled.compiler +
                      ": install a driver of that CUDA version or a later one, take the NVRTC of "
                      "an older toolkit ($ASSAY_NVRTC_LIBRARY), or, where the option -arch= names "
                      "another device's architecture, this one's"};
  code.printed = kernel_in(compiled.log, code.origin.lowered_name);
  code.parameter_bytes = parameter_bytes_in(compiled.ptx, code.origin.lowered_name);
  return code;
}

class CudaKernel final : public LoadedKernel {
 public:
  CudaKernel(const Driver& driver, CUdevice device, std::shared_ptr<const Code> code)
      : driver_(&driver),
        device_(device),
        code_(std::move(code)),
        module_(driver, code_->cubin, code_->offered),
        function_(module_.function(code_->origin.lowered_name)),
        launch_text_("launch of the kernel " + code_->origin.kernel) {
    resources_.registers = attribute(driver, function_, CU_FUNC_ATTRIBUTE_NUM_REGS);
    resources_.static_shared_bytes =
        attribute(driver, function_, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    resources_.local_bytes = attribute(driver, function_, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    resources_.max_threads = attribute(driver, function_, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    resources_.spill_store_bytes = code_->printed.spill_store_bytes;
    resources_.spill_load_bytes = code_->printed.spill_load_bytes;
  }

  void allow(const Dim3& grid, const Dim3& block, std::int64_t shared_bytes) override {
    const auto refuse = [&](const std::string& why) {
      throw Error(ErrorKind::bad_input,
                  "the kernel " + code_->origin.kernel + " cannot be launched with " +
                      size_text(grid) + " blocks of " + size_text(block) + " threads and " +
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

  const KernelOrigin& origin() const override { return code_->origin; }
  const KernelResources& resources() const override { return resources_; }
  const Reading<std::vector<std::int64_t>>& parameter_bytes() const override {
    return code_->parameter_bytes;
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
  std::shared_ptr<const Code> code_;
  Module module_;
  CUfunction function_;
  std::string launch_text_;
  KernelResources resources_;
  std::int64_t allowed_shared_bytes_ = 0;
};

class CudaCode final : public KernelCode {
 public:
  CudaCode(const Driver& driver, CUdevice device, Code code)
      : driver_(&driver), device_(device), code_(std::make_shared<const Code>(std::move(code))) {}

  std::unique_ptr<LoadedKernel> load() const override {
    return std::make_unique<CudaKernel>(*driver_, device_, code_);
  }

 private:
  const Driver* driver_;
  CUdevice device_;
  std::shared_ptr<const Code> code_;
};

}  // namespace

std::unique_ptr<KernelCode> code_of(const Driver& driver, CUdevice device,
                                    const SourceKernel& kernel, const Obtained& obtained) {
  return std::make_unique<CudaCode>(driver, device, known_of(kernel, obtained));
}

std::unique_ptr<KernelCode> compile_source(const Driver& driver, CUdevice device,
                                           const std::string& architecture,
                                           const SourceKernel& kernel) {
  const Reading<Nvrtc>& compiler = nvrtc();
  if (!compiler) {
    throw Error(ErrorKind::device,
                "cannot compile " + kernel.file_name + ": " + compiler.missing().detail);
  }
  const SourceCode code{
      kernel.source, kernel.file_name, kernel.options, architecture, {kernel.kernel}};
  return code_of(driver, device, kernel, CompileCache::from_environment().get(code, *compiler));
}

}  // namespace assay::device::cuda
