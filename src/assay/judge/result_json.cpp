// SPDX-License-Identifier: MIT
#include <map>

#include "assay/judge/canary_json.hpp"
#include "assay/judge/device_json.hpp"
#include "assay/judge/json_parts.hpp"
#include "assay/judge/launches.hpp"
#include "assay/judge/limits_json.hpp"
#include "assay/judge/result.hpp"
#include "assay/judge/startup.hpp"

namespace assay::judge {
namespace {

using detail::missing_json;
using detail::range_from;
using detail::range_json;
using detail::reading_from;
using detail::take_range;

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

Json mode_json(const ModeResult& r) {
  return Json{{"location_ns", r.location_ns},
              {"range_ns", range_json(r.range_ns)},
              {"share_frac", r.share_frac}};
}

ModeResult mode_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  ModeResult r{reader.take<double>("location_ns"),
               range_from(reader.member("range_ns"), where + ".range_ns"),
               reader.take<double>("share_frac")};
  reader.finish();
  return r;
}

Json modality_json(const Reading<ModalityResult>& reading) {
  if (!reading) return missing_json(reading.missing());
  return Json{{"value", Json{{"several", reading->several},
                             {"seen", reading->seen},
                             {"p_within", json_of(reading->p_within)},
                             {"p_between", json_of(reading->p_between)},
                             {"p_pooled", json_of(reading->p_pooled)},
                             {"modes", list_of(reading->modes, mode_json)}}}};
}

Reading<ModalityResult> modality_from(const Json& json, const std::string& where) {
  return reading_from<ModalityResult>(json, where, [](const Json& value, const std::string& at) {
    ObjectReader reader(value, at);
    ModalityResult r;
    r.several = reader.take<bool>("several");
    r.seen = reader.take<std::string>("seen");
    r.p_within = reader.take_reading<double>("p_within");
    r.p_between = reader.take_reading<double>("p_between");
    r.p_pooled = reader.take_reading<double>("p_pooled");
    r.modes = take_list<ModeResult>(reader, "modes", mode_from);
    reader.finish();
    return r;
  });
}

Json memory_json(const MemoryUse& use) {
  Json json = to_json(use);
  json["spare_bytes"] = json_of(use.spare_bytes());
  json["fits"] = json_of(use.fits());
  return json;
}

MemoryUse memory_from(const Json& json, const std::string& where) {
  // What follows from the rest is not read.
  Json rest = json;
  if (rest.is_object()) {
    rest.erase("spare_bytes");
    rest.erase("fits");
  }
  return memory_use_from_json(rest, where);
}

Json subject_json(const SubjectResult& r) {
  Json json{{"subject", r.subject},
            {"valid", r.valid},
            {"why_invalid", r.why_invalid},
            {"median_ns", json_of(r.median_ns)},
            {"interval_ns", range_json(r.interval_ns)},
            {"min_ns", json_of(r.min_ns)},
            {"p95_ns", json_of(r.p95_ns)},
            {"mean_ns", json_of(r.mean_ns)},
            {"trimmed_mean_ns", json_of(r.trimmed_mean_ns)},
            {"p5_ns", json_of(r.p5_ns)},
            {"p99_ns", json_of(r.p99_ns)},
            {"sd_ns", json_of(r.sd_ns)},
            {"within_trial", to_json(r.within_trial)},
            {"samples", r.samples},
            {"trials", r.trials},
            {"bytes_per_s", json_of(r.bytes_per_s)},
            {"flop_per_s", json_of(r.flop_per_s)},
            {"ceiling_share_frac", json_of(r.ceiling_share_frac)},
            {"modality", modality_json(r.modality)}};
  if (r.memory) json["memory"] = memory_json(*r.memory);
  if (!r.startup.empty()) json["startup"] = detail::startup_json(r.startup);
  if (r.limits) json["limits"] = detail::limits_json(*r.limits);
  if (!r.launches.empty()) json["launches"] = list_of(r.launches, detail::launch_json);
  return json;
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
  r.mean_ns = reader.take_reading<double>("mean_ns");
  r.trimmed_mean_ns = reader.take_reading<double>("trimmed_mean_ns");
  r.p5_ns = reader.take_reading<double>("p5_ns");
  r.p99_ns = reader.take_reading<double>("p99_ns");
  r.sd_ns = reader.take_reading<double>("sd_ns");
  r.within_trial = within_trial_from_json(reader.member("within_trial"), where + ".within_trial");
  r.samples = reader.take<std::int64_t>("samples");
  r.trials = reader.take<std::int64_t>("trials");
  r.bytes_per_s = reader.take_reading<double>("bytes_per_s");
  r.flop_per_s = reader.take_reading<double>("flop_per_s");
  r.ceiling_share_frac = reader.take_reading<double>("ceiling_share_frac");
  r.modality = modality_from(reader.member("modality"), where + ".modality");
  if (reader.has("memory")) r.memory = memory_from(reader.member("memory"), where + ".memory");
  if (const Json* startup = reader.optional_member("startup")) {
    r.startup = detail::startup_from(*startup, where + ".startup");
  }
  if (const Json* limits = reader.optional_member("limits")) {
    r.limits = detail::limits_from(*limits, where + ".limits");
  }
  if (reader.has("launches")) {
    r.launches = take_list<LaunchResult>(reader, "launches", detail::launch_from);
  }
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
  if (r.advice) json["advice"] = to_json(*r.advice);
  if (r.dimensions) json["dimensions"] = to_json(*r.dimensions);
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
  r.subjects = take_list<SubjectResult>(reader, "subjects", subject_from);
  r.control = control_from(reader.member("control"), where + ".control");
  r.steadiness = take_steadiness(reader);
  if (const Json* precision = reader.optional_member("precision")) {
    r.precision = precision_from(*precision, where + ".precision");
  }
  if (const Json* advice = reader.optional_member("advice")) {
    r.advice = blocks_advice_from_json(*advice, where + ".advice");
  }
  if (const Json* dimensions = reader.optional_member("dimensions")) {
    r.dimensions = experiment::case_dimensions_from_json(*dimensions, where + ".dimensions");
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
            {"model_ratio", json_of(r.model_ratio)},
            {"estimand", r.estimand}};
  if (r.other_estimand) {
    json["other_estimand"] = Json{{"estimand", r.other_estimand->estimand},
                                  {"ratio", json_of(r.other_estimand->ratio)},
                                  {"ratio_interval", range_json(r.other_estimand->ratio_interval)}};
  }
  if (r.predicted_ratio) json["predicted_ratio"] = range_json(*r.predicted_ratio);
  if (r.prediction) json["prediction"] = kOutcomes.at(*r.prediction);
  if (r.predicted_probability) {
    json["predicted_probability"] = Json{{"faster", r.predicted_probability->faster},
                                         {"equivalent", r.predicted_probability->equivalent},
                                         {"slower", r.predicted_probability->slower}};
  }
  if (r.score) json["score"] = to_json(*r.score);
  if (r.sensitivity) json["sensitivity"] = to_json(*r.sensitivity);
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
  r.verdict = detail::take_verdict(reader, "verdict");
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
  r.estimand = reader.take<std::string>("estimand");
  if (const Json* other = reader.optional_member("other_estimand")) {
    ObjectReader of_other(*other, where + ".other_estimand");
    r.other_estimand = OtherEstimand{of_other.take<std::string>("estimand"),
                                     of_other.take_reading<double>("ratio"),
                                     take_range(of_other, "ratio_interval")};
    of_other.finish();
  }
  if (const Json* predicted = reader.optional_member("predicted_ratio")) {
    r.predicted_ratio = range_from(*predicted, where + ".predicted_ratio");
  }
  if (reader.has("prediction")) {
    r.prediction = outcome_from(reader.take<std::string>("prediction"), where + ".prediction");
  }
  if (const Json* stated = reader.optional_member("predicted_probability")) {
    ObjectReader words(*stated, where + ".predicted_probability");
    r.predicted_probability = {words.take<double>("faster"), words.take<double>("equivalent"),
                               words.take<double>("slower")};
    words.finish();
  }
  if (const Json* score = reader.optional_member("score")) {
    r.score = prediction_score_from_json(*score, where + ".score");
  }
  if (const Json* sensitivity = reader.optional_member("sensitivity")) {
    r.sensitivity = sensitivity_from_json(*sensitivity, where + ".sensitivity");
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
  Json json{{"format", r.format},
            {"method", r.method},
            {"status", r.status},
            {"exit_status", r.exit_status},
            {"claims", list_of(r.claims, claim_json)},
            {"hypothesis", r.hypothesis},
            {"comparisons", list_of(r.comparisons, comparison_json)},
            {"cells", list_of(r.cells, cell_json)},
            {"findings", list_of(r.findings, finding_json)},
            {"canaries", detail::canaries_json(r.canaries)},
            {"gate", Json{{"applicable", r.gate.applicable}, {"missed", r.gate.missed}}},
            {"left_out", r.left_out}};
  if (!r.suites.empty()) {
    json["suites"] = list_of(r.suites, [](const SuiteResult& suite) { return to_json(suite); });
  }
  if (r.predictions) json["predictions"] = to_json(*r.predictions);
  if (!r.machine.empty()) json["machine"] = r.machine;
  if (r.device) json["device"] = detail::device_json(*r.device);
  return json;
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
  r.claims = take_list<Claim>(reader, "claims", claim_from);
  r.hypothesis = reader.take<std::string>("hypothesis");
  r.comparisons = take_list<ComparisonResult>(reader, "comparisons", comparison_from);
  r.cells = take_list<CellResult>(reader, "cells", cell_from);
  r.findings = take_list<Finding>(reader, "findings", finding_from);
  r.canaries = detail::canaries_from(reader.member("canaries"), where + ".canaries");
  ObjectReader gate(reader.member("gate"), where + ".gate");
  r.gate.applicable = gate.take<bool>("applicable");
  r.gate.missed = take_texts(gate, "missed");
  gate.finish();
  r.left_out = take_texts(reader, "left_out");
  if (reader.has("suites")) r.suites = take_list<SuiteResult>(reader, "suites", suite_from_json);
  if (const Json* review = reader.optional_member("predictions")) {
    r.predictions = prediction_review_from_json(*review, where + ".predictions");
  }
  if (const Json* device = reader.optional_member("device")) {
    r.device = detail::device_from(*device, where + ".device");
  }
  if (reader.has("machine")) r.machine = reader.take<std::string>("machine");
  reader.finish();
  return r;
}

}  // namespace assay::judge
