#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes oracle_estimates.hpp: what SciPy and statsmodels say about fixed data, for the tests of ranks,
variance components, scores and many comparisons in assay::stats.

Run only to renew the numbers; the tests need no Python:

    python3 -m venv VENV && VENV/bin/pip install numpy scipy statsmodels
    VENV/bin/python tests/stats/oracle_estimates.py > tests/stats/oracle_estimates.hpp

Where a method is in neither library, it is written here a second time, in the plainest way, never
from the C++.
"""

import itertools
import math
import platform

import numpy as np
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

rng = np.random.default_rng(20261130)

RANKED = np.round(0.012 + 0.006 * rng.standard_normal(12), 7)
WITH_TIES = np.round(0.004 + 0.004 * rng.standard_normal(20), 3)
MANY = np.round(0.001 + 0.005 * rng.standard_t(3, 64), 9)
TRIALS = np.round(
    1000 + 9 * rng.standard_normal((9, 1)) + 12 * rng.standard_normal((9, 6)), 3)
P_VALUES = np.round(np.concatenate([10 ** rng.uniform(-5, -1.2, 12), rng.uniform(0, 1, 18)]), 6)
P_VALUES[4] = P_VALUES[9]


def wilcoxon(x, bound, method):
    # The correction has a meaning for the approximation only.
    return stats.wilcoxon(x - bound, method=method, correction=method == "approx").pvalue


def walsh_interval(x, level):
    """Order statistics of the averages, by the exact null distribution over all sign patterns."""
    n = len(x)
    counts = np.zeros(n * (n + 1) // 2 + 1)
    for signs in itertools.product((0, 1), repeat=n):
        counts[sum(r for r, s in zip(range(1, n + 1), signs) if s)] += 1
    tail = np.cumsum(counts) / 2**n
    cut = int(np.sum(tail <= (1 - level) / 2))
    averages = np.sort([(a + b) / 2 for a, b in itertools.combinations_with_replacement(x, 2)])
    return averages[cut - 1], averages[len(averages) - cut]


def walsh_interval_normal(x, level):
    """Hollander, Wolfe & Chicken, eq. 3.32: the large-sample approximation."""
    n = len(x)
    cut = math.floor(n * (n + 1) / 4
                     - stats.norm.ppf((1 + level) / 2) * math.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    averages = np.sort([(a + b) / 2 for a, b in itertools.combinations_with_replacement(x, 2)])
    return averages[cut - 1], averages[len(averages) - cut]


def components(trials):
    """From the F test of a one-way analysis of variance: T₂² = S₁²·(F − 1)/r."""
    within = np.mean(np.var(trials, axis=1, ddof=1))
    f = stats.f_oneway(*trials).statistic
    return within, within * (f - 1) / trials.shape[1]


def interval_score(low, high, x, level):
    """Gneiting & Raftery 2007, eq. 43."""
    alpha = 1 - level
    return ((high - low) + 2 / alpha * (low - x) * (x < low) + 2 / alpha * (x - high) * (x > high))


def rps(probability, happened):
    outcome = np.eye(len(probability))[happened]
    return float(np.mean((np.cumsum(probability) - np.cumsum(outcome))[:-1] ** 2))


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
// Written by oracle_estimates.py with NumPy {np.__version__}, SciPy {scipy.__version__}, statsmodels
// {statsmodels.__version__}, Python {platform.python_version()}. Do not edit: run the script again.
#pragma once

#include <array>

// clang-format off
namespace oracle {{
"""
)
emit("kRanked", RANKED)
emit("kWithTies", WITH_TIES)
emit("kMany", MANY)
emit("kTrialsOfSix", TRIALS.ravel())
emit("kManyPValues", P_VALUES)
print()
emit("kWilcoxonExact", [wilcoxon(RANKED, b, "exact") for b in (0.0, 0.01, 0.0117)])
emit("kWilcoxonTies", [wilcoxon(WITH_TIES, b, "approx") for b in (0.0, 0.003)])
emit("kWilcoxonMany", [wilcoxon(MANY, b, "approx") for b in (0.0, 0.002)])
emit("kWalsh95", walsh_interval(RANKED, 0.95))
emit("kWalsh99", walsh_interval(RANKED, 0.99))
emit("kWalshMany99", walsh_interval_normal(MANY, 0.99))
print()
emit("kComponents", components(TRIALS))
print()
emit("kIntervalScores", [interval_score(*map(math.log, (0.55, 0.7, x)), 0.8) for x in (0.6, 0.5, 0.9)])
emit("kRankedScores", [rps([0.7, 0.2, 0.1], i) for i in range(3)])
emit("kBinInterval", proportion_confint(3, 8, alpha=0.05, method="beta"))
print()
emit("kManyAdjusted", multipletests(P_VALUES, alpha=0.05, method="fdr_bh")[1])
emit("kManyRejected", multipletests(P_VALUES, alpha=0.05, method="fdr_bh")[0])
print("\n}  // namespace oracle\n// clang-format on")
