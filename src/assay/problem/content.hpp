// SPDX-License-Identifier: MIT
//
// The content of tensors: filling, renewing, converting for the reference, and identifying. All
// work on host bytes; `payload` is the place of the first element, gaps of strides are left alone.
//
// Renewal has a bounded cost: regenerating hundreds of megabytes before each block would cost more
// than the measurement, and changing a window is enough, since a subject that keeps an old result
// is then wrong. The window moves with the key, so that no content ever comes twice.
//
// Where a helpers is given, large tensors are shared among its threads; results are the same for
// any. A user's own generator or element type is asked by the calling thread alone. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/base/case.hpp"
#include "assay/base/helpers.hpp"
#include "assay/problem/contract.hpp"
#include "assay/problem/tensor.hpp"

namespace assay {

// Element i becomes generator.value(key, i), rounded to the dtype.
void fill(const Tensor& tensor, std::uint64_t key, std::byte* payload, const Helpers& helpers = {});
// The same for the elements first … first + count − 1.
void fill_range(const Tensor& tensor, std::uint64_t key, std::byte* payload, std::int64_t first,
                std::int64_t count, const Helpers& helpers = {});

// Logical indices first, first + 1, … count of them, going on at 0 after the last element.
struct Window {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// fresh: the elements of a window are generated anew under `key` (none if the generator ignores
// keys); mutate: the problem's function changes all; fixed: nothing. Use another key each time.
// Throws Error{usage} if the problem's function changes the number of elements.
Window renew(const InputSpec& spec, const Case& the_case, const Tensor& tensor, std::uint64_t key,
             std::byte* payload, std::int64_t max_elements = 16384, const Helpers& helpers = {});

// Elements in logical order.
std::vector<double> to_doubles(const Tensor& tensor, const std::byte* payload,
                               const Helpers& helpers = {});
// Rounds to the dtype; elements.size() is the tensor's element_count().
void from_doubles(const Tensor& tensor, const std::vector<double>& elements, std::byte* payload,
                  const Helpers& helpers = {});

// SHA-256 over dtype, shape and the elements' bytes in logical order: the same for the same content
// whatever the strides.
std::string content_digest(const Tensor& tensor, const std::byte* payload);

// A fast hash of the elements, for a look before and after: any change of one element changes it.
// Compare only hashes of the same tensor taken by the same program.
std::uint64_t content_hash(const Tensor& tensor, const std::byte* payload,
                           const Helpers& helpers = {});

}  // namespace assay
