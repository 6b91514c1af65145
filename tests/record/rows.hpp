// SPDX-License-Identifier: MIT
//
// Rows for the tests: one ordinary kind and one drawn at random from all that a file may hold.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "assay/base/random.hpp"
#include "assay/record/tables.hpp"

namespace assay::record {

inline Sample sample_named(SampleTable& table, const std::string& subject) {
  Sample sample;
  sample.trial = 1;
  sample.process = 3;
  sample.build = table.names.index_of("program");
  sample.problem = table.names.index_of("sum");
  sample.case_id = table.names.index_of("n=1024 dtype=f32");
  sample.state = table.names.index_of("warm");
  sample.boundary = table.names.index_of("call");
  sample.timer = table.names.index_of("tsc");
  sample.subject = table.names.index_of(subject);
  sample.flags = table.names.index_of("");
  sample.block = 7;
  sample.position = 2;
  sample.interval_ns = 1234.5;
  sample.iterations = 10;
  sample.start_ns = 99;
  return sample;
}

inline SampleTable ordinary_samples(std::size_t rows) {
  SampleTable table;
  for (std::size_t i = 0; i < rows; ++i) {
    Sample sample = sample_named(table, i % 2 == 0 ? "naive" : "fast");
    sample.position = static_cast<std::uint32_t>(i);
    sample.start_ns = static_cast<std::int64_t>(i) * 1'000'003;
    sample.interval_ns = 1e6 + static_cast<double>(i) / 7;
    table.rows.push_back(sample);
  }
  return table;
}

inline std::string random_name(Random& random) {
  static const std::vector<std::string> parts = {"a", "B", "7", " ", ",", "\"", "=", ";", "é", "–"};
  std::string name;
  for (auto left = random.next_below(6); left > 0; --left) {
    name += parts[random.next_below(parts.size())];
  }
  return name;
}

// Any finite number that is not negative: small and huge ones, subnormals and 0 among them.
inline double random_interval(Random& random) {
  for (;;) {
    const std::uint64_t bits = random.next() >> 1;
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) return random.next_below(10) == 0 ? 0 : value;
  }
}

inline SampleTable random_samples(Random& random, std::size_t rows) {
  SampleTable table;
  const auto name = [&] { return table.names.index_of(random_name(random)); };
  const auto number = [&] { return static_cast<std::uint32_t>(random.next()); };
  for (std::size_t i = 0; i < rows; ++i) {
    Sample s;
    s.trial = number();
    s.process = number();
    s.build = name();
    s.layout = number();
    s.problem = name();
    s.case_id = name();
    s.state = name();
    s.boundary = name();
    s.timer = name();
    s.phase = static_cast<Phase>(random.next_below(4));
    s.block = number();
    s.position = number();
    s.subject = name();
    s.interval_ns = random_interval(random);
    s.iterations = 1 + static_cast<std::int64_t>(random.next() >> 2);
    s.start_ns = static_cast<std::int64_t>(random.next() >> 1);
    s.flags = name();
    table.rows.push_back(s);
  }
  return table;
}

inline std::string csv_of(const SampleTable& table) {
  std::string text = std::string(samples_header) + "\n";
  for (const auto& sample : table.rows) append_csv(text, table, sample);
  return text;
}

inline Trial ordinary_trial() {
  Trial trial;
  trial.trial = 1;
  trial.process = 2;
  trial.build = "program";
  trial.boundary = "call";
  trial.core = 5;
  trial.cores_allowed = 8;
  trial.started_utc = "2026-11-29T21:44:05+00:00";
  trial.start_ns = 10;
  trial.end_ns = 20;
  trial.outcome = "completed";
  return trial;
}

}  // namespace assay::record
