# SPDX-License-Identifier: MIT
"""Verdicts: intervals, sign-flip, skewness, ranks, the control, many comparisons. All cells at a time."""
from dataclasses import dataclass

import numpy as np
from scipy import special, stats
from scipy.optimize import elementwise

RANDOM_FLIPS = 9999
SKEWNESS_FLIPS = 1999
SKEWNESS_ALPHA = 0.01
ENUMERATE_UP_TO = 16
EXACT_RANKS_UP_TO = 50
UNSEEN_TRIAL_SDS = 1.5  # how far an unseen share of slow trials may lie off
POWER = 0.8
MOST_TRIALS = 1 << 20
REGIONS = ("faster", "slower", "equivalent")


def t_quantile(p, df):
    return special.stdtrit(df, p)


@dataclass
class Resolution:
    """What the timer supports, an entry for each cell."""
    dithered: np.ndarray
    relative: np.ndarray  # step over a sample's length
    blocks: int

    @classmethod
    def of(cls, medians, variances, step, blocks):
        """medians, variances: [cell, trial, 2 subjects], of the intervals of a trial."""
        length = np.median(medians, axis=1).min(axis=1)
        within = np.sqrt(variances.mean(axis=1))
        return cls((within >= 0.75 * step[:, None]).all(axis=1), step / length, blocks)

    def error(self, trials):
        return np.where(self.dithered, self.relative / np.sqrt(6.0 * self.blocks * trials), 0)

    def floor(self):
        return np.where(self.dithered, 0, self.relative)

    def half_width(self, t, trials):
        return np.maximum(t * self.error(trials), self.floor())


def half_width(level, df, error, floor, unseen):
    return np.maximum(-t_quantile(level / 2, df) * error, floor) - unseen * np.log(level)


def level_of(distance, df, error, floor, unseen):
    """The two-sided level at which the half-width is that distance."""
    error, floor, unseen = (np.broadcast_to(x, distance.shape) for x in (error, floor, unseen))
    level = np.ones(distance.shape)
    some = distance > floor
    low = np.log(np.maximum(2 * special.stdtr(df, -distance[some] / error[some]), 1e-300))
    args = (error[some], floor[some], unseen[some], distance[some])

    def excess(log_level, error, floor, unseen, distance):
        return half_width(np.exp(log_level), df, error, floor, unseen) - distance

    # The half-width without room for unseen trials is smaller, so the level is at least `low`.
    found = elementwise.find_root(excess, (low, np.zeros_like(low)), args=args)
    level[some] = np.where(found.success, np.exp(found.x), np.exp(low))
    return level


def region_of(low, high, theta):
    return np.select([low > theta, high < -theta, (low > -theta) & (high < theta)],
                     ["slower", "faster", "equivalent"], "inconclusive")


class Signs:
    """Rows of ±1: every pattern of few values up to the overall sign, else drawn ones, the same for all cells."""

    def __init__(self, random):
        self.random = random
        self.known = {}

    def __call__(self, count, flips):
        if (count, flips) not in self.known:
            bits = (np.arange(2 ** (count - 1))[:, None] >> np.arange(count) & 1 if count <= ENUMERATE_UP_TO
                    else self.random.integers(0, 2, (flips, count), dtype=np.int8))
            self.known[count, flips] = 1.0 - 2.0 * bits
        return self.known[count, flips]


def share_of(hits, count, patterns):
    return hits / patterns if count <= ENUMERATE_UP_TO else (1 + hits) / (1 + patterns)


def in_parts(values, patterns):
    """Some rows at a time, so that what is computed of each pattern fits a cache."""
    rows = max(1, 2 ** 18 // patterns)
    return (values[i:i + rows] for i in range(0, len(values), rows))


def sign_flip(d, bound, signs_of):
    """p of the sign-flip test about `bound`. d: [cell, trial]."""
    signs = signs_of(d.shape[1], RANDOM_FLIPS)
    hits = []
    for shifted in in_parts(d - bound[:, None], len(signs)):
        observed = np.abs(shifted.sum(axis=1)) - 1e-12 * np.abs(shifted).sum(axis=1)
        hits.append((np.abs(shifted @ signs.T) >= observed[:, None]).sum(axis=1))
    return share_of(np.concatenate(hits), d.shape[1], len(signs)) if hits else np.empty(0)


def walsh_averages(d):
    i, j = np.triu_indices(d.shape[1])
    return d[:, i] / 2 + d[:, j] / 2


def are_lopsided(d, centre, signs_of):
    """Whether p of the moment skewness is at most 0.01. An eighth of the patterns tells it of most cells."""
    n = d.shape[1]
    signs = signs_of(n, SKEWNESS_FLIPS)
    some = share_of(skewness_hits(d, centre, signs[::8]), n, len(signs)) <= SKEWNESS_ALPHA
    some[some] = share_of(skewness_hits(d[some], centre[some], signs), n, len(signs)) <= SKEWNESS_ALPHA
    return some


def skewness_hits(d, centre, signs):
    """How many of the patterns of signs, of the distances from the centre, are as skewed. d: [cell, trial]."""
    n = d.shape[1]
    distances = d - centre[:, None]
    distances /= np.abs(distances).max(axis=1, keepdims=True)
    hits = []
    for x in in_parts(distances, len(signs)):
        second = (x ** 2).mean(axis=1, keepdims=True)

        def moments(means, thirds):
            variance = second - means * means
            return thirds - 3 * means * second + 2 * means * means * means, variance

        third, variance = moments(x.mean(axis=1, keepdims=True), (x ** 3).mean(axis=1, keepdims=True))
        limit = np.maximum(np.abs(third / variance ** 1.5) - 1e-9, 0) ** 2
        third, variance = moments(x @ signs.T / n, x ** 3 @ signs.T / n)
        # Flipped until they tie: counts against rejection.
        limit = np.where(variance <= 1e-12 * second, 0, limit * (variance * variance * variance))
        hits.append((third * third >= limit).sum(axis=1))
    return np.concatenate(hits) if hits else np.empty(0, int)


@dataclass
class Look:
    """What one look says, an entry for each cell."""
    trials: int
    mean: np.ndarray
    sd: np.ndarray
    error: np.ndarray
    floor: np.ndarray
    unseen: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @classmethod
    def at(cls, d, resolution, alpha):
        n = d.shape[1]
        mean, sd = d.mean(axis=1), d.std(axis=1, ddof=1)
        error = np.maximum(sd / np.sqrt(n), resolution.error(n))
        look = cls(n, mean, sd, error, resolution.floor(), UNSEEN_TRIAL_SDS * sd / n, mean, mean)
        half = look.half_width(alpha)
        look.low, look.high = mean - half, mean + half
        return look

    def of(self, some):
        """The same of some cells."""
        return Look(self.trials, *(getattr(self, name)[some]
                                   for name in ("mean", "sd", "error", "floor", "unseen", "low", "high")))

    def half_width(self, alpha):
        return half_width(alpha, self.trials - 1, self.error, self.floor, self.unseen)

    def p_of_regions(self, theta):
        """[cell, region]"""
        m = self.mean
        distances = np.stack([-theta - m, m - theta, m + theta, theta - m], axis=1)
        p = level_of(distances, self.trials - 1, self.error[:, None], self.floor[:, None], self.unseen[:, None])
        return np.stack([p[:, 0], p[:, 1], np.maximum(p[:, 2], p[:, 3])], axis=1)


def trials_needed(look, theta, alpha):
    """The number of trials with the power wanted, if mean and spread are the true ones; NaN where none will do."""
    n = look.trials
    size = np.abs(look.mean)
    gap = np.abs(size - theta)
    spread = look.error * np.sqrt(n)
    unseen = -np.log(alpha) * look.unseen * n

    def power(trials, some):
        df = trials - 1
        t = -t_quantile(alpha / 2, df)

        def clears(distance):
            return special.stdtr(df, (distance - unseen[some] / trials) * np.sqrt(trials) / spread[some] - t)

        s = size[some]
        return np.where(s > theta, clears(s - theta), clears(theta - s) + clears(theta + s) - 1)

    scatter = (special.ndtri(POWER) - special.ndtri(alpha / 2)) * spread
    root = (np.sqrt(scatter ** 2 + 4 * unseen * gap) - scatter) / (2 * unseen)
    least = np.floor(1 / root ** 2)
    hopeless = ~(least < MOST_TRIALS) | (look.floor > 0) & (gap <= look.floor)
    low = np.maximum(1, np.where(hopeless, 1, least))
    step = np.full(len(low), 4.0)
    rising = np.flatnonzero(~hopeless)
    while len(rising):
        rising = rising[power(low[rising] + step[rising], rising) < POWER]
        low[rising] += step[rising]
        step[rising] *= 2
    high = low + step
    open_ones = np.flatnonzero(~hopeless)
    while len(open_ones):
        middle = np.floor((low[open_ones] + high[open_ones]) / 2)
        short = power(middle, open_ones) < POWER
        low[open_ones[short]] = middle[short]
        high[open_ones[~short]] = middle[~short]
        open_ones = open_ones[high[open_ones] - low[open_ones] > 1]
    return np.where(hopeless | ~(high < MOST_TRIALS), np.nan, np.maximum(high, n + 1))


def walsh_cut(n, alpha):
    """How many averages the interval by ranks passes over at each end."""
    if n > EXACT_RANKS_UP_TO:
        sd = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return int(max(0, np.floor(n * (n + 1) / 4 + special.ndtri(alpha / 2) * sd)))
    p = np.ones(1)
    for rank in range(1, n + 1):
        p = (np.pad(p, (0, rank)) + np.pad(p, (rank, 0))) / 2
    return int((np.cumsum(p) <= alpha / 2 * (1 + 1e-12)).sum())


def by_ranks(d, averages, centre, look, least_half, theta, alpha):
    """Hodges-Lehmann with its interval, Wilcoxon against the margin, and what they say."""
    n = d.shape[1]
    cut = walsh_cut(n, alpha)
    wilcoxon = np.full(len(d), np.nan)
    beyond = np.abs(look.mean) > theta
    if beyond.any():
        shifted = d[beyond] - np.copysign(theta, look.mean[beyond])[:, None]
        wilcoxon[beyond] = stats.wilcoxon(shifted, axis=1, correction=True, method="exact" if n <= EXACT_RANKS_UP_TO
                                          else "approx").pvalue
    low = high = np.full(len(d), np.nan)
    if cut:
        ends = np.partition(averages, (cut - 1, averages.shape[1] - cut), axis=1)
        low = np.minimum(ends[:, cut - 1], centre - least_half)
        high = np.maximum(ends[:, averages.shape[1] - cut], centre + least_half)
    return {"hl_ratio": np.exp(centre), "hl_low": np.exp(low), "hl_high": np.exp(high), "wilcoxon_p": wilcoxon,
            "rank_region": region_of(low, high, theta), "rank_low": low, "rank_high": high}


class Comparing:
    """The comparisons of a record, an entry of each array for each cell, from their looks to what stands."""

    def __init__(self, record, times):
        protocol = record.plan["protocol"]
        self.looks = [n for n in sorted(protocol["looks"]) if n <= times.call.shape[1]]
        if not self.looks:
            raise SystemExit("no look was reached")
        self.all_looks = len(protocol["looks"])
        self.q = protocol["alpha"]
        self.alpha = self.q / self.all_looks
        self.theta = np.log1p(protocol["margin"])
        steps = [cell["timer_resolution_ns"] for cell in record.calibration["cells"]]
        self.step = np.array([np.nan if isinstance(step, dict) else step for step in steps])  # missing: not known
        self.signs = Signs(np.random.default_rng(int(protocol["seed"])))
        self.medians = np.median(times.interval, axis=3)
        self.variances = times.interval.var(axis=3, ddof=1)
        self.times = times
        self.log_ratio = np.log(times.call[:, :, 1:] / times.call[:, :, :1])  # control, after
        self.d = np.median(self.log_ratio[:, :, 1], axis=2)
        self.of_control = np.median(self.log_ratio[:, :, 0], axis=2)

    def resolution(self, cells, trials, subject):
        pair = np.ix_(cells, range(trials), (0, subject))
        return Resolution.of(self.medians[pair], self.variances[pair], self.step[cells], self.times.blocks)

    def take_looks(self):
        """Fills self.result, and self.trials of each cell's last look."""
        cells = len(self.d)
        self.result = {}
        self.trials = np.zeros(cells, int)
        p_at_looks = []
        still_open = np.arange(cells)
        for n in self.looks:
            some = still_open
            is_last = n == self.looks[-1]
            resolution = self.resolution(some, n, 2)
            d = self.d[some, :n]
            look = Look.at(d, resolution, self.alpha)
            region = region_of(look.low, look.high, self.theta)
            p = look.p_of_regions(self.theta)

            averages = walsh_averages(d)
            centre = np.median(averages, axis=1)
            skewed = are_lopsided(d, centre, self.signs)
            beyond = np.abs(look.mean) > self.theta
            flip_p = np.full(len(some), np.nan)
            flip_p[beyond] = sign_flip(d[beyond], np.copysign(self.theta, look.mean[beyond]), self.signs)
            differs = (region == "faster") | (region == "slower")
            lopsided = (region == "equivalent") & skewed
            blocked = differs & (flip_p > self.alpha) | lopsided
            p[blocked] = 1
            verdict = np.where(blocked, "inconclusive", region)
            p_at_looks.append(np.ones((cells, 3)))
            p_at_looks[-1][some] = p

            ended = (verdict != "inconclusive") | is_last
            needed = np.full(len(some), np.nan)
            undecided = (verdict == "inconclusive") & ~lopsided
            if is_last:
                needed[undecided] = trials_needed(look.of(undecided), self.theta, self.alpha)
            found = {"ratio": np.exp(look.mean), "mean": look.mean, "sd": look.sd, "low": look.low, "high": look.high,
                     "error": look.error, "floor": look.floor, "unseen": look.unseen, "verdict": verdict,
                     "skewed": skewed, "sign_flip_p": flip_p, "trials_needed": needed,
                     "resolution": resolution.half_width(-t_quantile(self.alpha / 2, n - 1), n)}
            found.update(by_ranks(d[ended], averages[ended], centre[ended], look.of(ended), found["resolution"][ended],
                                  self.theta, self.alpha))
            for name, values in found.items():
                column = self.result.setdefault(name, np.zeros(cells, values.dtype))
                column[some[ended]] = values if len(values) == ended.sum() else values[ended]
            self.trials[some[ended]] = n
            still_open = some[~ended]
            if not len(still_open):
                break
        self.p_at_looks = np.stack(p_at_looks)  # [look, cell, region]

    def groups(self):
        """Cells with the same number of trials at their last look."""
        return [(n, np.flatnonzero(self.trials == n)) for n in np.unique(self.trials)]

    def judge_controls(self):
        voids, leans = np.zeros(len(self.d), bool), np.zeros(len(self.d), bool)
        low, high = np.zeros(len(self.d)), np.zeros(len(self.d))
        for n, cells in self.groups():
            c = self.of_control[cells, :n]
            resolution = self.resolution(cells, n, 1)
            mean, error = c.mean(axis=1), c.std(axis=1, ddof=1) / np.sqrt(n)
            for level, beyond in ((self.alpha, leans), (self.alpha / len(self.d), voids)):
                t = -t_quantile(level / 2, n - 1)
                half = np.maximum(t * error, resolution.half_width(t, n))
                low[cells], high[cells] = mean - half, mean + half
                beyond[cells] = np.abs(mean) - half > self.theta / 2
        self.result.update(control_low=np.exp(low), control_high=np.exp(high), voids=voids, leans=leans)

    def adjust(self):
        """Benjamini-Hochberg over all comparisons on repeated p, and intervals of those selected."""
        r = self.result
        last = self.p_at_looks[np.searchsorted(self.looks, self.trials), np.arange(len(self.d))]
        nearest = last.argmin(axis=1)
        for i, name in enumerate(REGIONS):
            nearest[r["verdict"] == name] = i
        p = self.p_at_looks[:, np.arange(len(self.d)), nearest].min(axis=0)
        repeated = np.where(r["voids"], 1, np.minimum(1, self.all_looks * p))
        adjusted = stats.false_discovery_control(repeated)
        decided = r["verdict"] != "inconclusive"
        stands = decided & (adjusted <= self.q) & (repeated < 1)
        level = np.full(len(self.d), self.alpha)
        level[stands] = self.q * stands.sum() / len(self.d) / self.all_looks
        half = half_width(level, self.trials - 1, r["error"], r["floor"], r["unseen"])
        r["low"], r["high"] = np.exp(r["mean"] - half), np.exp(r["mean"] + half)
        r.update(repeated_p=repeated, adjusted_p=adjusted, level=1 - level)
        r["verdict"] = np.where(r["voids"], "void", np.where(decided & ~stands, "inconclusive", r["verdict"]))
        claimed = r["verdict"]
        r["ranks_disagree"] = np.select(
            [claimed == "slower", claimed == "faster", claimed == "equivalent"],
            [r["rank_high"] <= self.theta, r["rank_low"] >= -self.theta,
             (r["rank_low"] >= self.theta) | (r["rank_high"] <= -self.theta)], False)

    def by_ratio_of_means(self, several):
        """For cells of which a subject has several modes: the other estimand, at the level of the first."""
        ratio, low, high = np.full((3, len(self.d)), np.nan)
        for n, cells in self.groups():
            cells = cells[several[cells]]
            if not len(cells):
                continue
            means = self.times.call[cells, :n].mean(axis=3)
            d = np.log(means[:, :, 2] / means[:, :, 0])
            look = Look.at(d, self.resolution(cells, n, 2), 1 - self.result["level"][cells])
            ratio[cells], low[cells], high[cells] = np.exp(look.mean), np.exp(look.low), np.exp(look.high)
        self.result.update(other_ratio=ratio, other_low=low, other_high=high)

    def suite(self):
        """The geometric mean over all cells that stand, by the trials that all of them have."""
        cells = np.flatnonzero(self.result["verdict"] != "void")
        if len(cells) < 2:
            return {}
        n = self.trials[cells].min()
        of_trials = self.d[cells, :n].mean(axis=0)
        sd = of_trials.std(ddof=1)
        half = max(-t_quantile(self.alpha / 2, n - 1) * sd / np.sqrt(n), self.result["resolution"][cells].mean())
        half -= UNSEEN_TRIAL_SDS * sd / n * np.log(self.alpha)
        mean = of_trials.mean()
        return {"ratio": np.exp(mean), "low": np.exp(mean - half), "high": np.exp(mean + half), "cells": len(cells),
                "trials": int(n)}
