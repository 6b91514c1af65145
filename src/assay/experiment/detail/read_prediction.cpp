// SPDX-License-Identifier: MIT
#include <cmath>

#include "assay/base/error.hpp"
#include "assay/experiment/detail/readers.hpp"
#include "assay/experiment/predicate.hpp"

namespace assay::experiment::detail {
namespace {

// What three decimal fractions that people write may miss 1 by.
constexpr double probability_sum_tolerance = 1e-6;

Probability read_probability(const Node& node, const std::string& file) {
  const TableReader reader(node, file, "prediction.probability",
                           {"faster", "equivalent", "slower"});
  const auto share = [&](std::string_view key) {
    const auto value = reader.number(key, {0, 1});
    if (!value) reader.fail(key, "missing", "a probability for each of the three verdicts");
    return *value;
  };
  const Probability result{share("faster"), share("equivalent"), share("slower")};
  const double sum = result.faster + result.equivalent + result.slower;
  if (std::abs(sum - 1) > probability_sum_tolerance) {
    reader.fail("", "the probabilities sum to " + std::to_string(sum), "a sum of 1");
  }
  return result;
}

void read_ratio(const TableReader& reader, Prediction& prediction) {
  const std::string expected =
      "[low, high] with 0 < low <= high: an interval for time(candidate) / time(baseline)";
  const Node* ratio = reader.find("ratio");
  if (ratio == nullptr) reader.fail("ratio", "missing", expected);
  std::vector<double> ends;
  for (const Node& item : ratio->items) {
    if (item.kind == Node::Kind::number) ends.push_back(item.number);
    if (item.kind == Node::Kind::integer) ends.push_back(static_cast<double>(item.integer));
  }
  if (ends.size() != 2 || ratio->items.size() != 2) {
    reader.fail("ratio", "this is " + ratio->words() + " that is no pair of numbers", expected);
  }
  const bool in_order = ends[0] > 0 && ends[0] <= ends[1] && std::isfinite(ends[1]);
  if (!in_order) {
    reader.fail("ratio",
                "[" + to_text(AxisValue(ends[0])) + ", " + to_text(AxisValue(ends[1])) +
                    "] is no interval of ratios",
                expected);
  }
  prediction.ratio_low = ends[0];
  prediction.ratio_high = ends[1];
}

}  // namespace

void read_predictions(const Node& list, const std::string& file, Experiment& experiment) {
  for (const Node& item : tables_of(list, file, "prediction")) {
    const TableReader reader(item, file, "prediction",
                             {"candidate", "where", "ratio", "probability", "because"});
    const std::string key = "prediction[" + std::to_string(experiment.predictions.size()) + "]";
    Prediction prediction;
    prediction.candidate = reader.needed_text("candidate", "the name of a subject");
    if (const auto where = reader.text("where")) {
      try {
        Predicate::parse(*where);
      } catch (const Error& error) {
        throw Error(ErrorKind::bad_input,
                    reader.place(reader.line_of("where"), "where") + ": " + error.what());
      }
      prediction.where = *where;
    } else {
      experiment.defaults_used.push_back(key + ".where");
    }
    read_ratio(reader, prediction);
    if (const Node* probability = reader.find("probability")) {
      prediction.probability = read_probability(*probability, file);
    }
    prediction.because = reader.text("because").value_or("");
    experiment.lines[key] = reader.line();
    experiment.lines[key + ".candidate"] = reader.line_of("candidate");
    experiment.lines[key + ".where"] = reader.line_of("where");
    experiment.predictions.push_back(std::move(prediction));
  }
}

}  // namespace assay::experiment::detail
