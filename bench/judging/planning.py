# SPDX-License-Identifier: MIT
"""What trials and blocks cost and scatter, so how many blocks a trial should take; and what the canaries say."""
import numpy as np
from scipy import special

FEWEST_BLOCKS, MOST_BLOCKS = 3, 1000
LEAST_TRIALS = 8
CANARY_CONFIDENCE = 0.99
CHANGE = 1.05  # of a fixed kernel's time


def costs(times, trials):
    """Seconds of a block, and of a trial outside its blocks: [cell], medians over trials."""
    begin = times.start.min(axis=(2, 3))
    length = (times.start + times.interval).max(axis=(2, 3)) - begin
    spans = trials.groupby("trial").agg(start=("start_ns", "min"), end=("end_ns", "max"))
    outside = (spans["end"] - spans["start"]).to_numpy() - length.sum(axis=0)
    known = outside > 0
    if not known.any():
        return None
    block = np.median(length[:, known], axis=1) / times.blocks / 1e9
    return block, np.full(len(block), np.median(outside[known]) / len(block) / 1e9)


def blocks_advised(log_ratio, block_s, trial_s):
    """log_ratio: [cell, trial, block]. Kalibera and Jones, two levels."""
    n, blocks = log_ratio.shape[1:]
    within = log_ratio.var(axis=2, ddof=1).mean(axis=1)
    between = np.maximum(0, log_ratio.mean(axis=2).var(axis=1, ddof=1) - within / blocks)
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.ceil(np.sqrt(trial_s / block_s * within) / np.sqrt(between))
    bounded = ~(best <= MOST_BLOCKS)
    advised = np.where(bounded, MOST_BLOCKS, np.maximum(FEWEST_BLOCKS, best))
    return {"blocks": np.where(n >= LEAST_TRIALS, advised, np.nan), "within_sd": np.sqrt(within),
            "between_sd": np.sqrt(between)}


def canaries(samples, trials):
    """By kernel. One process a trial, as this script has it."""
    of_canaries = samples[(samples["phase"] == "canary") & (samples["trial"] > 0)]
    if of_canaries.empty:
        return {}
    logs = np.log((of_canaries["interval_ns"] / of_canaries["iterations"]).groupby(
        [of_canaries["subject"].astype(str), of_canaries["trial"], of_canaries["block"]]).median()).unstack()
    cores = trials.drop_duplicates("trial").set_index("trial")["core"]
    return {kernel: canary(of_kernel.droplevel(0), cores) for kernel, of_kernel in logs.groupby(level=0)}


def canary(ends, cores):
    """ends: a row a trial, columns start and end."""
    level = ends.mean(axis=1)
    core = cores.reindex(level.index)
    result = {"time_ns": np.exp(level.mean()),
              "sd": np.sqrt(((level - level.groupby(core).transform("mean")) ** 2).sum() /
                            (len(level) - core.nunique()))}
    change = ends[1] - ends[0]
    half = -special.stdtrit(len(change) - 1, (1 - CANARY_CONFIDENCE) / 2) * change.std() / np.sqrt(len(change))
    result["end_to_start"] = np.exp(change.mean() + np.array([0, -half, half]))

    late = np.arange(len(level)) * 2 >= len(level)
    halves = level.groupby([core, late]).agg(["count", "mean"]).unstack()
    n, mean = halves["count"], halves["mean"]
    squares = ((level - level.groupby([core, late]).transform("mean")) ** 2).sum()
    df = len(level) - 2 * len(n)
    weight = n[False] * n[True] / (n[False] + n[True])
    difference = (weight * (mean[True] - mean[False])).sum() / weight.sum()
    half = -special.stdtrit(df, (1 - CANARY_CONFIDENCE) / 2) * np.sqrt(squares / df / weight.sum())
    result["late_to_early"] = np.exp(difference + np.array([0, -half, half]))

    centre = level.groupby(core).transform("median")
    mad = (level - centre).abs().groupby(core).transform("median")
    bound = np.maximum(np.log(1.2), 4 * 1.4826 * mad)
    apart = (ends.min(axis=1) - centre > bound) | (ends.max(axis=1) - centre < -bound)
    result["trials_apart"] = int(apart[core.groupby(core).transform("size") >= 8].sum())
    result["is_unsteady"] = len(level) >= 8 and (
        any(r[1] > CHANGE or r[2] < 1 / CHANGE for r in (result["end_to_start"], result["late_to_early"])) or
        3 <= result["trials_apart"] >= 0.1 * len(level))
    return result
