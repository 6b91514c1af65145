// SPDX-License-Identifier: MIT
//
// What NVRTC's log says. Its text is no interface: what does not look as expected stays unknown.
#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>

#include "assay/device/cuda/nvrtc.hpp"

namespace assay::device::cuda {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

// What stands between the two texts.
std::optional<std::string> between(std::string_view line, std::string_view before,
                                   std::string_view after) {
  const auto start = line.find(before);
  if (start == std::string_view::npos) return std::nullopt;
  line.remove_prefix(start + before.size());
  if (after.empty()) return std::string(line);
  const auto end = line.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(0, end));
}

// The whole number right before the text: 28 of "Used 28 registers" and " registers".
std::optional<std::int64_t> number_before(std::string_view line, std::string_view text) {
  const auto end = line.find(text);
  if (end == std::string_view::npos) return std::nullopt;
  auto start = end;
  while (start > 0 && line[start - 1] >= '0' && line[start - 1] <= '9') --start;
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(line.data() + start, line.data() + end, number);
  if (start == end || error != std::errc() || stop != line.data() + end) return std::nullopt;
  return number;
}

void keep(Reading<std::int64_t>& reading, std::optional<std::int64_t> number) {
  if (number) reading = *number;
}

}  // namespace

std::vector<CompiledKernel> kernels_in(const std::string& log) {
  std::vector<CompiledKernel> kernels;
  std::string properties_of;  // functions that are called, not inlined, have stack frames too
  for (const std::string& line : lines_of(log)) {
    if (const auto name = between(line, "Compiling entry function '", "'")) {
      kernels.emplace_back();
      kernels.back().name = *name;
      properties_of.clear();
    } else if (const auto owner = between(line, "Function properties for ", "")) {
      properties_of = *owner;
    }
    if (kernels.empty()) continue;
    CompiledKernel& kernel = kernels.back();
    if (properties_of == kernel.name && line.find(" bytes stack frame") != std::string::npos) {
      keep(kernel.stack_bytes, number_before(line, " bytes stack frame"));
      keep(kernel.spill_store_bytes, number_before(line, " bytes spill stores"));
      keep(kernel.spill_load_bytes, number_before(line, " bytes spill loads"));
    }
    if (const auto registers = number_before(line, " registers");
        registers && line.find("Used ") != std::string::npos) {
      kernel.registers = *registers;
      // Left out where there is none.
      kernel.static_shared_bytes = number_before(line, " bytes smem").value_or(0);
    }
  }
  return kernels;
}

CompiledKernel kernel_in(const std::string& log, const std::string& name) {
  for (CompiledKernel& kernel : kernels_in(log)) {
    if (kernel.name == name) return kernel;
  }
  CompiledKernel unknown;
  unknown.name = name;
  return unknown;
}

std::string first_errors(const std::string& log) {
  constexpr std::size_t most = 3;
  // Of each message the first line and its quoted source, up to a blank line.
  std::vector<std::string> errors;
  bool in_error = false;
  for (const std::string& line : lines_of(log)) {
    if (line.empty() || line.find_first_not_of(" \t") == std::string::npos) {
      in_error = false;
    } else if (line.find("error: ") != std::string::npos ||
               line.find("ptxas fatal") != std::string::npos) {
      errors.push_back(line);
      in_error = true;
    } else if (line.front() != ' ') {
      in_error = false;
    } else if (in_error) {
      errors.back() += "\n" + line;
    }
  }
  if (errors.empty()) return log.substr(0, 2000);
  std::string text;
  for (std::size_t i = 0; i < std::min(errors.size(), most); ++i) {
    text += (i == 0 ? "" : "\n") + errors[i];
  }
  if (errors.size() > most) text += "\n(and " + std::to_string(errors.size() - most) + " more)";
  return text;
}

std::string architecture_in(const std::vector<std::string>& options) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const char* name : {"--gpu-architecture", "-arch"}) {
      const std::string& option = options[i];
      if (option == name && i + 1 < options.size()) return options[i + 1];
      const std::string prefix = std::string(name) + "=";
      if (option.compare(0, prefix.size(), prefix) == 0) return option.substr(prefix.size());
    }
  }
  return {};
}

}  // namespace assay::device::cuda
