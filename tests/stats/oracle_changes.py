#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes oracle_changes.hpp: change points, self-normalised CUSUM, E-divisive and Ljung-Box of fixed
series, for change_points_test.cpp. Run only to renew the numbers; the tests need no Python:

    python3 -m venv VENV && VENV/bin/pip install numpy scipy statsmodels ruptures
    VENV/bin/python tests/stats/oracle_changes.py > tests/stats/oracle_changes.hpp

Segmentations come from ruptures' dynamic programme and from a plain one written here, which must
agree; the CUSUM and the energy statistic are written as their definitions, sum by sum.
"""

import importlib.metadata
import math
import platform

import numpy as np
import ruptures
import scipy
import statsmodels
from ruptures.base import BaseCost
from scipy import stats
from statsmodels.stats.diagnostic import acorr_ljungbox

rng = np.random.default_rng(20261130)
LEAST = 10


def ar1(count, phi):
    x = np.empty(count)
    x[0] = rng.standard_normal()
    for t in range(1, count):
        x[t] = phi * x[t - 1] + math.sqrt(1 - phi * phi) * rng.standard_normal()
    return x


SETTLED = np.round(ar1(120, 0.3) + np.where(np.arange(120) < 30, 3.0, 0.0), 3)
SEVERAL = np.round(
    ar1(150, 0.2) * np.where(np.arange(150) < 90, 1.0, 0.2)
    + np.select([np.arange(150) < 40, np.arange(150) < 60], [0.0, 5.0], 1.0),
    3,
)
HISTORY = np.round(0.3 * rng.standard_normal(60) + np.select([np.arange(60) < 25, np.arange(60) < 41], [10.0, 11.2], 10.1), 3)


def cost(segment):
    return len(segment) * (math.log(2 * math.pi * np.var(segment)) + 1)


class Gaussian(BaseCost):
    model = "gaussian-of-one"
    min_size = LEAST

    def fit(self, signal):
        self.signal = signal
        return self

    def error(self, start, end):
        return cost(self.signal[start:end])


def plain(series, penalty):
    """Optimal partitioning by definition: every last segment of every beginning."""
    best, changes = {0: (-penalty, [])}, None
    for end in range(LEAST, len(series) + 1):
        options = [
            (best[s][0] + cost(series[s:end]) + penalty, best[s][1] + [s])
            for s in best
            if end - s >= LEAST
        ]
        best[end] = min(options)
    value, changes = best[len(series)]
    return [c for c in changes if c > 0], value


def segmented(series, penalty):
    mine, value = plain(series, penalty)
    theirs = ruptures.Dynp(custom_cost=Gaussian(), min_size=LEAST, jump=1).fit(series)
    by_count = {}
    for count in range(5):
        ends = theirs.predict(n_bkps=count) if count else [len(series)]
        total = sum(cost(series[a:b]) for a, b in zip([0] + ends[:-1], ends)) + penalty * count
        by_count[total] = ends[:-1]
    assert by_count[min(by_count)] == mine, (by_count, mine)
    assert abs(min(by_count) - value) < 1e-9
    return mine


def cusum(x):
    n, best = len(x), 0.0
    s = np.concatenate([[0.0], np.cumsum(x)])
    for k in range(1, n):
        t = (s[k] - k / n * s[n]) / math.sqrt(n)
        v = sum((s[i] - i / k * s[k]) ** 2 for i in range(1, k + 1))
        v += sum(
            (s[n] - s[i - 1] - (n - i + 1) / (n - k) * (s[n] - s[k])) ** 2 for i in range(k + 1, n + 1)
        )
        best = max(best, t * t / (v / n**2))
    return best


def slope(x):
    n, t = len(x), np.arange(1, len(x) + 1)
    rest = x - np.polyval(np.polyfit(t, x, 1), t)
    product = sum((i - (n + 1) / 2) / n * x[i - 1] for i in t)
    return product**2 / n / (np.sum(np.cumsum(rest) ** 2) / n**2)


def split(x, least=3):
    d, best = np.abs(x[:, None] - x[None, :]), (0.0, None, None)
    for end in range(2 * least, len(x) + 1):
        for at in range(least, end - least + 1):
            m, k = at, end - at
            e = 2 * d[:at, at:end].mean() - d[:at, :at].sum() / (m * (m - 1)) - d[at:end, at:end].sum() / (k * (k - 1))
            best = max(best, (e * m * k / (m + k), at, end))
    return best[1:]


def divided(x, most_p, begin=0):
    at, end = split(x)
    if at is None or stats.ttest_ind(x[:at], x[at:end]).pvalue > most_p:
        return []
    later = divided(x[at:], most_p, begin + at) if len(x) - at >= 6 else []
    earlier = divided(x[:at], most_p, begin) if at >= 6 else []
    return earlier + [begin + at] + later


def emit(name, value, kind="double"):
    values = np.atleast_1d(np.asarray(value, dtype=float))
    show = (lambda v: repr(float(v))) if kind == "double" else (lambda v: str(int(v)))
    if np.ndim(value) == 0:
        print(f"inline constexpr {kind} {name} = {show(values[0])};")
        return
    body = ", ".join(show(v) for v in values)
    print(f"inline constexpr std::array<{kind}, {len(values)}> {name}{{{body}}};")


print(
    f"""// SPDX-License-Identifier: MIT
//
// Written by oracle_changes.py with NumPy {np.__version__}, SciPy {scipy.__version__}, statsmodels {statsmodels.__version__},
// ruptures {importlib.metadata.version("ruptures")}, Python {platform.python_version()}. Do not edit: run the script again.
#pragma once

#include <array>
#include <cstddef>

// clang-format off
namespace oracle {{
"""
)
emit("kSettled", SETTLED)
emit("kSeveral", SEVERAL)
emit("kHistory", HISTORY)
print()
emit("kSettledChanges", segmented(SETTLED, 15 * math.log(len(SETTLED))), "std::size_t")
emit("kSeveralChanges", segmented(SEVERAL, 3 * math.log(len(SEVERAL))), "std::size_t")
emit("kCusumSettled", cusum(SETTLED))
emit("kCusumSeveral", cusum(SEVERAL[60:]))
emit("kSlopeSettled", slope(SETTLED))
emit("kSlopeSeveral", slope(SEVERAL[60:]))
found = divided(HISTORY, 1e-5)
emit("kHistoryChanges", found, "std::size_t")
edges = [0] + found + [len(HISTORY)]
emit(
    "kHistoryP",
    [stats.ttest_ind(HISTORY[a:b], HISTORY[b:c]).pvalue for a, b, c in zip(edges, edges[1:], edges[2:])],
)
box = acorr_ljungbox(SEVERAL[60:], lags=[10])
emit("kLjungBox", [box.lb_stat.iloc[0], box.lb_pvalue.iloc[0]])
emit("kChiSquared", [stats.chi2.sf(x, df) for x, df in ((3.2, 1), (7.5, 2), (30.0, 7), (12.0, 10), (60.0, 10))])
print("\n}  // namespace oracle\n// clang-format on")
