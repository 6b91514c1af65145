// SPDX-License-Identifier: MIT
#include "assay/experiment/detail/plan_parts.hpp"

#include <charconv>
#include <cmath>

#include "assay/base/error.hpp"
#include "assay/experiment/detail/check_protocol.hpp"
#include "assay/experiment/detail/fail.hpp"
#include "assay/experiment/detail/json_lists.hpp"
#include "assay/experiment/predicate.hpp"

namespace assay::experiment::detail {
namespace {

// As in the experiment file: decimal fractions that people write may miss 1 by so much.
constexpr double kProbabilitySumTolerance = 1e-6;

Json alternative_json(const Alternative& alternative) {
  return {{"explanation", alternative.explanation},
          {"told_apart_by", alternative.told_apart_by},
          {"metrics", alternative.metrics}};
}

Alternative alternative_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Alternative alternative;
  alternative.explanation = reader.take<std::string>("explanation");
  alternative.told_apart_by = reader.take<std::string>("told_apart_by");
  alternative.metrics = take_texts(reader, "metrics");
  reader.finish();
  return alternative;
}

std::uint64_t seed_from(const std::string& text, const std::string& where) {
  std::uint64_t seed = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    fail(where, "'" + text.substr(0, 40) +
                    "' is no seed; expected decimal digits in a string, below 2^64");
  }
  return seed;
}

std::int64_t look_from(const Json& json, const std::string& where) {
  if (!json.is_number_integer() || !integer_fits(json)) fail(where, "expected an integer");
  return json.get<std::int64_t>();
}

void check(const Protocol& protocol, const std::string& where) {
  const auto positive = [&](double value, const char* key) {
    if (!(value > 0)) fail(where + "." + key, "expected a number above 0");
  };
  positive(protocol.sample_s, "sample_s");
  positive(protocol.budget_s, "budget_s");
  positive(protocol.timeout_s, "timeout_s");
  if (protocol.precision) positive(*protocol.precision, "precision");
  if (!(protocol.alpha > 0 && protocol.alpha < 0.5)) {
    fail(where + ".alpha", "expected a number above 0 and below 0.5");
  }
  if (!(protocol.margin >= 0 && protocol.margin < 1)) {
    fail(where + ".margin", "expected a number of at least 0 and below 1");
  }
  if (protocol.blocks < 3) fail(where + ".blocks", "expected an integer of at least 3");
  if (protocol.warmup_blocks_max < 0) fail(where + ".warmup_blocks_max", "expected 0 or more");
  const std::string trouble = trouble_with_looks(protocol.looks, protocol.alpha);
  if (!trouble.empty()) fail(where + ".looks", trouble);
}

}  // namespace

Json question_json(const Question& question) {
  return {{"decision", question.decision},
          {"question", question.question},
          {"hypothesis", question.hypothesis},
          {"if_supported", question.if_supported},
          {"if_rejected", question.if_rejected},
          {"alternatives", list_of(question.alternatives, alternative_json)}};
}

Question question_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Question question;
  question.decision = reader.take<std::string>("decision");
  question.question = reader.take<std::string>("question");
  question.hypothesis = reader.take<std::string>("hypothesis");
  question.if_supported = reader.take<std::string>("if_supported");
  question.if_rejected = reader.take<std::string>("if_rejected");
  question.alternatives = take_list<Alternative>(reader, "alternatives", alternative_from);
  reader.finish();
  return question;
}

Json prediction_json(const Prediction& prediction) {
  Json probability;
  if (prediction.probability) {
    probability = {{"faster", prediction.probability->faster},
                   {"equivalent", prediction.probability->equivalent},
                   {"slower", prediction.probability->slower}};
  }
  return {{"candidate", prediction.candidate}, {"where", prediction.where},
          {"ratio_low", prediction.ratio_low}, {"ratio_high", prediction.ratio_high},
          {"probability", probability},        {"because", prediction.because}};
}

Prediction prediction_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Prediction prediction;
  prediction.candidate = reader.take<std::string>("candidate");
  prediction.where = reader.take<std::string>("where");
  Predicate::parse(prediction.where);
  prediction.ratio_low = reader.take<double>("ratio_low");
  prediction.ratio_high = reader.take<double>("ratio_high");
  if (!(prediction.ratio_low > 0 && prediction.ratio_low <= prediction.ratio_high)) {
    fail(where, "expected 0 < ratio_low <= ratio_high");
  }
  const Json& probability = reader.member("probability");
  if (!probability.is_null()) {
    ObjectReader shares(probability, where + ".probability");
    prediction.probability =
        Probability{shares.take<double>("faster"), shares.take<double>("equivalent"),
                    shares.take<double>("slower")};
    shares.finish();
    const auto& [faster, equivalent, slower] = *prediction.probability;
    if (!(faster >= 0 && equivalent >= 0 && slower >= 0) ||
        std::abs(faster + equivalent + slower - 1) > kProbabilitySumTolerance) {
      fail(where + ".probability", "expected three numbers of at least 0 that sum to 1");
    }
  }
  prediction.because = reader.take<std::string>("because");
  reader.finish();
  return prediction;
}

Json protocol_json(const Protocol& protocol) {
  return {{"boundaries", protocol.boundaries},
          {"states", protocol.states},
          {"looks", protocol.looks},
          {"alpha", protocol.alpha},
          {"margin", protocol.margin},
          {"precision", protocol.precision ? Json(*protocol.precision) : Json()},
          {"blocks", protocol.blocks},
          {"sample_s", protocol.sample_s},
          {"budget_s", protocol.budget_s},
          {"seed", std::to_string(protocol.seed)},
          {"timer", protocol.timer},
          {"warmup_blocks_max", protocol.warmup_blocks_max},
          {"timeout_s", protocol.timeout_s},
          {"ignores_noise_floor", protocol.ignores_noise_floor}};
}

Protocol protocol_from(const Json& json, const std::string& where) {
  ObjectReader reader(json, where);
  Protocol protocol;
  protocol.boundaries = take_texts(reader, "boundaries");
  protocol.states = take_texts(reader, "states");
  protocol.looks = take_list<std::int64_t>(reader, "looks", look_from);
  protocol.alpha = reader.take<double>("alpha");
  protocol.margin = reader.take<double>("margin");
  if (!reader.member("precision").is_null()) protocol.precision = reader.take<double>("precision");
  protocol.blocks = reader.take<std::int64_t>("blocks");
  protocol.sample_s = reader.take<double>("sample_s");
  protocol.budget_s = reader.take<double>("budget_s");
  protocol.seed = seed_from(reader.take<std::string>("seed"), where + ".seed");
  protocol.timer = reader.take<std::string>("timer");
  protocol.warmup_blocks_max = reader.take<std::int64_t>("warmup_blocks_max");
  protocol.timeout_s = reader.take<double>("timeout_s");
  protocol.ignores_noise_floor = reader.take<bool>("ignores_noise_floor");
  reader.finish();
  check(protocol, where);
  return protocol;
}

}  // namespace assay::experiment::detail
