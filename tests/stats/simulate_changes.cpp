// SPDX-License-Identifier: MIT
//
// Prints the simulated tables of "Steady state", "Drift", "History" and "Independence of the
// trials" in docs/explanation/statistics.md. Not a test; takes about a minute:
//
//   cmake --build BUILD --target simulate_changes && BUILD/tests/stats/simulate_changes [SECTION]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "assay/stats/change_points.hpp"
#include "assay/stats/drift.hpp"
#include "assay/stats/e_divisive.hpp"
#include "assay/stats/independence.hpp"
#include "assay/stats/summary.hpp"

namespace {

using namespace assay;
using namespace assay::stats;
using Values = std::vector<double>;

std::mt19937_64 engine(20261130);

double normal() {
  static std::normal_distribution<> distribution;
  return distribution(engine);
}

// Stationary, variance 1.
Values ar1(std::size_t count, double phi) {
  Values x(count);
  double before = normal();
  for (double& v : x) v = before = phi * before + std::sqrt(1 - phi * phi) * normal();
  return x;
}

Values plus(Values x, const std::function<double(double)>& shape) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] += shape(static_cast<double>(i) / static_cast<double>(x.size()));
  }
  return x;
}

double early(double at) { return at < 0.2 ? 1 : 0; }
double late(double at) { return at < 0.8 ? 0 : 1; }
double step(double at) { return at < 0.5 ? 0 : 1; }
double ramp(double at) { return at; }
double bump(double at) { return at > 0.4 && at < 0.6 ? 1 : 0; }

double share(int repeats, const std::function<bool()>& one) {
  int hits = 0;
  for (int i = 0; i < repeats; ++i) hits += one() ? 1 : 0;
  return hits / static_cast<double>(repeats);
}

void critical_values() {
  for (const auto& [n, repeats] : {std::pair{std::size_t{200}, 40'000}, {1'000, 100'000}}) {
    Values steps;
    Values slopes;
    for (int i = 0; i < repeats; ++i) {
      const Values x = ar1(n, 0);
      steps.push_back(*self_normalised_cusum(x));
      slopes.push_back(*self_normalised_slope(x));
    }
    for (const auto& [name, found] : {std::pair{"G", &steps}, {"H", &slopes}}) {
      std::printf("%s of independent values, n = %zu:", name, n);
      for (const double p : {0.9, 0.95, 0.975, 0.99, 0.995, 0.999}) {
        std::printf("  %.1f %% %.1f", 100 * p, quantile(*found, p));
      }
      std::puts("");
    }
  }
}

// Blocks of trials whose core is drawn from two that differ by `apart` SD of a block.
Values cores(std::size_t trials, std::size_t blocks, double apart) {
  Values x;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const double level = engine() % 2 == 0 ? 0 : apart;
    for (std::size_t block = 0; block < blocks; ++block) x.push_back(level + normal());
  }
  return x;
}

void drift_row(const char* name, int repeats, const std::function<Values()>& draw) {
  int judged = 0;
  int drifted = 0;
  int strong = 0;
  for (int i = 0; i < repeats; ++i) {
    const auto result = drift(draw());
    if (!result) continue;
    ++judged;
    drifted += result->has_drifted ? 1 : 0;
    strong += result->is_strong ? 1 : 0;
  }
  const double of = std::max(1, judged);
  std::printf("%-44s judged %.2f, of those at 5 %% %.3f, at 1 %% %.3f\n", name,
              judged / static_cast<double>(repeats), drifted / of, strong / of);
}

void drift_table() {
  char name[80];
  for (const std::size_t n : {200U, 640U, 2560U}) {
    for (const double phi : {0.0, 0.5, 0.8, 0.9}) {
      std::snprintf(name, sizeof name, "no drift, n = %zu, phi = %.1f", n, phi);
      drift_row(name, 3000, [&] { return ar1(n, phi); });
    }
  }
  for (const std::size_t n : {200U, 640U, 2560U}) {
    for (const double phi : {0.0, 0.5}) {
      for (const double size : {1.0, 2.0}) {
        std::snprintf(name, sizeof name, "step of %.0f SD, n = %zu, phi = %.1f", size, n, phi);
        drift_row(name, 500,
                  [&] { return plus(ar1(n, phi), [&](double at) { return size * step(at); }); });
        std::snprintf(name, sizeof name, "ramp of %.0f SD, n = %zu, phi = %.1f", size, n, phi);
        drift_row(name, 500,
                  [&] { return plus(ar1(n, phi), [&](double at) { return size * ramp(at); }); });
      }
    }
  }
  drift_row("there and back, 2 SD, n = 640", 500,
            [] { return plus(ar1(640, 0), [](double at) { return 2 * bump(at); }); });
  for (const auto& [trials, blocks] :
       {std::pair{std::size_t{64}, std::size_t{20}}, {128, 20}, {400, 20}, {1000, 5}}) {
    for (const double apart : {1.0, 30.0}) {
      std::snprintf(name, sizeof name, "two cores %.0f SD apart, %zu x %zu", apart, trials, blocks);
      drift_row(name, 1000, [&] { return cores(trials, blocks, apart); });
    }
  }
}

void steady_table() {
  std::puts("\nshare of stationary series not called flat; penalty 3 log n | 15 log n");
  for (const std::size_t n : {50U, 128U, 400U}) {
    for (const double phi : {0.0, 0.3, 0.5, 0.7, 0.9}) {
      const double usual = share(400, [&] {
        return !change_points(ar1(n, phi), {.penalty = 3 * std::log(static_cast<double>(n))})
                    .empty();
      });
      const double strong =
          share(1000, [&] { return *steady_state(ar1(n, phi), 0) != SteadyClass::flat; });
      const double merged =
          share(400, [&] { return *steady_state(ar1(n, phi), 2) != SteadyClass::flat; });
      std::printf("n = %3zu, phi = %.1f: %.3f | %.3f | merged below 2 SD %.3f\n", n, phi, usual,
                  strong, merged);
    }
  }
  std::printf("n = 4000 in batches, phi = 0.9: %.3f\n",
              share(200, [] { return *steady_state(ar1(4000, 0.9), 0) != SteadyClass::flat; }));
  std::puts("right class: first fifth slower by 1 2 3 4 SD | last fifth slower");
  for (const std::size_t n : {50U, 64U, 128U, 400U}) {
    for (const double phi : {0.0, 0.5}) {
      std::printf("n = %3zu, phi = %.1f:", n, phi);
      for (const double size : {1.0, 2.0, 3.0, 4.0}) {
        const double warm = share(200, [&] {
          return *steady_state(plus(ar1(n, phi), [&](double at) { return size * early(at); }), 0) ==
                 SteadyClass::warm_up;
        });
        const double unsettled = share(200, [&] {
          return *steady_state(plus(ar1(n, phi), [&](double at) { return size * late(at); }), 0) ==
                 SteadyClass::no_steady_state;
        });
        std::printf("  %.2f | %.2f", warm, unsettled);
      }
      std::puts("");
    }
  }
}

void history_table() {
  std::puts("\nE-divisive: share of series without a change that are marked, p <= 1e-3 | 1e-5");
  for (const std::size_t n : {50U, 200U}) {
    const int repeats = n == 50 ? 1000 : 400;
    const auto both = [&](const char* name, const std::function<Values()>& draw) {
      int usual = 0;
      int strict = 0;
      for (int i = 0; i < repeats; ++i) {
        const Values values = draw();
        usual += e_divisive(values, 1e-3).empty() ? 0 : 1;
        strict += e_divisive(values).empty() ? 0 : 1;
      }
      std::printf("n = %3zu, %-12s %.3f | %.3f\n", n, name, usual / static_cast<double>(repeats),
                  strict / static_cast<double>(repeats));
    };
    both("independent", [&] { return ar1(n, 0); });
    both("AR(1) 0.3", [&] { return ar1(n, 0.3); });
    both("AR(1) 0.5", [&] { return ar1(n, 0.5); });
    both("lognormal", [&] {
      Values x = ar1(n, 0);
      for (double& v : x) v = std::exp(v);
      return x;
    });
    for (const double size : {1.0, 1.5, 2.0}) {
      const auto near = [&](const std::vector<Nomination>& found) {
        return std::any_of(found.begin(), found.end(), [&](const Nomination& one) {
          return one.index + 5 > n / 2 && one.index < n / 2 + 5;
        });
      };
      std::printf(
          "n = %3zu, step of %.1f SD in the middle: found within 5 %.2f\n", n, size,
          share(300, [&] {
            return near(e_divisive(plus(ar1(n, 0), [&](double at) { return size * step(at); })));
          }));
    }
  }
}

void independence_table() {
  std::puts("\nLjung-Box: share with p < 0.001 at J = 16 32 64 128; -: not with so few");
  std::student_t_distribution<> t3(3);
  const auto row = [&](const char* name, const std::function<Values(std::size_t)>& draw) {
    std::printf("%-24s", name);
    for (const std::size_t trials : {16U, 32U, 64U, 128U}) {
      std::printf(" %.4f", share(20'000, [&] { return ljung_box(draw(trials))->p < 0.001; }));
    }
    std::puts("");
  };
  row("normal", [](std::size_t n) { return ar1(n, 0); });
  row("t3", [&](std::size_t n) {
    Values x(n);
    for (double& v : x) v = t3(engine);
    return x;
  });
  row("two modes, 6 SD", [](std::size_t n) { return cores(n, 1, 6); });
  row("AR(1) 0.3", [](std::size_t n) { return ar1(n, 0.3); });
  row("AR(1) 0.6", [](std::size_t n) { return ar1(n, 0.6); });
}

}  // namespace

int main(int count, char** arguments) {
  const std::string asked = count > 1 ? arguments[1] : "";
  const auto section = [&](const char* name, void (*print)()) {
    if (asked.empty() || asked == name) print();
  };
  section("critical", critical_values);
  section("drift", drift_table);
  section("steady", steady_table);
  section("history", history_table);
  section("independence", independence_table);
}
