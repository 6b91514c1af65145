#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The analysis that Assay makes of a record, as a NumPy and SciPy script: what its own cost is held against.

  analyse.py RECORD [TIMES]     read once, analyse so many times; prints seconds and the totals that `judging` prints
  analyse.py RECORD --check     compare with the record's result.json; exit status 1 if they disagree
  analyse.py RECORD --check --ruptures    also find the change points with ruptures' PELT

RECORD is one that `judging ... write` made: one build, subjects before, control and after, every trial complete, no
prediction. Of such a record this is the whole analysis of docs/explanation/statistics.md: looks with the timer's
floor and room for rare trials, sign-flip, skewness, the control, Benjamini-Hochberg, ranks, summaries, effective
samples, modes, steady states, drift, independence, canaries, advice, the suite's mean. All but the sentences.

Needs NumPy, SciPy >= 1.15, pandas and diptest. Written to be quick: whole arrays, all cells at a time.
"""
import argparse
import resource
import sys
import time

import numpy as np
from comparing import Comparing
from describing import modality, summaries
from planning import blocks_advised, canaries, costs
from reading import SUBJECTS, Record, times_of
from scipy import special
from series import LEAST_FOR_STEADY, drift, ljung_box_p, pooled_class, steady_classes

DEPENDENCE_P = 0.001


class Analysis:
    """Every array has an entry for each cell: `comparison[name][cell]`, `subject[name][cell, subject]`."""

    def __init__(self, record):
        times = times_of(record)
        self.comparing = Comparing(record, times)
        self.comparing.take_looks()
        self.comparing.judge_controls()
        self.comparing.adjust()
        self.comparison = self.comparing.result
        self.iterations = np.array([cell["iterations"]["value"] for cell in record.calibration["cells"]])
        self.random = np.random.default_rng(int(record.plan["protocol"]["seed"]) + 1)
        self.cells, self.blocks = len(times.call), times.blocks
        self.subject, self.drift, self.advice, self.independence_p = {}, {}, {}, np.ones(self.cells)
        cost = costs(times, record.trials)
        for n, cells in self.comparing.groups():
            self.describe(times, cells, n)
            self.follow(times, cells, n)
            self.independence_p[cells] = ljung_box_p(self.comparing.d[cells, :n])
            if cost:
                of_after = self.comparing.log_ratio[cells, :n, 1]
                block_s, trial_s = cost[0][cells], cost[1][cells]
                self.put(self.advice, cells, {**blocks_advised(of_after, block_s, trial_s),
                                              "block_s": block_s, "trial_s": trial_s})
        self.comparing.by_ratio_of_means(np.isin(self.subject["seen"][:, [0, 2]], ("none", "insufficient"), invert=True)
                                         .any(axis=1))
        self.suite = self.comparing.suite()
        self.canaries = canaries(record.samples, record.trials)
        self.findings = self.find()

    def put(self, table, cells, found):
        for name, values in found.items():
            whole = table.setdefault(name, np.zeros((self.cells, *values.shape[1:]), values.dtype))
            if whole.dtype.kind == "U" and values.dtype.itemsize > whole.dtype.itemsize:
                whole = table[name] = whole.astype(values.dtype)
            whole[cells] = values

    def describe(self, times, cells, n):
        t = -special.stdtrit(n - 1, 0.025)
        least_half = np.stack([self.comparing.resolution(cells, n, subject).half_width(t, n)
                               for subject in range(len(SUBJECTS))], axis=1)
        medians = self.comparing.medians[cells, :n] / self.iterations[cells][:, None, None]
        self.put(self.subject, cells, summaries(times.call[cells, :n], medians, least_half))
        step = self.comparing.step[cells] / self.iterations[cells]
        self.put(self.subject, cells, modality(times.call[cells, :n], step, self.random))

    def follow(self, times, cells, n):
        """Steady states and drift."""
        logs = np.log(times.call[cells, :n][:, :, [0, 2]])
        logs -= logs[:, :1, :, :1]
        step = self.comparing.step[cells][:, None] / times.interval[cells, 0][:, [0, 2]].mean(axis=2)
        tolerance, least_sd = np.maximum(self.comparing.theta / 2, step), np.maximum(1e-6, step / np.sqrt(12))
        shape = (len(cells), 2)
        found = {"within_trials": np.full(shape, "insufficient"), "over_trials": np.full(shape, "insufficient"),
                 "unsettled_trials": np.zeros(shape, int)}
        for i in range(2):
            over = steady_classes(np.median(logs[:, :, i], axis=2), tolerance[:, i], least_sd[:, i])
            if over is not None:
                found["over_trials"][:, i] = over
        if times.blocks >= LEAST_FOR_STEADY:
            each = logs.swapaxes(1, 2).reshape(-1, times.blocks)
            within = steady_classes(each, np.repeat(tolerance, n), np.repeat(least_sd, n)).reshape(-1, n)
            found["within_trials"] = np.array([pooled_class(one) for one in within]).reshape(shape)
            found["unsettled_trials"] = (within == "no-steady-state").sum(axis=1).reshape(shape)
        self.put(self.subject, cells, {name: np.insert(values, 1, values[:, 0], axis=1)
                                       for name, values in found.items()})
        self.put(self.drift, cells, drift(logs[:, :, 0].reshape(len(cells), -1)))

    def find(self):
        """(slug, cell) for what the data themselves show; a cell of -1 is the whole record."""
        found = set()

        def add(slug, where):
            found.update((slug, int(cell)) for cell in np.flatnonzero(where))

        c, s = self.comparison, self.subject
        add("control.void", c["voids"])
        add("control.leaning", c["leans"] & ~c["voids"])
        add("differences.lopsided", c["skewed"])
        add("estimate.disagrees", c["ranks_disagree"])
        of_both = s["seen"][:, [0, 2]]
        add("modes.several", np.isin(of_both, ("within-trials", "within-and-between")).any(axis=1))
        add("modes.between-trials", (of_both == "between-trials").any(axis=1))
        add("time.drift", self.drift["has_drifted"])
        add("time.no-steady-state", ((s["within_trials"] == "no-steady-state") |
                                     (s["over_trials"] == "no-steady-state")).any(axis=1))
        add("trials.autocorrelated", self.independence_p < DEPENDENCE_P)
        if any(canary["is_unsteady"] for canary in self.canaries.values()):
            found.add(("machine.unsteady", -1))
        return found


def timed(what, function):
    wall, processor = time.monotonic(), time.process_time()
    result = function()
    print(f"{what:<28} {time.monotonic() - wall:8.3f} s   {time.process_time() - processor:8.3f} s of the processor",
          flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record")
    parser.add_argument("times", nargs="?", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--ruptures", action="store_true")
    arguments = parser.parse_args()
    record = timed("read", lambda: Record.read(arguments.record))
    for _ in range(arguments.times):
        analysis = timed("analyse", lambda: Analysis(record))
        undecided = (analysis.comparison["verdict"] == "inconclusive").sum()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        print(f"{len(record.samples)} samples, {analysis.cells} comparisons, {undecided} without a verdict, "
              f"mean ratio {analysis.comparison['ratio'].mean():.6f}, peak {peak:.1f} MB", flush=True)
    if arguments.check:
        from check import disagreements
        sys.exit(1 if disagreements(arguments.record, record, analysis, arguments.ruptures) else 0)


if __name__ == "__main__":
    main()
