// SPDX-License-Identifier: MIT
#include "assay/measure/cuda_source.hpp"

namespace assay {

CudaSource::CudaSource(std::string file_name, std::string source, bool is_file)
    : file_name_(std::move(file_name)),
      source_(std::move(source)),
      is_file_(is_file),
      kernel_(std::string()),
      options_(std::vector<std::string>()),
      grid_(Dim3{}),
      block_(Dim3{}),
      shared_bytes_(std::int64_t{0}),
      arguments_([](Context&) { return Arguments(); }) {}

CudaSource CudaSource::file(std::string path) { return {std::move(path), {}, true}; }

CudaSource CudaSource::text(std::string source, std::string name) {
  return {std::move(name), std::move(source), false};
}

CudaSource& CudaSource::kernel(PerCase<std::string> name) {
  kernel_ = std::move(name);
  return *this;
}

CudaSource& CudaSource::options(PerCase<std::vector<std::string>> options) {
  options_ = std::move(options);
  return *this;
}

CudaSource& CudaSource::options(std::initializer_list<std::string> options) {
  return this->options(PerCase<std::vector<std::string>>(std::vector<std::string>(options)));
}

CudaSource& CudaSource::grid(PerCase<Dim3> blocks) {
  grid_ = std::move(blocks);
  return *this;
}

CudaSource& CudaSource::block(PerCase<Dim3> threads) {
  block_ = std::move(threads);
  return *this;
}

CudaSource& CudaSource::shared_bytes(PerCase<std::int64_t> bytes) {
  shared_bytes_ = std::move(bytes);
  return *this;
}

CudaSource& CudaSource::arguments(std::function<Arguments(Context&)> arguments) {
  arguments_ = std::move(arguments);
  return *this;
}

std::string CudaSource::kernel_of(const Case& the_case) const { return kernel_(the_case); }
std::vector<std::string> CudaSource::options_of(const Case& the_case) const {
  return options_(the_case);
}
Dim3 CudaSource::grid_of(const Case& the_case) const { return grid_(the_case); }
Dim3 CudaSource::block_of(const Case& the_case) const { return block_(the_case); }
std::int64_t CudaSource::shared_bytes_of(const Case& the_case) const {
  return shared_bytes_(the_case);
}
Arguments CudaSource::arguments_of(Context& context) const { return arguments_(context); }

}  // namespace assay
