#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The analysis that Assay makes of a record, as a NumPy and SciPy script: what its own cost is held against.

  analyse.py RECORD [TIMES]

Reads plan.json, calibration.json and samples.csv of a record that `judging … write` made, and does the whole of the analysis by
docs/explanation/statistics.md: trials that are complete, one median of log ratios a trial, the t interval at each look with the
timer's floor, the sign-flip test (all patterns up to 16 trials, else 9,999 drawn ones), the skewness test about the
Hodges-Lehmann centre, the control, the p of each region, Benjamini-Hochberg, the intervals of those selected, and a summary of
every subject. Written to be quick: whole arrays at a time, SciPy's compiled functions rather than its distribution objects, no
loop over samples or trials.

Prints the time of reading and of analysing apart, and the same totals as `judging` does, so that one can see that both did the
same. The signs drawn are NumPy's own, so sign-flip p beyond 16 trials agree in distribution only.
"""
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from scipy import special

RANDOM_FLIPS = 9999
SKEWNESS_FLIPS = 1999
ENUMERATE_UP_TO = 16
SUBJECTS = ("before", "control", "after")

COLUMNS = {"trial": (0, "i8"), "problem": (4, "U16"), "case": (5, "U16"), "state": (6, "U8"), "boundary": (7, "U8"),
           "phase": (9, "U12"), "block": (10, "i8"), "subject": (12, "U8"), "interval_ns": (13, "f8"),
           "iterations": (14, "i8")}


def read_samples(path):
    return np.loadtxt(path, delimiter=",", quotechar='"', skiprows=1, comments=None,
                      usecols=[column for column, _ in COLUMNS.values()],
                      dtype=[(name, kind) for name, (_, kind) in COLUMNS.items()])


def times_by_cell(samples, plan, calibration):
    """One call in ns and one interval in ns: array [cell, trial, subject, block], trials that are complete only."""
    samples = samples[(samples["phase"] == "measure") & (samples["trial"] > 0)]
    cases = {" ".join(f"{axis}={value}" for axis, value in cell["case"].items()): i for i, cell in enumerate(plan["cells"])}
    names, inverse = np.unique(samples["case"], return_inverse=True)
    cell = np.array([cases[name] for name in names])[inverse]
    names, inverse = np.unique(samples["subject"], return_inverse=True)
    subject = np.array([SUBJECTS.index(name) for name in names])[inverse]
    trial = samples["trial"] - 1
    order = np.lexsort((samples["block"], subject, trial, cell))
    samples = samples[order]
    blocks = calibration["cells"][0]["samples_per_trial"]
    shape = (len(plan["cells"]), int(trial.max()) + 1, len(SUBJECTS), blocks)
    if len(samples) != np.prod(shape) or not (samples["block"].reshape(shape) == np.arange(blocks)).all():
        raise SystemExit("this script handles records in which every trial is complete")
    interval = samples["interval_ns"].reshape(shape)
    if not (np.isfinite(interval).all() and (interval > 0).all()):
        raise SystemExit("a time that cannot be")
    return interval / samples["iterations"].reshape(shape), interval


def t_quantile(p, df):
    return special.stdtrit(df, p)


def signs_of(count, flips, random):
    """One row of ±1 a pattern: all of them up to the overall sign, or drawn ones."""
    if count <= ENUMERATE_UP_TO:
        bits = np.arange(2 ** (count - 1))[:, None] >> np.arange(count) & 1
    else:
        bits = random.integers(0, 2, (flips, count), dtype=np.int8)
    return 1.0 - 2.0 * bits


def p_of(hits, count, flips):
    return hits / 2 ** (count - 1) if count <= ENUMERATE_UP_TO else (1 + hits) / (1 + flips)


def sign_flip(values, bound, signs):
    shifted = np.sort(values) - bound
    observed = abs(shifted.sum()) - 1e-12 * np.abs(shifted).sum()
    return p_of(int((np.abs(signs @ shifted) >= observed).sum()), len(values), RANDOM_FLIPS)


def hodges_lehmann(values):
    i, j = np.triu_indices(len(values))
    return np.median((values[i] + values[j]) / 2)


def moment_skewness(total, squares, cubes, n):
    mean = total / n
    variance = squares / n - mean * mean
    third = cubes / n - 3 * mean * squares / n + 2 * mean ** 3
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance <= 1e-12 * squares / n, np.inf, third / variance ** 1.5)


def skewness_p(values, signs):
    ordered = np.sort(values)
    d = ordered - hodges_lehmann(ordered)
    d /= np.abs(d).max()
    cubes, squares, n = d ** 3, (d ** 2).sum(), len(d)
    observed = abs(moment_skewness(d.sum(), squares, cubes.sum(), n)) - 1e-9
    flipped = np.abs(moment_skewness(signs @ d, squares, signs @ cubes, n))
    return p_of(int((flipped >= observed).sum()), n, SKEWNESS_FLIPS)


def resolution_of(interval, step_ns, blocks):
    """interval: [trial, 2 subjects, block]. Returns (dithered, step relative to a sample, squared standard error × trials)."""
    length = np.median(np.median(interval, axis=2), axis=0)
    within = np.sqrt(interval.var(axis=2, ddof=1).mean(axis=0))
    relative = step_ns / length.min()
    return bool((within >= 0.75 * step_ns).all()), relative, relative ** 2 / (6 * blocks)


def at_look(d, resolution, theta, alpha, guard_alpha, random):
    n = len(d)
    mean, sd = d.mean(), d.std(ddof=1)
    error, floor = sd / np.sqrt(n), 0.0
    dithered, relative, variance = resolution
    if dithered:
        error = max(error, np.sqrt(variance / n))
    else:
        floor = relative
    t = -t_quantile(alpha / 2, n - 1)
    half = max(t * error, floor)
    low, high = mean - half, mean + half

    def one_sided(distance):
        return special.stdtr(n - 1, -distance / error) if distance > floor else 1.0

    p = {"faster": min(1, 2 * one_sided(-theta - mean)), "slower": min(1, 2 * one_sided(mean - theta)),
         "equivalent": min(1, 2 * max(one_sided(mean + theta), one_sided(theta - mean)))}
    skew_p = skewness_p(d, signs_of(n, SKEWNESS_FLIPS, random))
    flip_p = None
    if abs(mean) > theta:
        flip_p = sign_flip(d, np.copysign(theta, mean), signs_of(n, RANDOM_FLIPS, random))
    region = ("slower" if low > theta else "faster" if high < -theta else
              "equivalent" if low > -theta and high < theta else "inconclusive")
    verdict = region
    if region in ("slower", "faster") and flip_p > guard_alpha or region == "equivalent" and skew_p <= 0.01:
        verdict = "inconclusive"
        p = dict.fromkeys(p, 1.0)
    needed = None
    if verdict == "inconclusive" and skew_p > 0.01:
        quantiles = t + t_quantile(0.8, n - 1)
        needed = np.ceil((quantiles * error * np.sqrt(n) / abs(abs(mean) - theta)) ** 2)
    return {"mean": mean, "sd": sd, "interval": (low, high), "p": p, "skewness_p": skew_p, "sign_flip_p": flip_p,
            "verdict": verdict, "region": region, "trials": n, "trials_needed": needed, "error": error, "floor": floor}


def benjamini_hochberg(p):
    order = np.argsort(p)[::-1]
    ranks = np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(1, np.minimum.accumulate(np.asarray(p)[order] * len(p) / ranks))
    return adjusted


def summary_of(calls):
    """calls: [trial, block] of one subject."""
    logs = np.log(np.median(calls, axis=1))
    n = len(logs)
    half = -t_quantile(0.025, n - 1) * logs.std(ddof=1) / np.sqrt(n)
    return {"median_ns": np.exp(logs.mean()), "interval_ns": np.exp([logs.mean() - half, logs.mean() + half]),
            "min_ns": calls.min(), "p95_ns": np.quantile(calls, 0.95)}


def analyse(samples, plan, calibration):
    calls, intervals = times_by_cell(samples, plan, calibration)
    looks = plan["protocol"]["looks"]
    alpha, theta = plan["protocol"]["alpha"], np.log1p(plan["protocol"]["margin"])
    look_alpha = alpha / len(looks)
    control_alpha = look_alpha / len(plan["cells"])
    blocks = calls.shape[3]
    random = np.random.default_rng(int(plan["protocol"]["seed"]))
    differences = np.median(np.log(calls[:, :, 2] / calls[:, :, 0]), axis=2)
    of_control = np.median(np.log(calls[:, :, 1] / calls[:, :, 0]), axis=2)

    results = []
    for i in range(len(calls)):
        step = calibration["cells"][i]["timer_resolution_ns"]
        outcome, history = None, []
        for look in looks:
            if look > differences.shape[1]:
                break
            resolution = resolution_of(intervals[i, :look][:, [0, 2]], step, blocks)
            outcome = at_look(differences[i, :look], resolution, theta, look_alpha, look_alpha, random)
            history.append(outcome["p"])
            if outcome["verdict"] != "inconclusive":
                break
        if outcome is None:
            raise SystemExit("no look was reached")
        n = outcome["trials"]
        dithered, relative, variance = resolution_of(intervals[i, :n][:, [0, 1]], step, blocks)
        c = of_control[i, :n]
        voids = []
        for level in (control_alpha, look_alpha):
            t = -t_quantile(level / 2, n - 1)
            half = max(t * c.std(ddof=1) / np.sqrt(n), t * np.sqrt(variance / n) if dithered else relative)
            voids.append(abs(c.mean()) - half > theta / 2)
        claimed = outcome["verdict"]
        if claimed == "inconclusive":
            claimed = min(history[-1], key=history[-1].get)
        repeated = min(1, len(looks) * min(p[claimed] for p in history))
        results.append({**outcome, "control_voids": voids[0], "control_leans": voids[1], "repeated_p": repeated,
                        "subjects": [summary_of(calls[i, :n, s]) for s in range(3)]})

    adjusted = benjamini_hochberg([r["repeated_p"] for r in results])
    stands = [r["verdict"] != "inconclusive" and a <= alpha for r, a in zip(results, adjusted)]
    for r, a, selected in zip(results, adjusted, stands):
        r["adjusted_p"] = a
        if selected:
            level = alpha * sum(stands) / len(results) / len(looks)
            half = max(-t_quantile(level / 2, r["trials"] - 1) * r["error"], r["floor"])
            r["interval"] = (r["mean"] - half, r["mean"] + half)
        elif r["verdict"] != "inconclusive":
            r["verdict"] = "inconclusive"
    return results


def timed(what, function):
    wall, processor = time.monotonic(), time.process_time()
    result = function()
    print(f"{what:<28} {time.monotonic() - wall:8.3f} s   {time.process_time() - processor:8.3f} s of the processor",
          flush=True)
    return result


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    data = Path(sys.argv[1]) / "data"
    plan = json.loads((data / "plan.json").read_text())
    calibration = json.loads((data / "calibration.json").read_text())
    samples = timed("read", lambda: read_samples(data / "samples.csv"))
    for _ in range(int(sys.argv[2]) if len(sys.argv) == 3 else 1):
        results = timed("analyse", lambda: analyse(samples, plan, calibration))
        undecided = sum(r["verdict"] == "inconclusive" for r in results)
        ratio = sum(float(np.exp(r["mean"])) for r in results) / len(results)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        print(f"{len(samples)} samples, {len(results)} comparisons, {undecided} without a verdict, "
              f"mean ratio {ratio:.6f}, peak {peak:.1f} MB")


if __name__ == "__main__":
    main()
