#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often verdicts err on a GPU, and how often a difference of one hundredth is found.

  rates.py warm  --assay PATH --program gpu_same --out FOLDER [--experiments 7]
  rates.py cold  --assay PATH --program gpu_same --out FOLDER [--experiments 5]
  rates.py own   --assay PATH --program gpu_same --out FOLDER [--experiments 2]
  rates.py power --assay PATH --program gpu_spin --out FOLDER [--experiments 4]

warm    One kernel under two names; an experiment has five cells: reductions of 4, 64 and 256 MiB, copies of 4 and 64 MiB. faster and
        slower are wrong, equivalent (margin 1 %) is right.
cold    The same, cold, where a sample is one call: ten times as many blocks.
own     Warm and cold reductions of 4 and 64 MiB, each name with scratch memory of its own.
power   Kernels that spin for T and for 1.01 T, T = 10, 30 and 100 us, five cells of each in an experiment, margin 0.5 %: slower is
        right, and for the third name, which spins for T as well, equivalent.

Every comparison is predicted, and so a primary of its plan. Every experiment has a seed of its own and processes of its own; its cells
share these. So there are two intervals of each rate: over comparisons, as if they were independent, and over experiments with at least
one of that kind, which needs no such thing.

A row of FOLDER/KIND.csv is one comparison. Started again, it goes on where it stopped. Prints the tables.
"""
import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import live  # noqa: E402

EXPERIMENT = """\
name = "gpu-{kind}"
program = "{program}"
baseline = "a"
{predictions}
[protocol]
boundary = ["device"]
state = [{states}]
looks = [8, 16]
margin = {margin}
noise_floor = "ignore"
blocks = {blocks}
sample = "1ms"
budget = "4min"
seed = {seed}
{cases}"""

FIVE_CELLS = r"^(reduce/mib=(4|64|256)|copy/mib=(4|64))/"
KINDS = {
    "warm": {"states": '"warm"', "margin": 0.01, "blocks": 12, "cases": "", "experiments": 7, "filter": FIVE_CELLS,
             "candidates": {"a2": (0.99, 1.01)}},
    "cold": {"states": '"cold"', "margin": 0.01, "blocks": 120, "cases": "", "experiments": 5, "filter": FIVE_CELLS,
             "candidates": {"a2": (0.99, 1.01)}},
    "own": {"states": '"warm", "cold"', "margin": 0.01, "blocks": 40, "cases": "", "experiments": 2,
            "filter": r"^own-scratch/mib=(4|64)/", "candidates": {"a2": (0.99, 1.01)}},
    "power": {"states": '"warm"', "margin": 0.005, "blocks": 20, "experiments": 4, "filter": "^power/",
              "candidates": {"a2": (0.995, 1.005), "b": (1.005, 1.015)},
              "cases": "\n[cases]\nns = [10000, 30000, 100000]\nrepeat = [1, 2, 3, 4, 5]\n"},
}
PREDICTION = """
[[prediction]]
candidate = "{candidate}"
ratio = [{low}, {high}]
because = "It is the same code."
"""
COLUMNS = ["experiment", "cell", "candidate", "verdict", "trials", "ratio", "low", "high", "sd", "confidence_level", "seed",
           "wall_s", "reason"]


def cell_name(cell):
    return cell if isinstance(cell, str) else "/".join(str(cell[key]) for key in ("problem", "case", "state", "boundary"))


def measure(kind, options, table):
    settings = KINDS[kind]
    for number in range(1, options.experiments + 1):
        if any(row["experiment"] == str(number) for row in table.rows):
            continue
        seed = live.seed_of("gpu", kind, number)
        text = EXPERIMENT.format(kind=kind, program=options.program.resolve(), seed=seed,
                                 predictions="".join(PREDICTION.format(candidate=name, low=low, high=high)
                                                     for name, (low, high) in settings["candidates"].items()),
                                 **{key: settings[key] for key in ("states", "margin", "blocks", "cases")})
        result, facts = live.run_experiment(options.assay.resolve(), text, filter_=settings["filter"],
                                            arguments=["--device", options.device])
        for comparison in result["comparisons"]:
            table.add(experiment=number, cell=cell_name(comparison["cell"]), candidate=comparison["candidate"], seed=seed,
                      wall_s=facts["wall_s"], **live.comparison_fields(comparison))
        print(f"{kind} {number}: {len(result['comparisons'])} comparisons in {facts['wall_s']} s", file=sys.stderr, flush=True)


def rate(rows, is_one):
    """Of comparisons and of experiments."""
    count = sum(1 for row in rows if is_one(row))
    low, high = live.clopper_pearson(count, len(rows))
    experiments = {row["experiment"] for row in rows}
    hit = {row["experiment"] for row in rows if is_one(row)}
    from_experiments = live.clopper_pearson(len(hit), len(experiments))
    return [f"{count} of {len(rows)}", f"{live.percent(low)} to {live.percent(high)}",
            f"{len(hit)} of {len(experiments)} experiments: {live.percent(from_experiments[0])} to {live.percent(from_experiments[1])}"]


def group_of(kind, row):
    parts = row["cell"].split("/")
    if kind == "power":
        return f"{row['candidate']}, {parts[1].split()[0]}"
    return f"{parts[0]} {parts[1]}, {parts[2]}"


def print_rates(kind, rows):
    groups = {}
    for row in rows:
        groups.setdefault(group_of(kind, row), []).append(row)
    lines = []
    for name, members in groups.items():
        verdicts = [sum(1 for row in members if row["verdict"] == verdict)
                    for verdict in ("faster", "slower", "equivalent", "inconclusive")]
        deviations = live.floats(members, "sd")
        trials = [float(row["trials"]) for row in members if row["trials"] not in ("", "0")]
        lines.append([name, *verdicts, sum(1 for row in members if row["verdict"] not in
                                           ("faster", "slower", "equivalent", "inconclusive")),
                      f"{live.median(deviations) * 100:.3f} %" if deviations else "",
                      f"{sum(trials) / len(trials):.1f}" if trials else ""])
    live.print_table(["", "faster", "slower", "equivalent", "inconclusive", "other", "median SD of the log ratio", "mean trials"],
                     lines)
    same = [row for row in rows if row["candidate"] == "a2"]
    longer = [row for row in rows if row["candidate"] == "b"]
    table = [["A against A: called faster or slower", *rate(same, lambda row: row["verdict"] in ("faster", "slower"))],
             ["A against A: called equivalent", *rate(same, lambda row: row["verdict"] == "equivalent")]]
    if longer:
        table += [["1.01 T against T: called slower", *rate(longer, lambda row: row["verdict"] == "slower")],
                  ["1.01 T against T: called faster or equivalent",
                   *rate(longer, lambda row: row["verdict"] in ("faster", "equivalent"))]]
    live.print_table(["", "count", "95 % (Clopper-Pearson), as if independent", "the same by experiment"], table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(KINDS))
    parser.add_argument("--assay", type=Path, required=True)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--experiments", type=int)
    options = parser.parse_args()
    options.experiments = options.experiments or KINDS[options.kind]["experiments"]
    options.out.mkdir(parents=True, exist_ok=True)
    table = live.Table(options.out / f"{options.kind}.csv", COLUMNS, 3)
    live.stop_as_ctrl_c_does()
    try:
        measure(options.kind, options, table)
    except KeyboardInterrupt:
        print("interrupted: the tables are of what is there", file=sys.stderr)
    print_rates(options.kind, table.rows)


if __name__ == "__main__":
    main()
