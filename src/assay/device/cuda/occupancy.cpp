// SPDX-License-Identifier: MIT
#include "assay/device/cuda/occupancy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "assay/base/error.hpp"

namespace assay::device::cuda {
namespace {

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// The number that the text begins with.
std::optional<std::int64_t> leading_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop == text.data()) return std::nullopt;
  return number;
}

// One parameter: ".param .u64 .ptr .align 1 k_param_0" or ".param .align 8 .b8 k_param_1[24]".
std::optional<std::int64_t> bytes_of(std::string_view declaration) {
  std::optional<std::int64_t> element_bytes;
  std::int64_t count = 1;
  for (std::size_t at = 0; at < declaration.size();) {
    const auto end = std::min(declaration.find_first_of(" \t\n", at), declaration.size());
    const std::string_view word = declaration.substr(at, end - at);
    at = end + 1;
    // .u64 .s32 .f16 .b8: the first of them; what follows is about what a pointer points to.
    if (!element_bytes && word.size() > 2 && word.front() == '.' &&
        std::string_view("usfb").find(word[1]) != std::string_view::npos) {
      if (const auto bits = leading_number(word.substr(2))) element_bytes = *bits / 8;
    }
    if (const auto bracket = word.find('['); bracket != std::string_view::npos) {
      const auto number = leading_number(word.substr(bracket + 1));
      if (!number) return std::nullopt;
      count = *number;
    }
  }
  if (!element_bytes) return std::nullopt;
  return *element_bytes * count;
}

}  // namespace

FittingBlocks fitting_blocks(const MultiprocessorLimits& limits, const BlockNeeds& needs) {
  ASSAY_EXPECTS(needs.threads > 0 && limits.warp_threads > 0);
  constexpr std::int64_t schedulers = 4;
  constexpr std::int64_t register_unit = 256;
  constexpr std::int64_t shared_unit = 128;
  const std::int64_t warps = (needs.threads + limits.warp_threads - 1) / limits.warp_threads;

  FittingBlocks fitting{limits.blocks, "blocks"};
  const auto limit = [&](std::int64_t blocks, const char* by) {
    if (blocks < fitting.blocks) fitting = {blocks, by};
  };
  limit(limits.threads / limits.warp_threads / warps, "threads");
  if (needs.registers > 0) {
    const std::int64_t of_warp = rounded_up(needs.registers * limits.warp_threads, register_unit);
    limit(limits.registers / schedulers / of_warp * schedulers / warps, "registers");
  }
  const std::int64_t shared =
      rounded_up(needs.shared_bytes + limits.reserved_shared_bytes, shared_unit);
  if (shared > 0) limit(limits.shared_bytes / shared, "shared-memory");
  return fitting;
}

Occupancy occupancy_of(const MultiprocessorLimits& limits, const BlockNeeds& needs,
                       std::int64_t blocks) {
  ASSAY_EXPECTS(limits.threads >= limits.warp_threads && blocks >= 0);
  const FittingBlocks fitting = fitting_blocks(limits, needs);
  Occupancy occupancy;
  occupancy.blocks = blocks;
  occupancy.warps = blocks * ((needs.threads + limits.warp_threads - 1) / limits.warp_threads);
  occupancy.warps_frac = static_cast<double>(occupancy.warps) /
                         static_cast<double>(limits.threads / limits.warp_threads);
  if (fitting.blocks == blocks) {
    occupancy.limited_by = fitting.limited_by;
  } else {
    occupancy.limited_by =
        Missing{"unclear", "the driver says that " + std::to_string(blocks) +
                               " blocks fit on a multiprocessor, where the usual rules come to " +
                               std::to_string(fitting.blocks)};
  }
  return occupancy;
}

Reading<std::vector<std::int64_t>> parameter_bytes_in(const std::string& ptx,
                                                      const std::string& lowered_name) {
  const Missing unknown{
      "not-in-ptx", "the PTX has no declaration of " + lowered_name + " in the form that is known"};
  const std::string start = ".entry " + lowered_name + "(";
  const auto entry = ptx.find(start);
  if (entry == std::string::npos) return unknown;
  const auto begin = entry + start.size();
  const auto end = ptx.find(')', begin);
  if (end == std::string::npos) return unknown;
  std::vector<std::int64_t> sizes;
  std::string_view rest = std::string_view(ptx).substr(begin, end - begin);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view declaration = rest.substr(0, comma);
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    if (declaration.find_first_not_of(" \t\n") == std::string_view::npos) continue;
    const auto bytes = bytes_of(declaration);
    if (!bytes) return unknown;
    sizes.push_back(*bytes);
  }
  return sizes;
}

}  // namespace assay::device::cuda
