// SPDX-License-Identifier: MIT
#include "assay/problem/generator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "assay/base/error.hpp"
#include "assay/base/random.hpp"
#include "assay/problem/detail/series.hpp"
#include "assay/problem/detail/text.hpp"

namespace assay {
namespace {

// Philox for several counters at once, word by word, which compilers turn into vector code.
constexpr std::size_t lanes = 8;
struct Batch {
  std::array<std::uint64_t, 2 * lanes> bits;  // of indices 2c … 2c + 2·lanes − 1
};

Batch batch_at(std::uint64_t key, std::uint64_t counter) noexcept {
  using Words = std::array<std::uint32_t, lanes>;
  Words w0;
  Words w1;
  Words w2{};
  Words w3{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    w0[lane] = static_cast<std::uint32_t>(counter + lane);
    w1[lane] = static_cast<std::uint32_t>((counter + lane) >> 32);
  }
  auto key0 = static_cast<std::uint32_t>(key);
  auto key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t product0 = std::uint64_t{0xD2511F53U} * w0[lane];
      const std::uint64_t product1 = std::uint64_t{0xCD9E8D57U} * w2[lane];
      w0[lane] = static_cast<std::uint32_t>(product1 >> 32) ^ w1[lane] ^ key0;
      w1[lane] = static_cast<std::uint32_t>(product1);
      w2[lane] = static_cast<std::uint32_t>(product0 >> 32) ^ w3[lane] ^ key1;
      w3[lane] = static_cast<std::uint32_t>(product0);
    }
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  Batch batch;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    batch.bits[2 * lane] = std::uint64_t{w1[lane]} << 32 | w0[lane];
    batch.bits[2 * lane + 1] = std::uint64_t{w3[lane]} << 32 | w2[lane];
  }
  return batch;
}

// [0, 1), 53 bits.
double unit_of(std::uint64_t bits) noexcept { return static_cast<double>(bits >> 11) * 0x1p-53; }

double below(double value, double low, double high) noexcept {
  return value < high ? value : std::nextafter(high, low);
}

template <std::size_t count>
double polynomial(const std::array<double, count>& coefficients, double x) noexcept {
  double sum = 0;
  for (std::size_t i = count; i-- > 0;) sum = sum * x + coefficients[i];
  return sum;
}

// Quantile of the standard normal distribution: M. J. Wichura, "Algorithm AS 241: The percentage
// points of the normal distribution", Applied Statistics 37 (1988), PPND16; relative error 1e-16.
double normal_quantile(double probability) noexcept {
  constexpr std::array<double, 8> a = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                                       1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                       4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr std::array<double, 8> b = {1.0,
                                       4.2313330701600911252e+1,
                                       6.8718700749205790830e+2,
                                       5.3941960214247511077e+3,
                                       2.1213794301586595867e+4,
                                       3.9307895800092710610e+4,
                                       2.8729085735721942674e+4,
                                       5.2264952788528545610e+3};
  constexpr std::array<double, 8> c = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                       5.76949722146069140550e0,  3.64784832476320460504e0,
                                       1.27045825245236838258e0,  2.41780725177450611770e-1,
                                       2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr std::array<double, 8> d = {1.0,
                                       2.05319162663775882187e0,
                                       1.67638483018380384940e0,
                                       6.89767334985100004550e-1,
                                       1.48103976427480074590e-1,
                                       1.51986665636164571966e-2,
                                       5.47593808499534494600e-4,
                                       1.05075007164441684324e-9};
  constexpr std::array<double, 8> e = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                       1.78482653991729133580e0,  2.96560571828504891230e-1,
                                       2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                       2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr std::array<double, 8> f = {1.0,
                                       5.99832206555887937690e-1,
                                       1.36929880922735805310e-1,
                                       1.48753612908506148525e-2,
                                       7.86869131145613259100e-4,
                                       1.84631831751005468180e-5,
                                       1.42151175831644588870e-7,
                                       2.04426310338993978564e-15};
  const double q = probability - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double tail = q < 0 ? probability : 1 - probability;
  const double r = std::sqrt(-detail::log_of(tail));
  const double magnitude = r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
                                  : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -magnitude : magnitude;
}

// High 64 bits of the product.
std::uint64_t multiply_high(std::uint64_t x, std::uint64_t y) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{x} * y) >> 64);
}

void expect(bool holds, const std::string& name, const char* wanted) {
  if (!holds) throw Error(ErrorKind::usage, "cannot make the generator " + name + ": " + wanted);
}

std::string called(const char* name, double first, double second) {
  return std::string(name) + '(' + detail::number_text(first) + ", " + detail::number_text(second) +
         ')';
}

}  // namespace

Generator::Generator(Kind kind, std::string name, double low, double high)
    : kind_(kind), name_(std::move(name)), low_(low), high_(high) {}

Generator Generator::uniform(double low, double high) {
  Generator made(Kind::uniform, called("uniform", low, high), low, high);
  expect(low < high && std::isfinite(high - low), made.name_,
         "low must lie below high, and their distance be finite");
  return made;
}

Generator Generator::normal(double mean, double standard_deviation) {
  Generator made(Kind::normal, called("normal", mean, standard_deviation), mean,
                 standard_deviation);
  expect(std::isfinite(mean) && standard_deviation > 0 && std::isfinite(standard_deviation),
         made.name_, "the mean must be finite, the standard deviation positive and finite");
  return made;
}

Generator Generator::arithmetic_pattern() {
  return Generator(Kind::arithmetic_pattern, "arithmetic_pattern", 0, 0);
}

Generator Generator::log_uniform(double low, double high) {
  Generator made(Kind::log_uniform, called("log_uniform", low, high), low, high);
  expect(low >= 0x1p-1000 && low < high && high <= 0x1p1000, made.name_,
         "2^-1000 ≤ low < high ≤ 2^1000 must hold");
  made.log2_low_ = detail::log_of(low) / detail::ln2;
  made.log2_span_ = detail::log_of(high) / detail::ln2 - made.log2_low_;
  return made;
}

Generator Generator::integers(std::int64_t low, std::int64_t high) {
  Generator made(Kind::integers,
                 "integers(" + std::to_string(low) + ", " + std::to_string(high) + ')', 0, 0);
  expect(low <= high, made.name_, "low may not lie above high");
  made.first_integer_ = low;
  made.integer_count_ = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  return made;
}

Generator Generator::constant(double value) {
  return Generator(Kind::constant, "constant(" + detail::number_text(value) + ')', value, value);
}

Generator Generator::zero() { return Generator(Kind::constant, "zero", 0, 0); }

Generator Generator::custom(std::string name,
                            std::function<double(std::uint64_t, std::uint64_t)> value) {
  expect(!name.empty() && value != nullptr, '\'' + name + '\'', "it needs a name and a function");
  Generator made(Kind::custom, std::move(name), 0, 0);
  made.custom_ = std::move(value);
  made.is_pure_ = false;
  return made;
}

Generator Generator::pure() const {
  Generator made = *this;
  made.is_pure_ = true;
  return made;
}

template <typename OfBits>
void Generator::each(std::uint64_t key, std::uint64_t first, std::size_t count, double* values,
                     OfBits of_bits) {
  std::size_t done = 0;
  if (count > 0 && (first & 1) != 0) values[done++] = of_bits(Random(key).at(first));
  while (count - done >= 2 * lanes) {
    const Batch batch = batch_at(key, (first + done) >> 1);
    for (const std::uint64_t bits : batch.bits) values[done++] = of_bits(bits);
  }
  for (; done < count; ++done) values[done] = of_bits(Random(key).at(first + done));
}

void Generator::values(std::uint64_t key, std::uint64_t first, std::size_t count,
                       double* values) const {
  switch (kind_) {
    case Kind::uniform: {
      const double low = low_;
      const double high = high_;
      const double span = high - low;
      each(key, first, count, values, [=](std::uint64_t bits) noexcept {
        return below(low + span * unit_of(bits), low, high);
      });
      return;
    }
    case Kind::normal:
      // 52 bits and a half: never 0 or 1, and exact.
      each(key, first, count, values, [this](std::uint64_t bits) noexcept {
        const double probability = (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
        return low_ + high_ * normal_quantile(probability);
      });
      return;
    case Kind::arithmetic_pattern:
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = (static_cast<double>((first + i) % 17) - 8.0) * 0.1;
      }
      return;
    case Kind::log_uniform:
      each(key, first, count, values, [this](std::uint64_t bits) noexcept {
        const double drawn = detail::exp2_of(log2_low_ + log2_span_ * unit_of(bits));
        const double magnitude = below(std::max(drawn, low_), low_, high_);
        return (bits & 1) != 0 ? -magnitude : magnitude;
      });
      return;
    case Kind::integers:
      each(key, first, count, values, [this](std::uint64_t bits) noexcept {
        const std::uint64_t step = integer_count_ == 0 ? bits : multiply_high(bits, integer_count_);
        return static_cast<double>(
            static_cast<std::int64_t>(static_cast<std::uint64_t>(first_integer_) + step));
      });
      return;
    case Kind::constant:
      std::fill_n(values, count, low_);
      return;
    case Kind::custom:
      for (std::size_t i = 0; i < count; ++i) values[i] = custom_(key, first + i);
      return;
  }
}

double Generator::value(std::uint64_t key, std::uint64_t index) const {
  double value = 0;
  values(key, index, 1, &value);
  return value;
}

}  // namespace assay
