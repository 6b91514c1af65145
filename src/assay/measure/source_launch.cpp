// SPDX-License-Identifier: MIT
#include "assay/measure/source_launch.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "assay/base/error.hpp"
#include "assay/base/time.hpp"

namespace assay {

std::vector<void*> Arguments::pointers() {
  std::vector<void*> pointers;
  std::size_t unit = 0;
  for (const std::int64_t size : sizes_) {
    pointers.push_back(units_[unit].bytes);
    unit += (static_cast<std::size_t>(size) + alignment - 1) / alignment;
  }
  return pointers;
}

void Arguments::add_bytes(const void* value, std::size_t size) {
  const std::size_t first = units_.size();
  units_.resize(first + (size + alignment - 1) / alignment);
  std::memcpy(units_[first].bytes, value, size);
  sizes_.push_back(static_cast<std::int64_t>(size));
}

}  // namespace assay

namespace assay::measure {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_of(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return std::nullopt;
  const std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The text of a file, and where it was found.
std::pair<std::string, std::string> source_in(const std::string& name) {
  std::error_code failed;
  std::vector<fs::path> places{fs::absolute(name, failed)};
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed && fs::path(name).is_relative()) places.push_back(program.parent_path() / name);
  std::string tried;
  for (const fs::path& place : places) {
    if (auto text = text_of(place)) return {std::move(*text), place.lexically_normal().string()};
    tried += (tried.empty() ? "" : " or ") + place.string();
  }
  throw Error(ErrorKind::bad_input,
              "cannot read the CUDA source '" + name + "': there is no readable file " + tried +
                  ". Run the program where the file is, or put it beside the program");
}

device::SourceKernel kernel_for(const CudaSource& source, const Case& the_case) {
  device::SourceKernel kernel;
  kernel.kernel = source.kernel_of(the_case);
  kernel.options = source.options_of(the_case);
  if (source.is_file()) {
    std::tie(kernel.source, kernel.file_name) = source_in(source.file_name());
  } else {
    kernel.source = source.source();
    kernel.file_name = source.file_name();
  }
  if (kernel.kernel.empty()) {
    throw Error(ErrorKind::bad_input, "the CUDA source " + kernel.file_name +
                                          " has no kernel named to it: say .kernel(\"name\")");
  }
  return kernel;
}

std::string list_of(const std::vector<std::int64_t>& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return sizes.empty() ? "none" : text + " bytes";
}

void expect_fitting(const device::LoadedKernel& kernel, const Arguments& arguments) {
  const auto& wanted = kernel.parameter_bytes();
  if (!wanted || *wanted == arguments.sizes_bytes()) return;
  throw Error(ErrorKind::bad_input,
              "the arguments of the kernel " + kernel.origin().kernel +
                  " do not fit its parameters: these are " + list_of(*wanted) + ", given were " +
                  list_of(arguments.sizes_bytes()) +
                  ". Give each argument the type of its parameter, such as static_cast<int>(n)");
}

}  // namespace

SourceLaunch::SourceLaunch(const CudaSource& source, Context& context, device::Device& device)
    : code_(device.compile(kernel_for(source, context.which()))),
      grid_(source.grid_of(context.which())),
      block_(source.block_of(context.which())),
      shared_bytes_(source.shared_bytes_of(context.which())),
      stream_(context.stream()),
      arguments_(source.arguments_of(context)),
      pointers_(arguments_.pointers()) {}

void SourceLaunch::load() {
  const std::int64_t start_ns = monotonic_ns();
  auto kernel = code_->load();
  expect_fitting(*kernel, arguments_);
  kernel->allow(grid_, block_, shared_bytes_);
  kernel_ = std::move(kernel);
  loading_ = PhaseTime{start_ns, static_cast<double>(monotonic_ns() - start_ns)};
}

void SourceLaunch::run(std::int64_t iterations) {
  if (!kernel_) load();
  for (std::int64_t i = 0; i < iterations; ++i) {
    kernel_->launch(grid_, block_, shared_bytes_, stream_, pointers_.data());
  }
}

wire::Generated SourceLaunch::generated(const std::string& subject) const {
  ASSAY_EXPECTS(kernel_ != nullptr);
  const device::KernelOrigin& origin = kernel_->origin();
  const device::KernelResources& resources = kernel_->resources();
  const Reading<device::Occupancy> occupancy = kernel_->occupancy(block_, shared_bytes_);
  const auto text = [](const std::filesystem::path& path) { return path.string(); };
  wire::Generated generated;
  generated.subject = subject;
  generated.kernel = origin.kernel;
  generated.lowered_name = origin.lowered_name;
  generated.architecture = origin.architecture;
  generated.compiler = origin.compiler;
  generated.options = origin.options;
  generated.source_sha256 = origin.source_sha256;
  generated.cubin_sha256 = origin.cubin_sha256;
  generated.ptx_sha256 = origin.ptx_sha256;
  generated.compile_ns = origin.compile_ns;
  generated.obtained_ns = origin.obtained_ns;
  generated.is_from_cache = origin.is_from_cache;
  generated.cubin_file = origin.cubin_file.transform(text);
  generated.ptx_file = origin.ptx_file.transform(text);
  generated.grid = {grid_.x, grid_.y, grid_.z};
  generated.block = {block_.x, block_.y, block_.z};
  generated.dynamic_shared_bytes = shared_bytes_;
  generated.registers = resources.registers;
  generated.static_shared_bytes = resources.static_shared_bytes;
  generated.local_bytes = resources.local_bytes;
  generated.spill_store_bytes = resources.spill_store_bytes;
  generated.spill_load_bytes = resources.spill_load_bytes;
  generated.max_threads = resources.max_threads;
  generated.occupancy_frac =
      occupancy.transform([](const device::Occupancy& each) { return each.warps_frac; });
  if (occupancy) {
    generated.occupancy_limited_by = occupancy->limited_by;
  } else {
    generated.occupancy_limited_by = occupancy.missing();
  }
  return generated;
}

}  // namespace assay::measure
