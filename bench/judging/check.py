# SPDX-License-Identifier: MIT
"""What the script and result.json of a record say differently.

Numbers must agree to a relative 1e-9 (drift's statistics to 1e-6: sums of squares of sums), since both add in another
order; words, counts and flags exactly. What legitimately differs has a wider tolerance, and its largest difference is
printed:
  p of sign-flip beyond 16 trials   other signs are drawn: five standard errors of both
  p of the dip test                 other jitter is drawn, and diptest has its own table: 0.1. Where jitter is a
                                    sizeable part of the spread, or other samples are drawn from more than 65,536,
                                    only the flag is compared
  modes                             place to 1 %, share to 0.05
The p of skewness is not in result.json: the flags and verdicts that follow from it must agree.
"""
import json
from pathlib import Path

import numpy as np
from describing import KEPT_FOR_MODES
from reading import SUBJECTS
from series import LEAST_SEGMENT, MOST_FOR_STEADY, PENALTY, batch_means, segmentations

RELATIVE = 1e-9
# Of a p: more than drawing other numbers makes of it in practice. Of a mode: relative.
OTHER_JITTER_P, OTHER_JITTER_PLACE = 0.1, 0.01


def reading(value):
    """A number, a word or a [low, high]; NaN if it is missing."""
    if not isinstance(value, dict):
        return value
    if "missing" in value:
        return np.nan
    value = value["value"]
    return [value["low"], value["high"]] if isinstance(value, dict) and "low" in value else value


class Check:
    def __init__(self):
        self.compared, self.differing = 0, 0
        self.largest = {}  # of what may differ

    def say(self, where, ours, theirs):
        self.differing += 1
        if self.differing <= 40:
            print(f"  {where}: script {ours}, Assay {theirs}")

    def same(self, where, ours, theirs):
        self.compared += 1
        if ours != theirs:
            self.say(where, ours, theirs)

    def close(self, where, ours, theirs, relative=RELATIVE, absolute=0.0):
        self.compared += 1
        ours, theirs = np.atleast_1d(np.asarray(ours, float)), np.atleast_1d(np.asarray(theirs, float))
        if theirs.shape != ours.shape and np.isnan(theirs).all():
            theirs = np.full(ours.shape, np.nan)
        if not np.allclose(ours, theirs, rtol=relative, atol=absolute, equal_nan=True):
            self.say(where, ours, theirs)

    def near(self, what, where, ours, theirs, relative=0.0, absolute=0.0):
        """What may differ."""
        if np.isfinite(ours) and np.isfinite(theirs):
            difference = abs(ours - theirs) / (abs(theirs) if relative else 1)
            self.largest[what] = max(self.largest.get(what, 0.0), difference)
        self.close(f"{where} {what}", ours, theirs, relative, absolute)

    def drawn_p(self, what, where, ours, theirs, draws):
        if np.isfinite(ours) and np.isfinite(theirs):
            p = max(ours, theirs, 1 / draws)
            self.near(what, where, ours, theirs, absolute=5 * np.sqrt(2 * p * (1 - p) / draws) + 1 / draws)
        else:
            self.close(f"{where} {what}", ours, theirs)


def disagreements(folder, record, analysis, with_ruptures):
    """How many; prints the first."""
    result = json.loads((Path(folder) / "data" / "result.json").read_text())
    check = Check()
    for i, (cell, comparison) in enumerate(zip(result["cells"], result["comparisons"])):
        compare_comparison(check, cell["cell"], i, comparison, analysis)
        compare_cell(check, cell["cell"], i, cell, analysis)
    compare_rest(check, result, analysis)
    print(f"{check.compared} results compared, {check.differing} differ")
    for what, difference in check.largest.items():
        print(f"  {what + ', largest difference:':<70} {difference:.2g}")
    if with_ruptures:
        compare_change_points(check, record, analysis)
    return check.differing


def compare_comparison(check, where, i, theirs, analysis):
    ours = {name: values[i] for name, values in analysis.comparison.items()}
    few = theirs["look"] <= 16
    check.same(f"{where} verdict", str(ours["verdict"]), theirs["verdict"])
    check.same(f"{where} look", int(analysis.comparing.trials[i]), theirs["look"])
    check.close(f"{where} ratio", ours["ratio"], reading(theirs["ratio"]))
    check.close(f"{where} interval", [ours["low"], ours["high"]], reading(theirs["ratio_interval"]))
    check.close(f"{where} level", ours["level"], theirs["confidence_level"])
    check.close(f"{where} sd", ours["sd"], reading(theirs["sd_log_ratio"]))
    if few:
        check.close(f"{where} sign-flip p", ours["sign_flip_p"], reading(theirs["sign_flip_p"]))
    else:
        check.drawn_p("drawn sign-flip p", where, ours["sign_flip_p"], reading(theirs["sign_flip_p"]), 9999)
    check.close(f"{where} repeated p", ours["repeated_p"], reading(theirs["repeated_p"]))
    check.close(f"{where} adjusted p", ours["adjusted_p"], reading(theirs["adjusted_p"]))
    check.close(f"{where} trials needed", ours["trials_needed"], reading(theirs["trials_needed"]))
    ranks = theirs["sensitivity"]
    check.close(f"{where} Hodges-Lehmann", ours["hl_ratio"], reading(ranks["ratio"]))
    check.close(f"{where} interval by ranks", [ours["hl_low"], ours["hl_high"]], reading(ranks["ratio_interval"]))
    check.close(f"{where} Wilcoxon p", ours["wilcoxon_p"], reading(ranks["wilcoxon_p"]))
    check.same(f"{where} region by ranks", str(ours["rank_region"]), ranks["verdict"])
    check.same(f"{where} ranks disagree", bool(ours["ranks_disagree"]), ranks["disagrees"])
    other = theirs.get("other_estimand")
    check.close(f"{where} ratio of means", [ours["other_ratio"], ours["other_low"], ours["other_high"]],
                [reading(other["ratio"]), *reading(other["ratio_interval"])] if other else np.nan)


def compare_cell(check, where, i, theirs, analysis):
    ours = {name: values[i] for name, values in analysis.comparison.items()}
    check.close(f"{where} control", [ours["control_low"], ours["control_high"]],
                reading(theirs["control"]["interval_adjusted"]))
    check.same(f"{where} control voids", bool(ours["voids"]), theirs["control"]["voids"])
    check.same(f"{where} control leans", bool(ours["leans"]), theirs["control"]["is_finding"])
    step = analysis.comparing.step[i] / analysis.iterations[i]
    for k, subject in enumerate(theirs["subjects"]):
        of_subject = {name: values[i, k] for name, values in analysis.subject.items()}
        is_fine = step < 0.01 * of_subject["sd_ns"] and subject["samples"] <= KEPT_FOR_MODES
        compare_subject(check, f"{where} {subject['subject']}", subject, of_subject, is_fine)
    for steady in theirs["steady_state"]:
        k = SUBJECTS.index(steady["subject"])
        for name in ("within_trials", "over_trials"):
            value = reading(steady[name])
            check.same(f"{where} {steady['subject']} {name}", str(analysis.subject[name][i, k]),
                       value if isinstance(value, str) else "insufficient")
        check.same(f"{where} unsettled", int(analysis.subject["unsettled_trials"][i, k]), steady["unsettled_trials"])
    drift = reading(theirs["drift"])
    ours = {name: values[i] for name, values in analysis.drift.items()}
    if isinstance(drift, dict):
        check.same(f"{where} drift", (bool(ours["has_drifted"]), float(ours["level"])),
                   (drift["has_drifted"], drift["level"]))
        for name, key in (("step", "step_statistic"), ("slope", "slope_statistic"), ("points", "points"),
                          ("batch", "batch"), ("ratio", "ratio")):
            check.close(f"{where} drift {name}", ours[name], drift[key], relative=1e-6)
        check.same(f"{where} drift from", int(ours["change"]) // analysis.blocks + 1, drift["from_trial"])
    else:
        check.close(f"{where} drift", ours["step"], np.nan)
    advice = theirs.get("advice")
    if advice and analysis.advice:
        for name, key in (("blocks", "blocks"), ("within_sd", "within_trial_sd"), ("between_sd", "between_trials_sd"),
                          ("block_s", "block_s"), ("trial_s", "trial_s")):
            check.close(f"{where} advice {name}", analysis.advice[name][i], reading(advice[key]))


def compare_subject(check, where, theirs, ours, is_fine):
    check.close(f"{where} interval", [ours["median_ns"], ours["low_ns"], ours["high_ns"]],
                [reading(theirs["median_ns"]), *reading(theirs["interval_ns"])])
    for name in ("min_ns", "mean_ns", "trimmed_mean_ns", "p5_ns", "p95_ns", "p99_ns", "sd_ns"):
        check.close(f"{where} {name}", ours[name], reading(theirs[name]))
    within = theirs["within_trial"]
    check.close(f"{where} effective samples", ours["effective_samples"], reading(within["effective_samples"]))
    check.same(f"{where} typical trial", int(ours["typical_trial"]), reading(within["trial"]))
    check.close(f"{where} median of a trial", [ours["median_low_ns"], ours["median_high_ns"]],
                reading(within["median_interval_ns"]))
    modality = reading(theirs["modality"])
    check.same(f"{where} modes seen", str(ours["seen"]), modality["seen"])
    for name in ("p_within", "p_between", "p_pooled"):
        # Assay's table ends at 0.001, and names no less.
        p = max(ours[name], 0.001) if np.isfinite(ours[name]) else np.nan
        absolute = OTHER_JITTER_P if is_fine else 1
        check.near(f"p of the dip test{'' if is_fine else ' of much jitter or drawn samples'}", where, p,
                   reading(modality[name]), absolute=absolute)
    modes = ours["modes"] or []
    check.same(f"{where} number of modes", len(modes), len(modality["modes"]))
    for (place, low, high, share), mode in zip(modes, modality["modes"]):
        check.near("place of a mode, relative", where, place, mode["location_ns"], relative=OTHER_JITTER_PLACE)
        check.near("share of a mode", where, share, mode["share_frac"], absolute=0.05)


def compare_rest(check, result, analysis):
    for suite in result.get("suites", []):
        check.close("suite", [analysis.suite[name] for name in ("ratio", "low", "high", "cells", "trials")],
                    [reading(suite["ratio"]), *reading(suite["ratio_interval"]), suite["cells"], suite["trials"]])
    for theirs in result["canaries"]["kernels"]:
        ours, kernel = analysis.canaries[theirs["kernel"]], theirs["kernel"]
        check.close(f"{kernel} time", ours["time_ns"], theirs["time_ns"])
        check.close(f"{kernel} sd", ours["sd"], reading(theirs["between_trials_sd"]))
        for name in ("end_to_start", "late_to_early"):
            check.close(f"{kernel} {name}", ours[name], [reading(theirs[name]), *reading(theirs[f"{name}_interval"])])
        check.same(f"{kernel} apart", ours["trials_apart"], theirs["trials_apart"])
    number = {cell["cell"]: i for i, cell in enumerate(result["cells"])}
    of_data = {slug for slug, _ in analysis.findings} | {
        "control.void", "control.leaning", "differences.lopsided", "estimate.disagrees", "modes.several",
        "modes.between-trials", "time.drift", "time.no-steady-state", "trials.autocorrelated", "machine.unsteady"}
    theirs = {(f["slug"], number.get(f["cell"], -1)) for f in result["findings"] if f["slug"] in of_data}
    for finding in sorted(analysis.findings ^ theirs):
        check.say(f"finding {finding}", finding in analysis.findings, finding in theirs)
    check.compared += len(analysis.findings | theirs)


def compare_change_points(check, record, analysis):
    """The optimal partitioning of series.py against ruptures' PELT, for eight series from all over the record."""
    import time
    import warnings

    import ruptures
    warnings.simplefilter("ignore")
    cells = analysis.comparing.times.call[:, :, 0]
    series = np.log(cells.reshape(-1, cells.shape[-1]))
    if series.shape[1] < 50:
        series = np.log(np.median(cells, axis=2))
    x = batch_means(series[np.linspace(0, len(series) - 1, 8).astype(int)], MOST_FOR_STEADY)
    n = x.shape[1]
    last = segmentations(x, np.full(len(x), 1e-6))
    begun = time.process_time()
    for i, one in enumerate(x):
        ends = [n]
        while last[ends[0], i] > 0:
            ends.insert(0, int(last[ends[0], i]))
        cost = ruptures.costs.CostNormal(add_small_diag=False)
        pelt = ruptures.Pelt(custom_cost=cost, min_size=LEAST_SEGMENT, jump=1).fit(one)
        check.same(f"change points of series {i}", ends, [int(end) for end in pelt.predict(pen=PENALTY * np.log(n))])
    print(f"change points of {len(x)} series of {n} values: ruptures' PELT takes {time.process_time() - begun:.1f} s "
          "of the processor")
