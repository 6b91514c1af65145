// SPDX-License-Identifier: MIT
//
// Generator: how an input gets its content. Deterministic and counter-based: element i of a tensor
// under a key is a pure function of (generator, key, i), the same bytes on every platform, so only
// +, −, ×, ÷ and sqrt of IEEE double and our own series are used, never the platform's libm.
// All-zero and constant content must be asked for: it hides errors and draws less power.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace assay {

class Generator {
 public:
  static Generator uniform(double low = -1.0, double high = 1.0);  // [low, high)
  static Generator normal(double mean = 0.0, double standard_deviation = 1.0);
  // ((i mod 17) − 8) · 0.1, the same whatever the key is (and so not renewed between blocks).
  static Generator arithmetic_pattern();
  // Random sign, magnitude log-uniform in [low, high); 0 < low < high.
  static Generator log_uniform(double low, double high);
  // Integers in [low, high], both included.
  static Generator integers(std::int64_t low, std::int64_t high);
  static Generator constant(double value);
  static Generator zero();
  // Your own: element value from (key, index). Name it: the record tells generators apart by name.
  static Generator custom(std::string name,
                          std::function<double(std::uint64_t key, std::uint64_t index)> value);

  const std::string& name() const noexcept { return name_; }  // "uniform(-1, 1)"
  double value(std::uint64_t key, std::uint64_t index) const { return value_(key, index); }
  // False for a generator that ignores the key: its content cannot be renewed.
  bool depends_on_key() const noexcept { return depends_on_key_; }

 private:
  Generator(std::string name, bool depends_on_key,
            std::function<double(std::uint64_t, std::uint64_t)> value);
  std::string name_;
  bool depends_on_key_;
  std::function<double(std::uint64_t, std::uint64_t)> value_;
};

}  // namespace assay
