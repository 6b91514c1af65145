// SPDX-License-Identifier: MIT
#include "assay/record/counters.hpp"

#include <cmath>

#include "assay/record/csv.hpp"
#include "assay/record/files.hpp"

namespace assay::record {
namespace {

bool is_share(double value) { return value > 0 && value <= 1; }

void take_value(csv::Row& row, Counter& counter) {
  const std::string value(row.text("value"));
  const std::string share(row.text("counted_frac"));
  const std::string missing(row.text("missing"));
  csv::expect_plain(missing);
  if (value.empty() != share.empty() || value.empty() == missing.empty()) {
    row.fail("must be empty if and only if value and counted_frac are given");
  }
  if (value.empty()) {
    counter.value = Missing{missing, ""};
    return;
  }
  const auto number = [&row](const std::string& text) {
    double parsed = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(parsed)) {
      row.fail("comes after a field that is no finite number: '" + text.substr(0, 40) + "'");
    }
    return parsed;
  };
  counter.value = number(value);
  counter.counted_frac = number(share);
  if (!is_share(counter.counted_frac)) row.fail("comes after a counted_frac outside of (0, 1]");
}

Counter counter_of(csv::Row& row) {
  Counter counter;
  counter.run = row.integer<std::int64_t>("run", 1);
  const auto text = [&row](std::string_view column) {
    std::string field(row.text(column));
    csv::expect_plain(field);
    return field;
  };
  counter.problem = text("problem");
  counter.case_id = text("case");
  counter.state = text("state");
  counter.build = text("build");
  counter.subject = text("subject");
  counter.launch = row.integer<std::int64_t>("launch", 0);
  counter.kernel = text("kernel");
  if (counter.kernel.empty() != (counter.launch == 0)) {
    row.fail("must be given if and only if launch is above 0");
  }
  counter.metric = text("metric");
  if (counter.metric.empty()) row.fail("is empty");
  counter.unit = text("unit");
  counter.calls = row.integer<std::int64_t>("calls", 1);
  take_value(row, counter);
  return counter;
}

}  // namespace

void append_csv(std::string& out, const Counter& counter) {
  ASSAY_EXPECTS(counter.run >= 1 && counter.calls >= 1 && counter.launch >= 0);
  ASSAY_EXPECTS(counter.kernel.empty() == (counter.launch == 0) && !counter.metric.empty());
  ASSAY_EXPECTS(is_share(counter.counted_frac));
  csv::append_number(out, counter.run);
  for (const auto* text :
       {&counter.problem, &counter.case_id, &counter.state, &counter.build, &counter.subject}) {
    out += ',';
    csv::append_field(out, *text);
  }
  out += ',';
  csv::append_number(out, counter.launch);
  for (const auto* text : {&counter.kernel, &counter.metric, &counter.unit}) {
    out += ',';
    csv::append_field(out, *text);
  }
  out += ',';
  csv::append_number(out, counter.calls);
  out += ',';
  if (counter.value) {
    ASSAY_EXPECTS(std::isfinite(*counter.value));
    csv::append_number(out, *counter.value);
    out += ',';
    csv::append_number(out, counter.counted_frac);
    out += ',';
  } else {
    ASSAY_EXPECTS(!counter.value.missing().reason.empty());
    out += ",,";
    csv::append_field(out, counter.value.missing().reason);
  }
  out += '\n';
}

std::vector<Counter> parse_counters(std::string_view text, std::string_view where) {
  csv::Lines lines{std::string(where), counters_header};
  std::vector<Counter> all;
  lines.add(text, [&](csv::Row& row) { all.push_back(counter_of(row)); });
  lines.finish(false);
  return all;
}

std::vector<Counter> read_counters(const std::filesystem::path& file) {
  return parse_counters(read_file(file), file.string());
}

}  // namespace assay::record
