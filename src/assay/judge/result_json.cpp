// SPDX-License-Identifier: MIT
#include <map>

#include "assay/judge/result.hpp"

namespace assay::judge {
namespace {

template <typename T, typename F>
Json list_of(const std::vector<T>& values, F to) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(to(value));
  return list;
}

template <typename T, typename F>
std::vector<T> list_from(ObjectReader& reader, std::string_view key, F from) {
  const Json& list = reader.member(key);
  const std::string where = reader.where() + "." + std::string(key);
  if (!list.is_array()) throw Error(ErrorKind::bad_input, where + ": expected a list");
  std::vector<T> values;
  for (std::size_t i = 0; i < list.size(); ++i) {
    values.push_back(from(list[i], where + "[" + std::to_string(i) + "]"));
  }
  return values;
}

std::vector<std::string> texts_from(ObjectReader& reader, std::string_view key) {
  return list_from<std::string>(reader, key, [](const Json& json, const std::string& where) {
    if (!json.is_string()) throw Error(ErrorKind::bad_input, where + ": expected a string");
    return json.get<std::string>();
  });
}

Json range_json(const Range& range) { return Json{{"low", range.low}, {"high", range.high}}; }

Range range_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Range range{reader.take<double>("low"), reader.take<double>("high")};
  reader.finish();
  return range;
}

Json range_json(const Reading<Range>& reading) {
  if (reading) return Json{{"value", range_json(*reading)}};
  return Json{{"missing", reading.missing().reason}, {"detail", reading.missing().detail}};
}

Reading<Range> take_range(ObjectReader& parent, std::string_view key) {
  ObjectReader reader(parent.member(key), parent.where() + "." + std::string(key));
  if (reader.has("value")) {
    Range range = range_from(reader.member("value"), reader.where() + ".value");
    reader.finish();
    return range;
  }
  Missing missing{reader.take<std::string>("missing"), reader.take<std::string>("detail")};
  reader.finish();
  return missing;
}

const std::map<PredictionOutcome, std::string> kOutcomes{
    {PredictionOutcome::supported, "supported"},
    {PredictionOutcome::contradicted, "contradicted"},
    {PredictionOutcome::undecided, "undecided"}};

PredictionOutcome outcome_from(const std::string& word, const std::string& where) {
  for (const auto& [outcome, name] : kOutcomes) {
    if (name == word) return outcome;
  }
  throw Error(ErrorKind::bad_input, where + ": '" + word +
                                        "' is no outcome of a prediction; expected supported, "
                                        "contradicted or undecided");
}

Json subject_json(const SubjectResult& r) {
  return Json{{"subject", r.subject},
              {"valid", r.valid},
              {"why_invalid", r.why_invalid},
              {"median_ns", json_of(r.median_ns)},
              {"interval_ns", range_json(r.interval_ns)},
              {"min_ns", json_of(r.min_ns)},
              {"p95_ns", json_of(r.p95_ns)},
              {"samples", r.samples},
              {"trials", r.trials},
              {"bytes_per_s", json_of(r.bytes_per_s)},
              {"flop_per_s", json_of(r.flop_per_s)},
              {"ceiling_share_frac", json_of(r.ceiling_share_frac)}};
}

SubjectResult subject_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  SubjectResult r;
  r.subject = reader.take<std::string>("subject");
  r.valid = reader.take<bool>("valid");
  r.why_invalid = reader.take<std::string>("why_invalid");
  r.median_ns = reader.take_reading<double>("median_ns");
  r.interval_ns = take_range(reader, "interval_ns");
  r.min_ns = reader.take_reading<double>("min_ns");
  r.p95_ns = reader.take_reading<double>("p95_ns");
  r.samples = reader.take<std::int64_t>("samples");
  r.trials = reader.take<std::int64_t>("trials");
  r.bytes_per_s = reader.take_reading<double>("bytes_per_s");
  r.flop_per_s = reader.take_reading<double>("flop_per_s");
  r.ceiling_share_frac = reader.take_reading<double>("ceiling_share_frac");
  reader.finish();
  return r;
}

Json control_json(const ControlResult& r) {
  return Json{{"ratio", json_of(r.ratio)},
              {"interval_adjusted", range_json(r.interval_adjusted)},
              {"voids", r.voids},
              {"is_finding", r.is_finding}};
}

ControlResult control_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  ControlResult r;
  r.ratio = reader.take_reading<double>("ratio");
  r.interval_adjusted = take_range(reader, "interval_adjusted");
  r.voids = reader.take<bool>("voids");
  r.is_finding = reader.take<bool>("is_finding");
  reader.finish();
  return r;
}

Json precision_json(const PrecisionResult& r) {
  return Json{{"interval_ns", range_json(r.interval_ns)},
              {"confidence_level", r.confidence_level},
              {"relative_half_width", json_of(r.relative_half_width)},
              {"is_reached", r.is_reached},
              {"look", r.look}};
}

PrecisionResult precision_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  PrecisionResult r;
  r.interval_ns = take_range(reader, "interval_ns");
  r.confidence_level = reader.take<double>("confidence_level");
  r.relative_half_width = reader.take_reading<double>("relative_half_width");
  r.is_reached = reader.take<bool>("is_reached");
  r.look = reader.take<std::int64_t>("look");
  reader.finish();
  return r;
}

Json cell_json(const CellResult& r) {
  Json json{{"cell", r.cell},
            {"left", r.left},
            {"refused", r.refused},
            {"estimand", r.estimand},
            {"iterations", r.iterations},
            {"subjects", list_of(r.subjects, subject_json)},
            {"control", control_json(r.control)}};
  add_json(json, r.steadiness);
  if (r.precision) json["precision"] = precision_json(*r.precision);
  return json;
}

CellResult cell_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CellResult r;
  r.cell = reader.take<std::string>("cell");
  r.left = reader.take<bool>("left");
  r.refused = reader.take<std::string>("refused");
  r.estimand = reader.take<std::string>("estimand");
  r.iterations = reader.take<std::int64_t>("iterations");
  r.subjects = list_from<SubjectResult>(reader, "subjects", subject_from);
  r.control = control_from(reader.member("control"), where + ".control");
  r.steadiness = take_steadiness(reader);
  if (const Json* precision = reader.optional_member("precision")) {
    r.precision = precision_from(*precision, where + ".precision");
  }
  reader.finish();
  return r;
}

Json comparison_json(const ComparisonResult& r) {
  Json json{{"cell", r.cell},
            {"baseline", r.baseline},
            {"candidate", r.candidate},
            {"primary", r.primary},
            {"provisional", r.provisional},
            {"verdict", stats::to_string(r.verdict)},
            {"reason", r.reason},
            {"ratio", json_of(r.ratio)},
            {"ratio_interval", range_json(r.ratio_interval)},
            {"confidence_level", r.confidence_level},
            {"look", r.look},
            {"trials", r.trials},
            {"sd_log_ratio", json_of(r.sd_log_ratio)},
            {"sign_flip_p", json_of(r.sign_flip_p)},
            {"repeated_p", json_of(r.repeated_p)},
            {"adjusted_p", json_of(r.adjusted_p)},
            {"trials_needed", json_of(r.trials_needed)},
            {"model_ratio", json_of(r.model_ratio)}};
  if (r.predicted_ratio) json["predicted_ratio"] = range_json(*r.predicted_ratio);
  if (r.prediction) json["prediction"] = kOutcomes.at(*r.prediction);
  return json;
}

ComparisonResult comparison_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  ComparisonResult r;
  r.cell = reader.take<std::string>("cell");
  r.baseline = reader.take<std::string>("baseline");
  r.candidate = reader.take<std::string>("candidate");
  r.primary = reader.take<bool>("primary");
  r.provisional = reader.take<bool>("provisional");
  const auto word = reader.take<std::string>("verdict");
  const auto verdict = stats::verdict_from_string(word);
  if (!verdict) throw Error(ErrorKind::bad_input, where + ".verdict: unknown word '" + word + "'");
  r.verdict = *verdict;
  r.reason = reader.take<std::string>("reason");
  r.ratio = reader.take_reading<double>("ratio");
  r.ratio_interval = take_range(reader, "ratio_interval");
  r.confidence_level = reader.take<double>("confidence_level");
  r.look = reader.take<std::int64_t>("look");
  r.trials = reader.take<std::int64_t>("trials");
  r.sd_log_ratio = reader.take_reading<double>("sd_log_ratio");
  r.sign_flip_p = reader.take_reading<double>("sign_flip_p");
  r.repeated_p = reader.take_reading<double>("repeated_p");
  r.adjusted_p = reader.take_reading<double>("adjusted_p");
  r.trials_needed = reader.take_reading<std::int64_t>("trials_needed");
  r.model_ratio = reader.take_reading<double>("model_ratio");
  if (const Json* predicted = reader.optional_member("predicted_ratio")) {
    r.predicted_ratio = range_from(*predicted, where + ".predicted_ratio");
  }
  if (reader.has("prediction")) {
    r.prediction = outcome_from(reader.take<std::string>("prediction"), where + ".prediction");
  }
  reader.finish();
  return r;
}

Json claim_json(const Claim& r) { return Json{{"id", r.id}, {"text", r.text}, {"scope", r.scope}}; }

Claim claim_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Claim r{reader.take<std::string>("id"), reader.take<std::string>("text"),
          reader.take<std::string>("scope")};
  reader.finish();
  return r;
}

Json finding_json(const Finding& r) {
  return Json{{"slug", r.slug}, {"text", r.text}, {"cell", r.cell}};
}

Finding finding_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Finding r{reader.take<std::string>("slug"), reader.take<std::string>("text"),
            reader.take<std::string>("cell")};
  reader.finish();
  return r;
}

}  // namespace

Json to_json(const Result& r) {
  return Json{{"format", r.format},
              {"method", r.method},
              {"status", r.status},
              {"exit_status", r.exit_status},
              {"claims", list_of(r.claims, claim_json)},
              {"hypothesis", r.hypothesis},
              {"comparisons", list_of(r.comparisons, comparison_json)},
              {"cells", list_of(r.cells, cell_json)},
              {"findings", list_of(r.findings, finding_json)},
              {"gate", Json{{"applicable", r.gate.applicable}, {"missed", r.gate.missed}}},
              {"left_out", r.left_out}};
}

Result result_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Result r;
  const std::string expected = r.format;
  r.format = reader.take<std::string>("format");
  if (r.format != expected) {
    throw Error(ErrorKind::bad_input,
                where + ": format '" + r.format + "'; this version of Assay reads " + expected);
  }
  r.method = reader.take<std::string>("method");
  r.status = reader.take<std::string>("status");
  r.exit_status = reader.take<int>("exit_status");
  r.claims = list_from<Claim>(reader, "claims", claim_from);
  r.hypothesis = reader.take<std::string>("hypothesis");
  r.comparisons = list_from<ComparisonResult>(reader, "comparisons", comparison_from);
  r.cells = list_from<CellResult>(reader, "cells", cell_from);
  r.findings = list_from<Finding>(reader, "findings", finding_from);
  ObjectReader gate(reader.member("gate"), where + ".gate");
  r.gate.applicable = gate.take<bool>("applicable");
  r.gate.missed = texts_from(gate, "missed");
  gate.finish();
  r.left_out = texts_from(reader, "left_out");
  reader.finish();
  return r;
}

}  // namespace assay::judge
