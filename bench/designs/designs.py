#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How much of the spread between processes each design removes, live.

  designs.py BUILD --out FOLDER [OPTION ...]

BUILD is a build folder with the benches in it. One function is compared with itself, so all that is seen is spread. The two builds of
an experiment are one and the same binary; each trial has a fresh process of either, both on one core, which is drawn for the trial.
From the same samples of the same trials, with K blocks each:

  one process      D = median over blocks of log(control / baseline), both in the baseline's process, interleaved in each block
  two builds       the same of candidate and baseline: two live processes, one token, interleaved in each block
  separate runs    log of the baseline's median, once a trial; a comparison of two runs has √2 times its spread
  ... on one core  the same within each core, pooled: what is left when all runs are pinned to the same core

Printed is the spread (standard deviation between trials) of the log ratio that each design gives, and how much of the variance of
separate runs it removes. Each finished experiment is a row of FOLDER/designs.csv; started again, it goes on where it stopped.
"""
import argparse
import csv
import datetime
import json
import math
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import live  # noqa: E402

KERNELS = {"4Ki": 4096, "64Ki": 65536, "1Mi": 1048576}
DESIGNS = {"one_process": "one process", "two_builds": "two builds", "separate": "separate runs",
           "separate_one_core": "separate runs on one core"}

EXPERIMENT = """\
name = "designs"
baseline = "a"

[build.baseline]
program = "{program}"

[build.candidate]
program = "{program}"

[question]
decision = "Which design to measure by."
question = "How much of the spread between processes does pairing remove?"
hypothesis = "Most of it within a process, less across two."
if_supported = "Pair within a process where possible."
if_rejected = "Find out what the spread comes from."

[[prediction]]
candidate = "a"
ratio = [0.99, 1.01]
because = "It is the same binary."

[protocol]
state = ["warm"]
looks = [{trials}]
margin = 0.0
noise_floor = "ignore"
blocks = {blocks}
sample = "{sample}"
budget = "{budget}"
seed = {seed}

[cases]
n = [{n}]
extra = [0]
"""

COLUMNS = ["kernel", "condition", "repeat", "seed", "trials", "blocks", *(f"sd_{name}" for name in DESIGNS), "mean_one_process",
           "mean_two_builds", "verdict", "wall_s", "other_cores", "steal", "ended_utc"]


def pooled_deviation(groups):
    """Within groups of at least two; "" where there are none."""
    groups = [group for group in groups if len(group) > 1]
    freedom = sum(len(group) - 1 for group in groups)
    if freedom == 0:
        return ""
    return math.sqrt(sum((len(group) - 1) * live.standard_deviation(group) ** 2 for group in groups) / freedom)


def spreads(data):
    """The spreads of one record, from its data/ folder."""
    with open(data / "trials.csv", newline="") as file:
        core = {int(row["trial"]): row["core"] for row in csv.DictReader(file)}
    times = defaultdict(dict)  # by trial: (block, who) -> time of a call in ns
    with open(data / "samples.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["phase"] == "measure" and int(row["trial"]) > 0:
                who = "candidate" if row["build"] == "candidate" else row["subject"]
                times[int(row["trial"])][int(row["block"]), who] = float(row["interval_ns"]) / int(row["iterations"])
    one_process, two_builds, medians, by_core = [], [], [], defaultdict(list)
    for trial, samples in sorted(times.items()):
        blocks = sorted({block for block, _ in samples})
        if any((block, who) not in samples for block in blocks for who in ("a", "control", "candidate")):
            continue  # cut off
        one_process.append(live.median([math.log(samples[b, "control"] / samples[b, "a"]) for b in blocks]))
        two_builds.append(live.median([math.log(samples[b, "candidate"] / samples[b, "a"]) for b in blocks]))
        medians.append(math.log(live.median([samples[b, "a"] for b in blocks])))
        by_core[core[trial]].append(medians[-1])
    if len(medians) < 2:
        raise live.Failed("fewer than two whole trials")
    within = pooled_deviation(by_core.values())
    return {"trials": len(medians), "sd_one_process": live.standard_deviation(one_process),
            "sd_two_builds": live.standard_deviation(two_builds), "sd_separate": math.sqrt(2) * live.standard_deviation(medians),
            "sd_separate_one_core": "" if within == "" else math.sqrt(2) * within,
            "mean_one_process": sum(one_process) / len(medians), "mean_two_builds": sum(two_builds) / len(medians)}


def one_experiment(a, table, kernel, condition, repeat):
    seed = live.seed_of(a.first_seed, "designs", kernel, condition, repeat)
    text = EXPERIMENT.format(program=a.program, trials=a.trials, blocks=a.blocks, sample=a.sample, budget=a.budget, seed=seed,
                             n=KERNELS[kernel])
    result, facts = live.run_experiment(a.assay, text, keep=spreads)
    row = facts.pop("kept") | facts | {"verdict": result["comparisons"][0]["verdict"]}
    table.add(kernel=kernel, condition=condition, repeat=repeat, seed=seed, blocks=a.blocks, **row,
              ended_utc=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"))
    print(f"{kernel} {condition} {repeat}: {row['trials']} trials, {row['wall_s']} s", file=sys.stderr)


def print_table(a, table):
    print(f"{a.blocks} blocks; samples of {a.sample}; first seed {a.first_seed}. Spread: standard deviation between trials of the log "
          "ratio, root mean square over the experiments. Bias: mean of D over all trials ± its standard error.\n")
    lines = []
    for condition in live.CONDITIONS:
        for kernel in KERNELS:
            rows = [row for row in table.rows if row["kernel"] == kernel and row["condition"] == condition]
            if not rows:
                continue
            trials = sum(int(row["trials"]) for row in rows)
            spread = {name: live.root_mean_square(live.floats(rows, f"sd_{name}")) for name in DESIGNS
                      if live.floats(rows, f"sd_{name}")}
            for name, title in DESIGNS.items():
                if name not in spread:
                    continue
                bias = ""
                if f"mean_{name}" in COLUMNS:
                    mean = sum(float(row[f"mean_{name}"]) * int(row["trials"]) for row in rows) / trials
                    bias = f"{100 * mean:+.2f} ± {100 * spread[name] / math.sqrt(trials):.2f} %"
                removed = 1 - (spread[name] / spread["separate"]) ** 2
                lines.append([kernel, condition, title, len(rows), trials, live.percent(spread[name], 2),
                              "" if name == "separate" else live.percent(removed, 0), bias])
    live.print_table(["kernel", "condition", "design", "experiments", "trials", "spread", "variance removed", "bias"], lines)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="build folder")
    parser.add_argument("--out", type=Path, required=True, help="folder of the CSV file")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--conditions", default="idle", help="some of " + ",".join(live.CONDITIONS))
    parser.add_argument("--repeats", type=int, default=3, help="experiments per kernel and condition")
    parser.add_argument("--trials", type=int, default=64, help="of an experiment")
    parser.add_argument("--blocks", type=int, default=20)
    parser.add_argument("--sample", default="1ms")
    parser.add_argument("--budget", default="300s", help="of one experiment")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="print the table of what is there, and measure nothing")
    a = parser.parse_args()
    a.build = a.build.resolve()
    a.assay, a.program = a.build / "bin" / "assay", a.build / "bench" / "verdicts" / "verdicts"
    a.kernels, a.conditions = a.kernels.split(","), a.conditions.split(",")
    if not (set(a.kernels) <= set(KERNELS) and set(a.conditions) <= set(live.CONDITIONS)):
        parser.error(f"expected kernels of {', '.join(KERNELS)} and conditions of {', '.join(live.CONDITIONS)}")
    return a


def main():
    a = arguments()
    live.stop_as_ctrl_c_does()
    settings = {"trials": a.trials, "blocks": a.blocks, "sample": a.sample, "budget": a.budget, "first_seed": a.first_seed}
    if a.table and (a.out / "settings.json").exists():
        vars(a).update({key: value for key, value in json.loads((a.out / "settings.json").read_text()).items() if key in settings})
    else:
        live.open_results(a.out, settings | {"assay": live.digest(a.assay), "program": live.digest(a.program)})
    table = live.Table(a.out / "designs.csv", COLUMNS, 3)
    if not a.table:
        try:
            for repeat in range(a.repeats):
                for condition in a.conditions:
                    with live.load(condition, live.seed_of(a.first_seed, "load", condition, repeat)):
                        for kernel in a.kernels:
                            if not table.has(kernel, condition, repeat):
                                one_experiment(a, table, kernel, condition, repeat)
        except KeyboardInterrupt:
            print("stopped; the same command goes on from here", file=sys.stderr)
        except live.Failed as error:
            print_table(a, table)
            sys.exit(f"an experiment failed; the same command goes on from here: {error}")
    print_table(a, table)


if __name__ == "__main__":
    main()
