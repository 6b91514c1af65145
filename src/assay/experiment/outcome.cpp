// SPDX-License-Identifier: MIT
#include "assay/experiment/outcome.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "assay/base/error.hpp"

namespace assay::experiment {
namespace {

constexpr std::array<std::string_view, 4> check_kinds = {"before", "timed", "adversarial",
                                                         "gate-power"};
constexpr std::array<std::string_view, 15> failure_kinds = {
    failure::missing_program, failure::not_a_program, failure::crashed,
    failure::exited,          failure::timed_out,     failure::protocol,
    failure::wrong_output,    failure::subject_error, failure::input_changed,
    failure::out_of_bounds,   failure::too_short,     failure::implausible_time,
    failure::device_lost,     failure::not_started,   failure::code_refused};

template <std::size_t size>
std::string take_kind(ObjectReader& reader, const std::array<std::string_view, size>& known) {
  std::string kind = reader.take<std::string>("kind");
  if (std::find(known.begin(), known.end(), kind) != known.end()) return kind;
  std::string names;
  for (const std::string_view name : known)
    names += (names.empty() ? "" : ", ") + std::string(name);
  throw Error(ErrorKind::bad_input,
              reader.where() + ".kind: unknown kind '" + kind + "'; expected one of " + names);
}

}  // namespace

Json to_json(const CheckResult& result) {
  return {{"kind", result.kind},
          {"problem", result.problem},
          {"case", result.case_id},
          {"subject", result.subject},
          {"content", result.content},
          {"passed", result.passed},
          {"applicable", result.applicable},
          {"reason", result.reason},
          {"detail", result.detail}};
}

CheckResult check_result_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CheckResult result;
  result.kind = take_kind(reader, check_kinds);
  result.problem = reader.take<std::string>("problem");
  result.case_id = reader.take<std::string>("case");
  result.subject = reader.take<std::string>("subject");
  result.content = reader.take<std::string>("content");
  result.passed = reader.take<bool>("passed");
  result.applicable = reader.take<bool>("applicable");
  result.reason = reader.take<std::string>("reason");
  result.detail = reader.member("detail");
  reader.finish();
  return result;
}

Json to_json(const Failure& failure) {
  return {{"kind", failure.kind},   {"message", failure.message},
          {"stage", failure.stage}, {"trial", failure.trial ? Json(*failure.trial) : Json()},
          {"cell", failure.cell},   {"subject", failure.subject},
          {"build", failure.build}};
}

Failure failure_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Failure failure;
  failure.kind = take_kind(reader, failure_kinds);
  failure.message = reader.take<std::string>("message");
  failure.stage = reader.take<std::string>("stage");
  if (!reader.member("trial").is_null()) failure.trial = reader.take<std::int64_t>("trial");
  failure.cell = reader.take<std::string>("cell");
  failure.subject = reader.take<std::string>("subject");
  failure.build = reader.take<std::string>("build");
  reader.finish();
  return failure;
}

}  // namespace assay::experiment
