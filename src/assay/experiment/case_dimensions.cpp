// SPDX-License-Identifier: MIT
#include "assay/experiment/case_dimensions.hpp"

#include <algorithm>
#include <cstddef>

#include "assay/base/error.hpp"
#include "assay/base/json_list.hpp"
#include "assay/experiment/detail/fail.hpp"
#include "assay/experiment/detail/json_lists.hpp"

namespace assay::experiment {
namespace {

using detail::fail;

std::string extents_text(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : "x") + std::to_string(number);
  return text;
}

// Whether the strides leave no gaps where the extents are stepped through in that order, the
// fastest first. A stride over an extent of one is never taken.
template <typename Order>
bool is_dense(const Operand& operand, Order order) {
  std::int64_t step = 1;
  for (std::size_t k = 0; k < operand.shape.size(); ++k) {
    const std::size_t i = order(k);
    if (operand.shape[i] != 1 && operand.strides[i] != step) return false;
    if (__builtin_mul_overflow(step, operand.shape[i], &step)) return false;
  }
  return true;
}

Json operand_json(const Operand& operand) {
  return {{"name", operand.name},
          {"role", operand.role},
          {"dtype", operand.dtype},
          {"shape", operand.shape},
          {"strides", operand.strides},
          {"layout", operand.layout()},
          {"alignment_bytes", operand.alignment_bytes}};
}

std::vector<std::int64_t> take_extents(ObjectReader& reader, const char* key) {
  return take_list<std::int64_t>(reader, key, [](const Json& json, const std::string& at) {
    if (!json.is_number_integer() || !detail::integer_fits(json) || json.get<std::int64_t>() < 0) {
      fail(at, "expected an integer of at least 0");
    }
    return json.get<std::int64_t>();
  });
}

Operand operand_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Operand operand;
  operand.name = reader.take<std::string>("name");
  if (!can_stand_in_id(operand.name))
    fail(where + ".name", "'" + operand.name + "' names no tensor");
  operand.role = reader.take<std::string>("role");
  if (operand.role != "input" && operand.role != "in-place" && operand.role != "output") {
    fail(where + ".role", "'" + operand.role + "' is none; expected input, in-place or output");
  }
  operand.dtype = reader.take<std::string>("dtype");
  operand.shape = take_extents(reader, "shape");
  operand.strides = take_extents(reader, "strides");
  if (operand.strides.size() != operand.shape.size()) {
    fail(where + ".strides", "expected as many as shape has extents");
  }
  operand.alignment_bytes = reader.take<std::int64_t>("alignment_bytes");
  const auto alignment = operand.alignment_bytes;
  if (alignment < 1 || (alignment & (alignment - 1)) != 0) {
    fail(where + ".alignment_bytes", "expected a power of two");
  }
  // It follows from the rest.
  if (reader.take<std::string>("layout") != operand.layout()) {
    fail(where + ".layout", "not what strides and shape say, which is '" + operand.layout() + "'");
  }
  reader.finish();
  return operand;
}

Parameters parameters_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Parameters parameters;
  for (const auto& item : json.items()) {
    parameters[item.key()] = reader.take<std::string>(item.key());
  }
  return parameters;
}

}  // namespace

std::string Operand::layout() const {
  const std::size_t rank = shape.size();
  const bool is_row_major = is_dense(*this, [rank](std::size_t k) { return rank - 1 - k; });
  if (is_row_major) return rank < 2 ? "contiguous" : "row-major";
  if (is_dense(*this, [](std::size_t k) { return k; })) return "column-major";
  return "strides " + extents_text(strides);
}

std::string Operand::shape_text() const { return shape.empty() ? "scalar" : extents_text(shape); }

Json to_json(const CaseDimensions& dimensions) {
  Json declared = Json::object();
  for (const auto& [name, value] : dimensions.declared.entries()) {
    declared[name] = detail::axis_value_json(value);
  }
  Json parameters = Json::object();
  for (const auto& [subject, values] : dimensions.parameters) {
    Json of_subject = Json::object();
    for (const auto& [name, value] : values) of_subject[name] = value;
    parameters[subject] = std::move(of_subject);
  }
  return {{"operands", list_of(dimensions.operands, operand_json)},
          {"declared", std::move(declared)},
          {"parameters", std::move(parameters)}};
}

CaseDimensions case_dimensions_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CaseDimensions dimensions;
  dimensions.operands = take_list<Operand>(reader, "operands", operand_from);
  const Json& declared = reader.member("declared");
  ObjectReader is_object(declared, where + ".declared");
  for (const auto& [name, value] : declared.items()) {
    try {
      dimensions.declared.set(name, detail::json_value(value, where + ".declared." + name));
    } catch (const Error& error) {
      throw Error(ErrorKind::bad_input, where + ".declared: " + error.what());
    }
  }
  const Json& parameters = reader.member("parameters");
  ObjectReader subjects(parameters, where + ".parameters");
  for (const auto& [subject, values] : parameters.items()) {
    dimensions.parameters[subject] = parameters_from(values, where + ".parameters." + subject);
  }
  reader.finish();
  return dimensions;
}

}  // namespace assay::experiment
