#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes oracle_values.hpp: what NumPy and SciPy say about fixed data, for the tests of assay::stats.

Run only to renew the numbers; the tests need no Python:

    python3 -m venv VENV && VENV/bin/pip install numpy scipy
    VENV/bin/python tests/stats/oracle.py > tests/stats/oracle_values.hpp

Where a method is in neither library, it is written here a second time, in the plainest way
(all pairs, all sign patterns, FFT), never from the C++.
"""

import itertools
import math
import platform

import numpy as np
import scipy
from scipy import optimize, stats

rng = np.random.default_rng(20261129)

# Times of one process in nanoseconds; two ties and one slow one.
TIMES = np.round(1000 + 15 * rng.standard_normal(25), 1)
TIMES[7] = TIMES[3]
TIMES[11] = 1100.0
# Differences of ten trials: slower by about 2 %, SD 0.5 %.
SLOWER = np.round(0.02 + 0.005 * rng.standard_normal(10), 6)
# Sixteen trials around no difference; with two slow ones on one side.
NEAR_ZERO = np.round(0.0004 + 0.003 * rng.standard_normal(16), 6)
LOPSIDED = np.round(0.002 * rng.standard_normal(16), 6)
LOPSIDED[4] += 0.03
LOPSIDED[9] += 0.04
P_VALUES = np.array([0.01, 0.0004, 0.03, 0.04, 0.2, 0.04, 0.9, 0.005])


def ar1(count, phi):
    x = np.empty(count)
    x[0] = rng.standard_normal()
    for t in range(1, count):
        x[t] = phi * x[t - 1] + math.sqrt(1 - phi * phi) * rng.standard_normal()
    return np.round(np.exp(0.5 * x), 4)


SERIES = ar1(240, 0.5)


def rho(series):
    centred = series - series.mean()
    spectrum = np.fft.rfft(centred, 2 * len(series))
    covariance = np.fft.irfft(spectrum * np.conj(spectrum))[: len(series)]
    return covariance / covariance[0]


def ess(series):
    r, pairs, previous = rho(series), 0.0, np.inf
    for k in range(0, len(series) - 1, 2):
        pair = r[k] + r[k + 1]
        if pair <= 0:
            break
        previous = min(previous, pair)
        pairs += previous
    return min(len(series), len(series) / max(2 * pairs - 1, 1))


def quantile_interval(series, p, level):
    estimate = np.quantile(series, p)
    effective = ess((series <= estimate).astype(float))
    low, high = stats.beta.ppf(
        [(1 - level) / 2, (1 + level) / 2], effective * p + 1, effective * (1 - p) + 1
    )
    ranked, n = np.sort(series), len(series)
    return (
        estimate,
        ranked[max(math.floor(low * n) - 1, 0)],
        ranked[min(math.ceil(high * n) - 1, n - 1)],
        effective,
    )


def hodges_lehmann(x):
    return np.median([(a + b) / 2 for a, b in itertools.combinations_with_replacement(x, 2)])


def double_mad(x):
    centre = np.median(x)
    return np.median(centre - x[x <= centre]), np.median(x[x >= centre] - centre)


def sign_flip(x, bound):
    return stats.permutation_test(
        (x - bound,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    ).pvalue


def skewness_p(x):
    d = x - hodges_lehmann(x)
    observed = abs(stats.skew(d))
    hits = 0
    for signs in itertools.product((1, -1), repeat=len(d)):
        hits += abs(stats.skew(np.abs(d) * signs)) >= observed * (1 - 1e-9)
    return hits / 2 ** len(d)


def t_interval(x, level):
    interval = stats.ttest_1samp(x, 0).confidence_interval(level)
    return interval.low, interval.high


def one_sided(x, bound, alternative):
    return stats.ttest_1samp(x, bound, alternative=alternative).pvalue


def half_width(d, alpha):
    """Of the verdict's interval: Student's, and room for rare slow trials that were not seen."""
    n, sd = len(d), d.std(ddof=1)
    return stats.t.ppf(1 - alpha / 2, n - 1) * sd / math.sqrt(n) + 1.5 * math.log(1 / alpha) * sd / n


def level(d, distance):
    """At which the half-width is the distance."""
    return math.exp(optimize.brentq(lambda a: half_width(d, math.exp(a)) - distance, -60, -1e-9, xtol=1e-15, rtol=1e-15))


def half_width_after(trials, alpha):
    """The same for so many trials of SD 1."""
    return stats.t.ppf(1 - alpha / 2, trials - 1) / math.sqrt(trials) + 1.5 * math.log(1 / alpha) / trials


def resolvable(trials, alpha=0.01, power=0.8):
    """The mean, in SDs of normal differences, that this interval excludes from 0 with that power: noncentral t, exactly."""
    errors = half_width_after(trials, alpha) * math.sqrt(trials)
    found = optimize.brentq(lambda d: stats.nct.sf(errors, trials - 1, d) - power, 0.1, 50)
    return found / math.sqrt(trials)


def emit(name, value):
    values = np.atleast_1d(np.asarray(value, dtype=float))
    if np.ndim(value) == 0:
        print(f"inline constexpr double {name} = {float(values[0])!r};")
        return
    body = ", ".join(repr(float(v)) for v in values)
    print(f"inline constexpr std::array<double, {len(values)}> {name}{{{body}}};")


print(
    f"""// SPDX-License-Identifier: MIT
//
// Written by oracle.py with NumPy {np.__version__}, SciPy {scipy.__version__}, Python {platform.python_version()}.
// Do not edit: run the script again.
#pragma once

#include <array>

// clang-format off
namespace oracle {{
"""
)
emit("kTimes", TIMES)
emit("kSlower", SLOWER)
emit("kNearZero", NEAR_ZERO)
emit("kLopsided", LOPSIDED)
emit("kPValues", P_VALUES)
emit("kSeries", SERIES)
print()
emit("kMean", TIMES.mean())
emit("kMedian", np.median(TIMES))
emit("kStandardDeviation", TIMES.std(ddof=1))
emit("kMad", stats.median_abs_deviation(TIMES))
emit("kTrimmedMean", stats.trim_mean(TIMES, 0.1))
emit("kGeometricMean", stats.gmean(TIMES))
emit("kProbabilities", [0, 0.05, 0.25, 1 / 3, 0.5, 0.9, 0.95, 1])
emit("kQuantiles", np.quantile(TIMES, [0, 0.05, 0.25, 1 / 3, 0.5, 0.9, 0.95, 1]))
emit("kHodgesLehmann", hodges_lehmann(TIMES))
emit("kDoubleMad", double_mad(TIMES))
emit("kHarrellDavis", stats.mstats.hdquantiles(TIMES, [0.1, 0.5, 0.95]).filled())
print()
emit("kTQuantiles", stats.t.ppf([0.975, 0.995, 0.9999, 0.2], [7, 15, 127, 1]))
emit("kHalfWidthAfter8And64", [half_width_after(8, 0.01), half_width_after(64, 0.01)])
emit("kResolvableAfter8And64", [resolvable(8), resolvable(64)])
emit("kTInterval95", t_interval(SLOWER, 0.95))
emit("kTInterval99", t_interval(SLOWER, 0.99))
emit("kPAboveOnePercent", one_sided(SLOWER, 0.01, "greater"))
emit("kPBelowThreePercent", one_sided(SLOWER, 0.03, "less"))
emit("kVerdictInterval99", SLOWER.mean() + np.array([-1, 1]) * half_width(SLOWER, 0.01))
emit("kLevelAboveOnePercent", level(SLOWER, SLOWER.mean() - 0.01))
emit("kLevelEquivalent", level(NEAR_ZERO, 0.005 - abs(NEAR_ZERO.mean())))
emit("kPEquivalent", 2 * max(one_sided(NEAR_ZERO, -0.005, "greater"), one_sided(NEAR_ZERO, 0.005, "less")))
print()
emit("kSignFlipSlower", sign_flip(SLOWER, 0.016))
emit("kSignFlipNearZero", sign_flip(NEAR_ZERO, -0.001))
emit("kSkewLopsided", stats.skew(LOPSIDED))
emit("kSkewLopsidedFirstTen", stats.skew(LOPSIDED[:10]))
emit("kSkewPLopsidedFirstTen", skewness_p(LOPSIDED[:10]))
emit("kSkewPSlower", skewness_p(SLOWER))
print()
emit("kBenjaminiHochberg", stats.false_discovery_control(P_VALUES, method="bh"))
for hits, trials, name in ((0, 20, "None"), (7, 20, "Some"), (20, 20, "All")):
    interval = stats.binomtest(hits, trials).proportion_ci(0.95, method="exact")
    emit(f"kClopperPearson{name}", (interval.low, interval.high))
print()
emit("kAutocorrelation", rho(SERIES)[:6])
emit("kEffectiveSampleSize", ess(SERIES))
emit("kQuantileIntervalMedian", quantile_interval(SERIES, 0.5, 0.95))
emit("kQuantileInterval70", quantile_interval(SERIES, 0.7, 0.99))
print("\n}  // namespace oracle\n// clang-format on")
