# SPDX-License-Identifier: MIT
"""Series in time order: steady states, drift, independence. Many series at a time: [series, value]."""
import numpy as np
from scipy import special

LEAST_SEGMENT = 10
PENALTY = 15  # times log n
LEAST_FOR_STEADY, MOST_FOR_STEADY = 50, 400
LEAST_FOR_DRIFT, LEAST_FOR_LAG1, MOST_LAG1 = 200, 20, 0.5
DRIFT_LEVELS = ((0.05, 53.6, 9.8), (0.01, 87.6, 17.5))
ROUNDING = 1e-6
LEAST_FOR_INDEPENDENCE = 16


def batch_means(x, count):
    n = x.shape[1]
    if n <= count:
        return x
    begins = np.arange(count + 1) * n // count
    return np.add.reduceat(x, begins[:-1], axis=1) / np.diff(begins)


def segmentations(x, least_sd):
    """Optimal partitioning with the Gaussian cost of mean and variance: where the last segment of the first `end`
    values begins, [end, series]. It is what PELT finds: where nothing changes PELT leaves no start out either, and
    all series at a time are quicker than ruptures, which takes them one by one."""
    series, n = x.shape
    centred = (x - x.mean(axis=1, keepdims=True)).T
    sums, squares = np.zeros((2, n + 1, series))
    np.cumsum(centred, axis=0, out=sums[1:])
    np.cumsum(centred ** 2, axis=0, out=squares[1:])
    penalty = PENALTY * np.log(n)
    best = np.full((n + 1, series), np.inf)
    best[0] = -penalty
    last = np.zeros((n + 1, series), int)
    floor = least_sd ** 2
    for end in range(LEAST_SEGMENT, n + 1):
        starts = slice(0, end - LEAST_SEGMENT + 1)
        length = (end - np.arange(starts.stop))[:, None]
        mean = (sums[end] - sums[starts]) / length
        variance = (squares[end] - squares[starts]) / length - mean * mean
        used = np.maximum(variance, floor)
        total = best[starts] + length * (np.log(2 * np.pi * used) + variance / used)
        last[end] = total.argmin(axis=0)
        best[end] = np.take_along_axis(total, last[end][None], axis=0)[0] + penalty
    return last


def steady_classes(logs, tolerance, least_sd):
    """A class for each series, None where there are too few values."""
    if logs.shape[1] < LEAST_FOR_STEADY:
        return None
    x = batch_means(logs, MOST_FOR_STEADY)
    last = segmentations(x, least_sd)
    classes = np.full(len(x), "flat", "U16")
    for i in np.flatnonzero(last[-1]):
        begins = [x.shape[1]]
        while begins[0] > 0:
            begins.insert(0, int(last[begins[0], i]))
        classes[i] = steady_class(x[i], begins, tolerance[i], least_sd[i])
    return classes


def steady_class(x, begins, tolerance, least_sd):
    """begins: of the segments, and the end. Neighbours that differ by less than the tolerance are one, the closest
    first."""
    while True:
        levels = np.array([x[a:b].mean() for a, b in zip(begins, begins[1:])])
        if len(levels) == 1:
            return "flat"
        steps = np.abs(np.diff(levels))
        closest = int(steps.argmin())
        if steps[closest] >= tolerance and steps[closest] > least_sd:
            break
        del begins[closest + 1]
    if 2 * begins[-2] > len(x):
        return "no-steady-state"
    return "slow-down" if (levels[-1] - levels[:-1] > max(tolerance, least_sd)).any() else "warm-up"


def pooled_class(classes):
    """Of the trials' classes."""
    if 2 * (classes == "no-steady-state").sum() >= len(classes):
        return "no-steady-state"
    return max(("flat", "warm-up", "slow-down"), key=lambda one: (classes == one).sum())


def peaks(x):
    """Where the mean from there on differs most clearly from the mean before."""
    sums = np.cumsum(x - x.mean(axis=1, keepdims=True), axis=1)
    return np.abs(sums[:, :-1]).argmax(axis=1) + 1


def means_around(x, change):
    """Mean before and from the change on."""
    sums = np.cumsum(x, axis=1)
    before = np.take_along_axis(sums, change[:, None] - 1, axis=1)[:, 0]
    return before / change, (sums[:, -1] - before) / (x.shape[1] - change)


def slopes(centred):
    n = centred.shape[1]
    return centred @ (np.arange(n) - (n - 1) / 2) / (n * (n * n - 1) / 12)


def lag1_about_drift(x):
    """Autocorrelation of neighbours about a step or a line, whichever fits better."""
    n = x.shape[1]
    x = x - x.mean(axis=1, keepdims=True)
    change = peaks(x)
    before, after = means_around(x, change)
    of_step = x - np.where(np.arange(n) < change[:, None], before[:, None], after[:, None])
    of_line = x - slopes(x)[:, None] * (np.arange(n) - (n - 1) / 2)
    step_squares, line_squares = (of_step ** 2).sum(axis=1), (of_line ** 2).sum(axis=1)
    better = np.where((step_squares <= line_squares)[:, None], of_step, of_line)
    squares = np.minimum(step_squares, line_squares)
    is_rounding = squares <= n * (ROUNDING * np.ptp(x, axis=1)) ** 2
    return np.where(is_rounding, 0, (better[:, 1:] * better[:, :-1]).sum(axis=1) / np.where(is_rounding, 1, squares))


def bridges(x):
    """Sum over i up to k of (S_i - (i/k) S_k)^2, for k = 1 ... n."""
    i = np.arange(1, x.shape[1] + 1)
    sums = np.cumsum(x, axis=1)
    mean = sums / i
    return np.cumsum(sums ** 2, axis=1) - 2 * mean * np.cumsum(i * sums, axis=1) + mean ** 2 * np.cumsum(i * i)


def step_statistic(x):
    """Shao and Zhang's self-normalised CUSUM."""
    n = x.shape[1]
    x = x - x.mean(axis=1, keepdims=True)
    k = np.arange(1, n)
    sums = np.cumsum(x, axis=1)[:, :-1]
    squares = bridges(x)[:, :-1] + bridges(x[:, ::-1])[:, -2::-1]
    rounding = (ROUNDING * np.ptp(x, axis=1)[:, None]) ** 2
    return (sums ** 2 * n / np.maximum(squares, rounding * (k * k + (n - k) ** 2) / 6)).max(axis=1)


def slope_statistic(x):
    n = x.shape[1]
    x = x - x.mean(axis=1, keepdims=True)
    slope = slopes(x)
    rest = np.cumsum(x - slope[:, None] * (np.arange(n) - (n - 1) / 2), axis=1)
    squares = np.maximum((rest ** 2).sum(axis=1), n * n * (ROUNDING * np.ptp(x, axis=1)) ** 2 / 15)
    return (slope * (n * n - 1) / 12) ** 2 * n / squares


def drift(x):
    """Neighbours are averaged until they hardly resemble each other. NaN where too few points are left."""
    count, n = x.shape
    result = {name: np.full(count, np.nan) for name in ("step", "slope", "points", "batch")}
    left = np.arange(count)
    batch = 1
    while len(left) and n // batch >= max(LEAST_FOR_LAG1, LEAST_FOR_DRIFT):
        points = batch_means(x[left], n // batch)
        ready = lag1_about_drift(points) < MOST_LAG1
        some = left[ready]
        result["step"][some], result["slope"][some] = step_statistic(points[ready]), slope_statistic(points[ready])
        result["points"][some], result["batch"][some] = n // batch, batch
        left = left[~ready]
        batch *= 2
    result["change"] = peaks(x)
    before, after = means_around(x, result["change"])
    result["ratio"] = np.exp(after - before)
    passes = [(result["step"] > step) | (result["slope"] > slope) for _, step, slope in DRIFT_LEVELS]
    result["has_drifted"] = passes[0]
    result["level"] = np.where(passes[1], DRIFT_LEVELS[1][0], DRIFT_LEVELS[0][0])
    return result


def ljung_box_p(x):
    """1 where there are too few values."""
    n = x.shape[1]
    if n < LEAST_FOR_INDEPENDENCE:
        return np.ones(len(x))
    lags = min(10, n // 5)
    x = x - x.mean(axis=1, keepdims=True)
    rho = np.stack([(x[:, lag:] * x[:, :-lag]).sum(axis=1) for lag in range(1, lags + 1)], axis=1)
    rho /= (x ** 2).sum(axis=1, keepdims=True)
    return special.chdtrc(lags, n * (n + 2) * (rho ** 2 / (n - np.arange(1, lags + 1))).sum(axis=1))
