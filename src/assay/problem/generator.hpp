// SPDX-License-Identifier: MIT
//
// Generator: how an input gets its content. Deterministic and counter-based: element i of a tensor
// under a key is a pure function of (generator, key, i), the same bytes on every platform, so only
// +, −, ×, ÷ and sqrt of IEEE double and our own series are used, never the platform's libm.
// All-zero and constant content must be asked for: it hides errors and draws less power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace assay {

class Generator {
 public:
  // The arguments must be finite, low < high, deviations positive: otherwise Error{usage}.
  // Rounding to the dtype comes after, so that a narrow type can hold `high` itself.
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

  enum class Kind { uniform, normal, arithmetic_pattern, log_uniform, integers, constant, custom };

  const std::string& name() const noexcept { return name_; }  // "uniform(-1, 1)"
  Kind kind() const noexcept { return kind_; }
  double value(std::uint64_t key, std::uint64_t index) const;
  // values[j] = value(key, first + j), several times faster than one by one.
  void values(std::uint64_t key, std::uint64_t first, std::size_t count, double* values) const;
  // Of uniform and log_uniform the range of values (magnitudes), of normal the mean and standard
  // deviation, of constant the value twice; else 0.
  double low() const noexcept { return low_; }
  double high() const noexcept { return high_; }
  // False where the function is a user's own: it may not stand being called by several threads.
  bool is_pure() const noexcept { return is_pure_; }
  // The same generator, for a custom function of its arguments alone.
  Generator pure() const;
  // False for a generator that ignores the key: its content cannot be renewed.
  bool depends_on_key() const noexcept {
    return kind_ != Kind::constant && kind_ != Kind::arithmetic_pattern;
  }

 private:
  Generator(Kind kind, std::string name, double low, double high);

  template <typename OfBits>
  static void each(std::uint64_t key, std::uint64_t first, std::size_t count, double* values,
                   OfBits of_bits);

  Kind kind_;
  bool is_pure_ = true;
  std::string name_;
  double low_ = 0;
  double high_ = 0;
  double log2_low_ = 0;   // log_uniform
  double log2_span_ = 0;  // log_uniform
  std::int64_t first_integer_ = 0;
  std::uint64_t integer_count_ = 0;  // 0: all 2^64
  std::function<double(std::uint64_t, std::uint64_t)> custom_;
};

}  // namespace assay
