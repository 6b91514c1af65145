// SPDX-License-Identifier: MIT
#include "assay/judge/json_parts.hpp"

namespace assay::judge {
namespace detail {

Json range_json(const Range& range) { return Json{{"low", range.low}, {"high", range.high}}; }

Range range_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Range range{reader.take<double>("low"), reader.take<double>("high")};
  reader.finish();
  return range;
}

Json range_json(const Reading<Range>& reading) {
  if (reading) return Json{{"value", range_json(*reading)}};
  return missing_json(reading.missing());
}

Reading<Range> take_range(ObjectReader& parent, std::string_view key) {
  return reading_from<Range>(parent.member(key), parent.where() + "." + std::string(key),
                             range_from);
}

stats::Verdict take_verdict(ObjectReader& parent, std::string_view key) {
  const auto word = parent.take<std::string>(key);
  const auto verdict = stats::verdict_from_string(word);
  if (!verdict) {
    throw Error(ErrorKind::bad_input,
                parent.where() + "." + std::string(key) + ": unknown word '" + word + "'");
  }
  return *verdict;
}

}  // namespace detail

namespace {

using detail::range_from;
using detail::range_json;
using detail::take_range;

Json to_json(const CalibrationEntry& value) {
  return Json{{"stated", range_json(value.stated)},
              {"mean_stated", value.mean_stated},
              {"count", value.count},
              {"came_true", value.came_true},
              {"frequency", range_json(value.frequency)}};
}

CalibrationEntry calibration_entry_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  CalibrationEntry value;
  value.stated = range_from(reader.member("stated"), where + ".stated");
  value.mean_stated = reader.take<double>("mean_stated");
  value.count = reader.take<std::int64_t>("count");
  value.came_true = reader.take<std::int64_t>("came_true");
  value.frequency = range_from(reader.member("frequency"), where + ".frequency");
  reader.finish();
  return value;
}

}  // namespace

Json to_json(const Sensitivity& value) {
  return Json{{"ratio", json_of(value.ratio)},
              {"ratio_interval", range_json(value.ratio_interval)},
              {"confidence_level", value.confidence_level},
              {"wilcoxon_p", json_of(value.wilcoxon_p)},
              {"verdict", stats::to_string(value.verdict)},
              {"disagrees", value.disagrees}};
}

Sensitivity sensitivity_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Sensitivity value;
  value.ratio = reader.take_reading<double>("ratio");
  value.ratio_interval = take_range(reader, "ratio_interval");
  value.confidence_level = reader.take<double>("confidence_level");
  value.wilcoxon_p = reader.take_reading<double>("wilcoxon_p");
  value.verdict = detail::take_verdict(reader, "verdict");
  value.disagrees = reader.take<bool>("disagrees");
  reader.finish();
  return value;
}

Json to_json(const PredictionScore& value) {
  return Json{{"is_hit", value.is_hit},
              {"interval_score", value.interval_score},
              {"ranked_probability_score", json_of(value.ranked_probability_score)}};
}

PredictionScore prediction_score_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  PredictionScore value;
  value.is_hit = reader.take<bool>("is_hit");
  value.interval_score = reader.take<double>("interval_score");
  value.ranked_probability_score = reader.take_reading<double>("ranked_probability_score");
  reader.finish();
  return value;
}

Json to_json(const PredictionReview& value) {
  return Json{
      {"predicted", value.predicted},
      {"scored", value.scored},
      {"hits", value.hits},
      {"hit_rate", range_json(value.hit_rate)},
      {"mean_interval_score", json_of(value.mean_interval_score)},
      {"mean_ranked_probability_score", json_of(value.mean_ranked_probability_score)},
      {"calibration",
       list_of(value.calibration, [](const CalibrationEntry& entry) { return to_json(entry); })},
      {"unscored", value.unscored}};
}

PredictionReview prediction_review_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  PredictionReview value;
  value.predicted = reader.take<std::int64_t>("predicted");
  value.scored = reader.take<std::int64_t>("scored");
  value.hits = reader.take<std::int64_t>("hits");
  value.hit_rate = take_range(reader, "hit_rate");
  value.mean_interval_score = reader.take_reading<double>("mean_interval_score");
  value.mean_ranked_probability_score =
      reader.take_reading<double>("mean_ranked_probability_score");
  value.calibration = take_list<CalibrationEntry>(reader, "calibration", calibration_entry_from);
  value.unscored = take_texts(reader, "unscored");
  reader.finish();
  return value;
}

Json to_json(const SuiteResult& value) {
  return Json{{"baseline", value.baseline},
              {"candidate", value.candidate},
              {"state", value.state},
              {"boundary", value.boundary},
              {"cells", value.cells},
              {"ratio", json_of(value.ratio)},
              {"ratio_interval", range_json(value.ratio_interval)},
              {"confidence_level", value.confidence_level},
              {"trials", value.trials},
              {"left_out", value.left_out}};
}

SuiteResult suite_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  SuiteResult value;
  value.baseline = reader.take<std::string>("baseline");
  value.candidate = reader.take<std::string>("candidate");
  value.state = reader.take<std::string>("state");
  value.boundary = reader.take<std::string>("boundary");
  value.cells = reader.take<std::int64_t>("cells");
  value.ratio = reader.take_reading<double>("ratio");
  value.ratio_interval = take_range(reader, "ratio_interval");
  value.confidence_level = reader.take<double>("confidence_level");
  value.trials = reader.take<std::int64_t>("trials");
  value.left_out = take_texts(reader, "left_out");
  reader.finish();
  return value;
}

Json to_json(const BlocksAdvice& value) {
  return Json{{"taken", value.taken},
              {"blocks", json_of(value.blocks)},
              {"is_bounded", value.is_bounded},
              {"within_trial_sd", json_of(value.within_trial_sd)},
              {"between_trials_sd", json_of(value.between_trials_sd)},
              {"block_s", json_of(value.block_s)},
              {"trial_s", json_of(value.trial_s)}};
}

BlocksAdvice blocks_advice_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  BlocksAdvice value;
  value.taken = reader.take<std::int64_t>("taken");
  value.blocks = reader.take_reading<std::int64_t>("blocks");
  value.is_bounded = reader.take<bool>("is_bounded");
  value.within_trial_sd = reader.take_reading<double>("within_trial_sd");
  value.between_trials_sd = reader.take_reading<double>("between_trials_sd");
  value.block_s = reader.take_reading<double>("block_s");
  value.trial_s = reader.take_reading<double>("trial_s");
  reader.finish();
  return value;
}

Json to_json(const WithinTrial& value) {
  return Json{{"effective_samples", json_of(value.effective_samples)},
              {"trial", json_of(value.trial)},
              {"median_interval_ns", range_json(value.median_interval_ns)}};
}

WithinTrial within_trial_from_json(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  WithinTrial value;
  value.effective_samples = reader.take_reading<double>("effective_samples");
  value.trial = reader.take_reading<std::int64_t>("trial");
  value.median_interval_ns = take_range(reader, "median_interval_ns");
  reader.finish();
  return value;
}

}  // namespace assay::judge
