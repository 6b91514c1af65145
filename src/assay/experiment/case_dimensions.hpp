// SPDX-License-Identifier: MIT
//
// CaseDimensions: what of a case changes the code that is generated or the routine that a library
// chooses: the tensors as they lie in memory, what the problem declares beside its axes, and the
// parameters of the subjects.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/base/dimensions.hpp"
#include "assay/base/json.hpp"

namespace assay::experiment {

// An input or an output.
struct Operand {
  std::string name;
  std::string role;  // "input", "in-place" (read and written), "output"
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // in elements, one for each extent
  // What a subject may rely on for the first element, at most 64: a power of two, in bytes.
  std::int64_t alignment_bytes = 64;

  // "row-major", "column-major" (two extents and more, no gaps), "contiguous" (fewer), or
  // "strides 8200x1".
  std::string layout() const;
  // "64x4096", "scalar".
  std::string shape_text() const;
  // Of the elements alone.
  bool has_elements_of(const Operand& other) const {
    return name == other.name && role == other.role && dtype == other.dtype && shape == other.shape;
  }
  friend bool operator==(const Operand&, const Operand&) = default;
};

// Name → value.
using Parameters = std::map<std::string, std::string>;

struct CaseDimensions {
  std::vector<Operand> operands;
  Dimensions declared;
  // Subject → what it declares. In a description only what depends on the case.
  std::map<std::string, Parameters> parameters;
};

Json to_json(const CaseDimensions& dimensions);
// Throws Error{bad_input}.
CaseDimensions case_dimensions_from_json(const Json& json, const std::string& where);

}  // namespace assay::experiment
