// SPDX-License-Identifier: MIT
#include "assay/problem/placement.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "assay/base/random.hpp"
#include "assay/problem/detail/elements.hpp"

namespace assay {
namespace {

std::size_t round_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

// Eight bytes of the guard pattern, by their place in the allocation. One multiplication and two
// shifts: gaps of a strided tensor can be large.
std::uint64_t guard_word(std::uint64_t key, std::size_t word) noexcept {
  std::uint64_t mixed = (key ^ (word * 0x9E3779B97F4A7C15U)) * 0xD6E8FEB86659FD93U;
  mixed ^= mixed >> 32;
  return mixed;
}

std::uint8_t guard_byte(std::uint64_t key, std::size_t place) noexcept {
  return static_cast<std::uint8_t>(guard_word(key, place / 8) >> (8 * (place % 8)));
}

// Guard zones as byte ranges of the allocation, in memory order.
struct Zone {
  GuardReport::Place place;
  std::size_t first;
  std::size_t end;
};

template <typename F>
void for_each_gap(const Tensor& tensor, std::size_t payload_offset, F&& f) {
  if (tensor.element_count() == 0) return;
  const std::size_t size = tensor.dtype().size_bytes;
  // Dimensions from the largest stride down: the odometer then walks memory upwards.
  std::vector<std::size_t> order;
  for (std::size_t d = 0; d < tensor.shape().size(); ++d) {
    if (tensor.shape()[d] > 1) order.push_back(d);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tensor.strides()[a] > tensor.strides()[b];
  });
  // Dimensions without gaps at the end of the order form one solid piece.
  std::int64_t solid = 1;
  while (!order.empty() && tensor.strides()[order.back()] == solid) {
    solid *= tensor.shape()[order.back()];
    order.pop_back();
  }
  std::vector<std::int64_t> position(order.size(), 0);
  std::int64_t offset = 0;
  for (;;) {
    const std::int64_t solid_end = offset + solid;
    std::size_t d = order.size();
    while (d > 0) {
      --d;
      offset += tensor.strides()[order[d]];
      if (++position[d] < tensor.shape()[order[d]]) break;
      offset -= position[d] * tensor.strides()[order[d]];
      position[d] = 0;
      if (d == 0) return;
    }
    if (order.empty()) return;
    if (offset > solid_end) {
      f(Zone{GuardReport::Place::gap, payload_offset + static_cast<std::size_t>(solid_end) * size,
             payload_offset + static_cast<std::size_t>(offset) * size});
    }
  }
}

template <typename F>
void for_each_zone(const Tensor& tensor, F&& f) {
  const Placement placement = placement_of(tensor);
  f(Zone{GuardReport::Place::before, 0, placement.payload_offset});
  for_each_gap(tensor, placement.payload_offset, f);
  f(Zone{GuardReport::Place::after, placement.payload_offset + placement.payload_bytes,
         placement.total_bytes});
}

// Calls on_word for the whole words of a zone and on_byte for its ends.
template <typename OnWord, typename OnByte>
void walk(const Zone& zone, OnWord&& on_word, OnByte&& on_byte) {
  std::size_t place = zone.first;
  for (; place < zone.end && place % 8 != 0; ++place) on_byte(place);
  for (; place + 8 <= zone.end; place += 8) on_word(place);
  for (; place < zone.end; ++place) on_byte(place);
}

}  // namespace

Placement placement_of(const Tensor& tensor) {
  static_assert(guard_zone_bytes % payload_alignment_bytes == 0);
  Placement placement{};
  placement.payload_offset = guard_zone_bytes + tensor.misaligned_by();
  placement.payload_bytes =
      static_cast<std::size_t>(tensor.span_elements()) * tensor.dtype().size_bytes;
  placement.total_bytes =
      round_up(placement.payload_offset + placement.payload_bytes + guard_zone_bytes,
               payload_alignment_bytes);
  return placement;
}

std::size_t drawn_shift_bytes(std::uint64_t content_key, const std::string& tensor_name) {
  static_assert(page_bytes % payload_alignment_bytes == 0);
  Random random(derive_key(content_key, {"placement", tensor_name}));
  return payload_alignment_bytes *
         static_cast<std::size_t>(random.next_below(page_bytes / payload_alignment_bytes));
}

std::vector<std::byte> poison_element(const DType& dtype, std::uint64_t key) {
  std::vector<std::byte> element(dtype.size_bytes);
  const std::uint64_t noise = Random(key).at(0);
  if (dtype.kind == DType::Kind::floating) {
    dtype.from_double(std::numeric_limits<double>::quiet_NaN(), element.data());
    if (std::isnan(dtype.to_double(element.data()))) {
      // Low payload bits (little-endian) that no arithmetic makes, where that leaves a NaN.
      std::vector<std::byte> unusual = element;
      for (std::size_t i = 0; i < std::max<std::size_t>(dtype.size_bytes / 2, 1) && i < 8; ++i) {
        unusual[i] ^= std::byte{static_cast<std::uint8_t>(((noise >> (8 * i)) & 0x1FU) | 1U)};
      }
      return std::isnan(dtype.to_double(unusual.data())) ? unusual : element;
    }
  }
  // Little-endian: the highest byte makes the number large and odd-looking.
  for (std::size_t i = 0; i < dtype.size_bytes; ++i) {
    element[i] = std::byte{static_cast<std::uint8_t>((noise >> (8 * (i % 8))) | 1U)};
  }
  if (dtype.size_bytes > 1) element.back() = std::byte{0xA5};
  return element;
}

void poison_elements(const Tensor& tensor, std::byte* payload, std::uint64_t key) {
  const std::vector<std::byte> element = poison_element(tensor.dtype(), key);
  const std::size_t size = element.size();
  detail::for_each_run(tensor, [&](const detail::Run& run) {
    std::byte* place = detail::at(payload, tensor.dtype(), run.offset);
    if (run.stride == 1) {
      // Doubling: the bulk of it is a few large copies.
      const std::size_t bytes = static_cast<std::size_t>(run.count) * size;
      std::memcpy(place, element.data(), size);
      for (std::size_t done = size; done < bytes;) {
        const std::size_t more = std::min({done, bytes - done, std::size_t{1} << 15});
        std::memcpy(place + done, place, more);
        done += more;
      }
      return;
    }
    const std::size_t step = static_cast<std::size_t>(run.stride) * size;
    for (std::int64_t i = 0; i < run.count; ++i, place += step) {
      std::memcpy(place, element.data(), size);
    }
  });
}

void arm_guards(const Tensor& tensor, std::byte* allocation, std::uint64_t key) {
  for_each_zone(tensor, [&](const Zone& zone) {
    walk(
        zone,
        [&](std::size_t place) {
          const std::uint64_t word = guard_word(key, place / 8);
          std::memcpy(allocation + place, &word, sizeof word);
        },
        [&](std::size_t place) { allocation[place] = std::byte{guard_byte(key, place)}; });
  });
}

void poison(const Tensor& tensor, std::byte* allocation, std::uint64_t key) {
  arm_guards(tensor, allocation, key);
  poison_elements(tensor, allocation + placement_of(tensor).payload_offset, key);
}

GuardReport check_guards(const Tensor& tensor, const std::byte* allocation, std::uint64_t key) {
  GuardReport report;
  const auto payload_offset = static_cast<std::int64_t>(placement_of(tensor).payload_offset);
  for_each_zone(tensor, [&](const Zone& zone) {
    const auto compare_byte = [&](std::size_t place, std::uint8_t armed) {
      if (allocation[place] == std::byte{armed}) return;
      if (report.changed_bytes++ == 0) {
        report.place = zone.place;
        report.first_byte = static_cast<std::int64_t>(place) - payload_offset;
      }
    };
    walk(
        zone,
        [&](std::size_t place) {
          const std::uint64_t word = guard_word(key, place / 8);
          if (std::memcmp(allocation + place, &word, sizeof word) == 0) return;
          std::uint8_t bytes[sizeof word];
          std::memcpy(bytes, &word, sizeof word);
          for (std::size_t i = 0; i < sizeof word; ++i) compare_byte(place + i, bytes[i]);
        },
        [&](std::size_t place) { compare_byte(place, guard_byte(key, place)); });
  });
  return report;
}

std::string GuardReport::text(const std::string& tensor_name, const Tensor& tensor) const {
  if (intact()) return "the guard zones of '" + tensor_name + "' are intact";
  const auto size = static_cast<std::int64_t>(tensor.dtype().size_bytes);
  std::string where;
  if (place == Place::before) {
    where = std::to_string(-first_byte) + " bytes before its first element";
  } else if (place == Place::gap) {
    where = "in a gap between its elements, at byte " + std::to_string(first_byte);
  } else {
    where =
        std::to_string(first_byte - tensor.span_elements() * size) + " bytes past its last element";
  }
  return std::to_string(changed_bytes) +
         (changed_bytes == 1 ? " byte was written" : " bytes were written") + " outside '" +
         tensor_name + "', the first " + where;
}

Unwritten find_unwritten(const Tensor& tensor, const std::byte* payload, std::uint64_t key) {
  const std::vector<std::byte> element = poison_element(tensor.dtype(), key);
  const std::size_t size = element.size();
  Unwritten unwritten;
  detail::for_each_run(tensor, [&](const detail::Run& run) {
    const std::byte* place = detail::at(payload, tensor.dtype(), run.offset);
    const std::size_t step = static_cast<std::size_t>(run.stride) * size;
    for (std::int64_t i = 0; i < run.count; ++i, place += step) {
      if (std::memcmp(place, element.data(), size) != 0) continue;
      if (unwritten.count++ == 0) unwritten.first = run.index + i;
    }
  });
  return unwritten;
}

}  // namespace assay
