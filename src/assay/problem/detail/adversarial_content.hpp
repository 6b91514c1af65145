// SPDX-License-Identifier: MIT
//
// The generators behind AdversarialContent, made for one tensor: how large a value may be depends
// on the dtype and on how many of them are added.
#pragma once

#include <optional>

#include "assay/problem/adversarial.hpp"

namespace assay::detail {

// Whether the content of this input may be replaced at all: data of a floating type, drawn by one
// of the shipped random generators or the arithmetic pattern. A constant is a parameter, integers
// are indices, a custom generator or a mutation keeps promises that we do not know.
bool is_replaceable(const InputSpec& spec, const Tensor& tensor);

// nullopt if the content is impossible there: infinities in a type without, values that cancel or
// vanish in an input that is declared non-negative or positive.
std::optional<Generator> adversarial_generator(AdversarialContent content, const Tensor& tensor,
                                               SpecialValues::Range range);

const char* slug_of(AdversarialContent content);

}  // namespace assay::detail
