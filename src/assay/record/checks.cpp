// SPDX-License-Identifier: MIT
#include "assay/record/checks.hpp"

namespace assay::record {
namespace {

const Json& array(ObjectReader& reader, std::string_view key) {
  const Json& member = reader.member(key);
  if (!member.is_array()) {
    throw Error(ErrorKind::bad_input,
                reader.where() + ": '" + std::string(key) + "' must be an array");
  }
  return member;
}

std::string at(const std::string& where, std::string_view key, std::size_t index) {
  return where + ": " + std::string(key) + "[" + std::to_string(index) + "]";
}

}  // namespace

Json to_json(const Checks& checks) {
  Json results = Json::array();
  for (const auto& result : checks.results) results.push_back(experiment::to_json(result));
  Json failures = Json::array();
  for (const auto& failure : checks.failures) failures.push_back(experiment::to_json(failure));
  return Json{{"format", checks_format},
              {"results", std::move(results)},
              {"failures", std::move(failures)}};
}

Checks checks_from_json(const Json& json, const std::string& where) {
  expect_format(json, checks_format, where);
  ObjectReader reader(json, where);
  reader.member("format");
  Checks checks;
  for (const auto& result : array(reader, "results")) {
    checks.results.push_back(
        experiment::check_result_from_json(result, at(where, "results", checks.results.size())));
  }
  for (const auto& failure : array(reader, "failures")) {
    checks.failures.push_back(
        experiment::failure_from_json(failure, at(where, "failures", checks.failures.size())));
  }
  reader.finish();
  return checks;
}

void expect_format(const Json& json, std::string_view format, const std::string& where) {
  ObjectReader reader(json, where);
  const auto found = reader.take<std::string>("format");
  if (found == format) return;
  const auto name = format.substr(0, format.find('/') + 1);
  const bool is_another_version = found.starts_with(name);
  throw Error(ErrorKind::bad_input,
              where + ": cannot read the format '" + found + "', this version of Assay reads '" +
                  std::string(format) + "'" +
                  (is_another_version ? ": use the version of Assay that wrote it, or a newer one"
                                      : ": this is another kind of file"));
}

}  // namespace assay::record
