# SPDX-License-Identifier: MIT
"""Subjects: their times, how many independent samples a trial has, and their modes."""
import diptest
import numpy as np
from scipy import fft, special, stats

KEPT_FOR_MODES = 1 << 16
BINS = 100
MOST_FOR_BINS = 1024
FLAG = 0.01
LEAST_TRIALS_BETWEEN = 16
LEAST_EFFECTIVE_TAIL = 20


def effective_samples(below):
    """Of series of 0 and 1 along the last axis: Geyer's initial monotone sequence."""
    n = below.shape[-1]
    centred = below - below.mean(axis=-1, keepdims=True)
    spectrum = fft.rfft(centred, fft.next_fast_len(2 * n, real=True), axis=-1)
    products = fft.irfft(np.abs(spectrum) ** 2, fft.next_fast_len(2 * n, real=True), axis=-1)[..., :n - n % 2]
    varies = products[..., :1] > 1e-9
    pairs = (products[..., 0::2] + products[..., 1::2]) / np.where(varies, products[..., :1], 1)
    pairs = np.where(np.logical_and.accumulate(pairs > 0, axis=-1), np.minimum.accumulate(pairs, axis=-1), 0)
    time = 2 * pairs.sum(axis=-1) - 1
    return np.where(varies[..., 0] & (time > 1), n / np.maximum(time, 1), n)


def summaries(calls, medians, least_half):
    """calls: [cell, trial, subject, block]; medians: the same without block; least_half: [cell, subject]."""
    cells, n, subjects, blocks = calls.shape
    logs = np.log(medians)
    mean, sd = logs.mean(axis=1), logs.std(axis=1, ddof=1)
    half = np.maximum(-special.stdtrit(n - 1, 0.025) * sd / np.sqrt(n), least_half)
    everything = np.sort(calls.swapaxes(1, 2).reshape(cells, subjects, n * blocks), axis=2)
    p5, p95, p99 = np.quantile(everything, (0.05, 0.95, 0.99), axis=2)
    below = calls <= medians[..., None]
    effective = effective_samples(below)
    typical = np.argsort(logs, axis=1, kind="stable")[:, (n - 1) // 2]
    low, high = median_interval(
        np.take_along_axis(calls, typical[:, None, :, None], axis=1)[:, 0],
        np.take_along_axis(effective, typical[:, None], axis=1)[:, 0])
    return {"median_ns": np.exp(mean), "low_ns": np.exp(mean - half), "high_ns": np.exp(mean + half),
            "min_ns": everything[..., 0], "mean_ns": everything.mean(axis=2), "p5_ns": p5, "p95_ns": p95, "p99_ns": p99,
            "sd_ns": everything.std(axis=2, ddof=1), "trimmed_mean_ns": stats.trim_mean(everything, 0.1, axis=2),
            "effective_samples": np.median(effective, axis=1), "typical_trial": typical + 1,
            "median_low_ns": low, "median_high_ns": high}


def median_interval(samples, effective):
    """Of one trial: order statistics for as many independent samples. NaN where these are too few."""
    ordered = np.sort(samples, axis=-1)
    n = samples.shape[-1]
    half = effective * 0.5 + 1
    ends = []
    for p, rounded in ((0.025, np.floor), (0.975, np.ceil)):
        rank = np.clip(rounded(n * special.betaincinv(half, half, p)), 1, n).astype(int) - 1
        value = np.take_along_axis(ordered, rank[..., None], axis=-1)[..., 0]
        ends.append(np.where(half - 1 < LEAST_EFFECTIVE_TAIL, np.nan, value))
    return ends


def log_centres(ordered):
    """The logarithm of a trimmed mean along the last axis, of sorted values."""
    n = ordered.shape[-1]
    cut = int((0.25 if n < 10 else 0.1) * n)
    return np.log(ordered[..., cut:n - cut].mean(axis=-1))


def without_trials(samples):
    """[series, trial, sample]: as they would be in a typical trial. What is common to a trial is taken out as far as
    both halves of its samples agree on it."""
    centres = log_centres(np.sort(samples, axis=-1))
    halves = [log_centres(np.sort(samples[..., i::2], axis=-1)) for i in (0, 1)]
    a, b, whole = (x - x.mean(axis=1, keepdims=True) for x in (*halves, centres))
    share = np.clip((a * b).sum(axis=1) / (whole * whole).sum(axis=1), 0, 1)
    return samples * np.exp(-share[:, None] * whole)[..., None]


def thinned(samples, random):
    """One sample drawn from each of equal stretches, when there are too many."""
    trials, blocks = samples.shape[1:]
    keep = KEPT_FOR_MODES // trials
    if blocks <= keep:
        return samples
    begins = np.arange(keep + 1) * blocks // keep
    drawn = random.integers(begins[:-1], begins[1:], (len(samples), trials, keep))
    return np.take_along_axis(samples, drawn, axis=2)


def quantile_bins(ordered):
    """Borders of bins of equal shares: Harrell-Davis quantiles."""
    if len(ordered) > MOST_FOR_BINS:
        places = (2 * np.arange(MOST_FOR_BINS) + 1) * len(ordered) // (2 * MOST_FOR_BINS)
        places[0], places[-1] = 0, len(ordered) - 1
        ordered = ordered[places]
    n = len(ordered)
    p = np.arange(1, BINS)[:, None] / BINS
    weights = np.diff(special.betainc(p * (n + 1), (1 - p) * (n + 1), np.arange(n + 1) / n), axis=1)
    return np.maximum.accumulate(np.concatenate([ordered[:1], weights @ ordered, ordered[-1:]]))


def lowland_modes(borders, sensitivity):
    """[(location, low, high, share)] by Akinshin's lowland method."""
    widths = np.diff(borders)
    heights = 1 / np.maximum(widths, widths.sum() / BINS * 1e-3)
    rises = np.concatenate([[True], heights[1:] > heights[:-1]])
    falls = np.concatenate([heights[:-1] >= heights[1:], [True]])

    def are_apart(a, b):
        surface = min(heights[a], heights[b])
        while a < b and heights[a] > surface:
            a += 1
        while a < b and heights[b] > surface:
            b -= 1
        return b - a + 1 < sensitivity * (borders[b + 1] - borders[a]) * surface

    tops, cuts, ridge = [], [0], []
    for peak in np.flatnonzero(rises & falls):
        while ridge and heights[ridge[-1]] < heights[peak]:
            if are_apart(ridge[-1], peak):
                tops.append(ridge[0])
                cuts.append(lowest_between(heights, ridge[-1], peak))
                ridge = []
            else:
                ridge.pop()
        if ridge and are_apart(ridge[-1], peak):
            tops.append(ridge[0])
            cuts.append(lowest_between(heights, ridge[-1], peak))
            ridge = []
        ridge.append(peak)
    tops.append(ridge[0])
    cuts.append(BINS)
    return [((borders[top] + borders[top + 1]) / 2, borders[a], borders[b], (b - a) / BINS)
            for top, a, b in zip(tops, cuts, cuts[1:])]


def lowest_between(heights, a, b):
    return b if b - a < 2 else a + 1 + int(heights[a + 1:b].argmin())


def modes_of(ordered):
    borders = quantile_bins(ordered)
    for sensitivity in (0.5, 0.6, 0.7, 0.8, 0.9):
        modes = lowland_modes(borders, sensitivity)
        if len(modes) > 1:
            break
    return modes


def dip_p(series):
    return np.array([diptest.diptest(values, sort_x=False)[1] for values in series])


def modality(calls, step, random):
    """calls: [cell, trial, subject, block]; step: the timer's in one call, [cell]."""
    cells, trials, subjects, blocks = calls.shape
    series = cells * subjects
    samples = thinned(calls.swapaxes(1, 2).reshape(series, trials, blocks), random)
    steps = np.repeat(step, subjects)[:, None, None]
    medians = np.median(samples, axis=2)
    medians = np.sort(medians + steps[..., 0] * (random.random(medians.shape) - 0.5), axis=1)
    samples = samples + steps * (random.random(samples.shape) - 0.5)
    within, between, pooled = np.full((3, series), np.nan)
    if blocks >= 4:
        typical = np.sort(without_trials(samples).reshape(series, -1), axis=1)
        within = dip_p(typical)
    if trials >= LEAST_TRIALS_BETWEEN:
        between = dip_p(medians)
    else:
        pooled = dip_p(np.sort(samples.reshape(series, -1), axis=1))
    seen = np.select([(within < FLAG) & (between < FLAG), within < FLAG, between < FLAG, pooled < FLAG],
                     ["within-and-between", "within-trials", "between-trials", "insufficient"], "none")
    modes = np.empty(series, object)
    for i in np.flatnonzero(np.char.endswith(seen, "trials") | (seen == "within-and-between")):
        modes[i] = modes_of(typical[i] if seen[i] == "within-trials" else medians[i] if seen[i] == "between-trials"
                            else np.sort(samples[i], axis=None))
    return {name: values.reshape(cells, subjects) for name, values in
            (("p_within", within), ("p_between", between), ("p_pooled", pooled), ("seen", seen), ("modes", modes))}
