// SPDX-License-Identifier: MIT
#include "assay/problem/content.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "assay/base/digest.hpp"
#include "assay/base/error.hpp"
#include "assay/base/large_memory.hpp"
#include "assay/base/random.hpp"
#include "assay/problem/detail/elements.hpp"

namespace assay {
namespace {

constexpr std::int64_t block_elements = 1024;

// The elements' bytes in logical order, one after the other.
std::vector<std::byte> gathered(const Tensor& tensor, const std::byte* payload) {
  const std::size_t size = tensor.dtype().size_bytes;
  std::vector<std::byte> bytes(tensor.bytes());
  std::byte* to = bytes.data();
  detail::for_each_run(tensor, [&](const detail::Run& run) {
    const std::byte* from = detail::at(payload, tensor.dtype(), run.offset);
    const std::size_t step = static_cast<std::size_t>(run.stride) * size;
    for (std::int64_t i = 0; i < run.count; ++i, from += step, to += size) {
      std::memcpy(to, from, size);
    }
  });
  return bytes;
}

// Each step is a bijection of the word and of the state, so that one changed word changes the end.
std::uint64_t mixed(std::uint64_t state, std::uint64_t word) noexcept {
  std::uint64_t both = state ^ word;
  both ^= both >> 32;  // else a change of the highest bit would stay in one bit
  const std::uint64_t product = both * 0x9E3779B97F4A7C15U;
  return product << 29 | product >> 35;
}

std::uint64_t hash_of_part(const std::byte* bytes, std::size_t size) noexcept {
  // Four chains side by side, since one waits for its multiplication.
  std::array<std::uint64_t, 4> chains = {0x243F6A8885A308D3U, 0x13198A2E03707344U,
                                         0xA4093822299F31D0U, 0x082EFA98EC4E6C89U};
  std::size_t done = 0;
  for (; size - done >= 32; done += 32) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), bytes + done, 32);
    for (std::size_t i = 0; i < 4; ++i) chains[i] = mixed(chains[i], words[i]);
  }
  std::uint64_t hash = size;
  for (; done < size; ++done) hash = mixed(hash, std::to_integer<std::uint64_t>(bytes[done]));
  for (const std::uint64_t chain : chains) hash = mixed(hash, chain);
  return hash ^ hash >> 31;
}

// In parts whose size does not depend on the helpers, put together in order.
std::uint64_t hash_of(const std::byte* bytes, std::size_t size, const Helpers& helpers) {
  constexpr std::size_t part_bytes = std::size_t{1} << 20;
  std::vector<std::uint64_t> parts((size + part_bytes - 1) / part_bytes);
  helpers.share(
      static_cast<std::int64_t>(parts.size()), 2, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const std::size_t begin = i * part_bytes;
          parts[i] = hash_of_part(bytes + begin, std::min(part_bytes, size - begin));
        }
      });
  std::uint64_t hash = size;
  for (const std::uint64_t part : parts) hash = mixed(hash, part);
  return hash ^ hash >> 31;
}

}  // namespace

void fill_range(const Tensor& tensor, std::uint64_t key, std::byte* payload, std::int64_t first,
                std::int64_t count, const Helpers& helpers) {
  ASSAY_EXPECTS(first >= 0 && count >= 0 && first + count <= tensor.element_count());
  const Helpers& able = tensor.generator().is_pure() ? helpers : Helpers();
  detail::share_elements(able, tensor, count, [&](std::int64_t begin, std::int64_t end) {
    std::array<double, block_elements> values;
    detail::for_each_run(tensor, first + begin, end - begin, [&](const detail::Run& run) {
      for (std::int64_t done = 0; done < run.count; done += block_elements) {
        const std::int64_t block = std::min(block_elements, run.count - done);
        tensor.generator().values(key, static_cast<std::uint64_t>(run.index + done),
                                  static_cast<std::size_t>(block), values.data());
        detail::store_elements(tensor.dtype(), values.data(), block,
                               detail::at(payload, tensor.dtype(), run.offset + done * run.stride),
                               run.stride);
      }
    });
  });
}

void fill(const Tensor& tensor, std::uint64_t key, std::byte* payload, const Helpers& helpers) {
  fill_range(tensor, key, payload, 0, tensor.element_count(), helpers);
}

Window renew(const InputSpec& spec, const Case& the_case, const Tensor& tensor, std::uint64_t key,
             std::byte* payload, std::int64_t max_elements, const Helpers& helpers) {
  ASSAY_EXPECTS(max_elements >= 1);
  const std::int64_t elements = tensor.element_count();
  if (elements == 0 || spec.renewal == Renewal::fixed) return {};
  if (spec.renewal == Renewal::mutate) {
    ASSAY_EXPECTS(spec.mutate != nullptr);
    std::vector<double> values = to_doubles(tensor, payload, helpers);
    spec.mutate(the_case, key, values);
    if (values.size() != static_cast<std::size_t>(elements)) {
      throw Error(ErrorKind::usage, "the function that mutates the input '" + spec.name +
                                        "' left " + std::to_string(values.size()) +
                                        " elements where there were " + std::to_string(elements) +
                                        ": it must keep their number");
    }
    from_doubles(tensor, values, payload, helpers);
    return {0, elements};
  }
  if (!tensor.generator().depends_on_key()) return {};
  Window window;
  window.count = std::min(max_elements, elements);
  window.first = static_cast<std::int64_t>(
      Random(derive_key(key, {"window"})).next_below(static_cast<std::uint64_t>(elements)));
  const std::int64_t until_end = std::min(window.count, elements - window.first);
  fill_range(tensor, key, payload, window.first, until_end, helpers);
  fill_range(tensor, key, payload, 0, window.count - until_end, helpers);
  return window;
}

std::vector<double> to_doubles(const Tensor& tensor, const std::byte* payload,
                               const Helpers& helpers) {
  auto elements = large_vector<double>(static_cast<std::size_t>(tensor.element_count()));
  const std::int64_t count = tensor.element_count();
  detail::share_elements(helpers, tensor, count, [&](std::int64_t begin, std::int64_t end) {
    detail::for_each_run(tensor, begin, end - begin, [&](const detail::Run& run) {
      detail::load_elements(tensor.dtype(), detail::at(payload, tensor.dtype(), run.offset),
                            run.stride, run.count, elements.data() + run.index);
    });
  });
  return elements;
}

void from_doubles(const Tensor& tensor, const std::vector<double>& elements, std::byte* payload,
                  const Helpers& helpers) {
  const std::int64_t count = tensor.element_count();
  ASSAY_EXPECTS(elements.size() == static_cast<std::size_t>(count));
  detail::share_elements(helpers, tensor, count, [&](std::int64_t begin, std::int64_t end) {
    detail::for_each_run(tensor, begin, end - begin, [&](const detail::Run& run) {
      detail::store_elements(tensor.dtype(), elements.data() + run.index, run.count,
                             detail::at(payload, tensor.dtype(), run.offset), run.stride);
    });
  });
}

std::string content_digest(const Tensor& tensor, const std::byte* payload) {
  std::string head = tensor.dtype().name + " [";
  for (std::size_t d = 0; d < tensor.shape().size(); ++d) {
    head += (d == 0 ? "" : ",") + std::to_string(tensor.shape()[d]);
  }
  head += "]\n";
  Sha256 digest;
  digest.add(head.data(), head.size());
  if (tensor.is_dense()) {
    digest.add(payload, tensor.bytes());
  } else {
    const std::vector<std::byte> bytes = gathered(tensor, payload);
    digest.add(bytes.data(), bytes.size());
  }
  return digest.hex();
}

std::uint64_t content_hash(const Tensor& tensor, const std::byte* payload, const Helpers& helpers) {
  if (tensor.is_dense()) return hash_of(payload, tensor.bytes(), helpers);
  const std::vector<std::byte> bytes = gathered(tensor, payload);
  return hash_of(bytes.data(), bytes.size(), helpers);
}

}  // namespace assay
