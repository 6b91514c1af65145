#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the verdicts hold their error rate and their power, live, with Google Benchmark beside them.

  verdicts.py BUILD --out FOLDER [OPTION ...]

BUILD is a build folder with the benches in it. Every experiment is a whole `assay run` of two subjects of which the truth is known:
"b" does exactly as many per cent more of the same work as the test says (walk.hpp), and is the one primary of its plan. Each finished
experiment is a row of FOLDER/experiments.csv, each comparison by Google Benchmark one of FOLDER/google.csv. Started again, it goes on
where it stopped (with the same settings); --repeats may grow. At the end, and after Ctrl-C, it prints the tables.

  test  effect  margin
  T1    0       0        faster or slower is wrong; runs to its last look
  T2    +1 %    1 %      the effect is the margin: faster, slower and equivalent are wrong
  T3    +2 %    1 %      slower is right; faster and equivalent are wrong
  T4    +1 %    0.5 %    the same
  T5    0       1 %      equivalent is right; faster and slower are wrong

The conditions: idle; busy (a process spins on the last core); bursts (50-500 ms of work, as long a pause, on all cores in turn).
Both harnesses run on one core, drawn by seed: Assay draws for each trial, Google Benchmark's two processes share one.
"""
import argparse
import datetime
import functools
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import live  # noqa: E402

TESTS = {  # extra chunks of 100, margin, right verdicts, wrong verdicts
    "T1": (0, 0.0, (), ("faster", "slower")),
    "T2": (1, 0.01, (), ("faster", "slower", "equivalent")),
    "T3": (2, 0.01, ("slower",), ("faster", "equivalent")),
    "T4": (1, 0.005, ("slower",), ("faster", "equivalent")),
    "T5": (0, 0.01, ("equivalent",), ("faster", "slower")),
}
KERNELS = {"4Ki": 4096, "64Ki": 65536, "1Mi": 1048576}
GOOGLE_EXTRAS = (0, 2)
REPETITIONS = 12
U_TEST_ALPHA = 0.05

EXPERIMENT = """\
name = "verdicts"
program = "{program}"
baseline = "a"

[question]
decision = "Whether the verdicts can be trusted."
question = "Is the truth found?"
hypothesis = "b does {extra} % more of the same work than a."
if_supported = "Trust them."
if_rejected = "Find out what disturbs them."

[[prediction]]
candidate = "b"
ratio = [{low}, {high}]
because = "It is the same code with another count."

[protocol]
state = ["warm"]
looks = [{looks}]
margin = {margin}
noise_floor = "ignore"
blocks = {blocks}
sample = "{sample}"
budget = "{budget}"
seed = {seed}

[cases]
n = [{n}]
extra = [{extra}]
"""

COLUMNS = ["test", "kernel", "condition", "repeat", "seed", "extra_percent", "margin", "verdict", "wrong", "trials", "sd", "ratio",
           "low", "high", "confidence_level", "wall_s", "other_cores", "steal", "baseline_ns", "exit_status", "ended_utc", "reason"]
GOOGLE_COLUMNS = ["kernel", "condition", "extra_percent", "repeat", "seed", "core", "p_real", "p_cpu", "called_different",
                  "called_different_cpu", "ratio", "baseline_ns", "wall_s", "other_cores", "steal", "ended_utc"]


def looks_of(a, test):
    """T1 and T2 go to their last look nearly always; the others stop as soon as they can."""
    return a.long_looks if test in ("T1", "T2") else a.looks


def utc():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def one_experiment(a, table, test, kernel, condition, repeat):
    extra, margin, _, wrong = TESTS[test]
    seed = live.seed_of(a.first_seed, test, kernel, condition, repeat)
    text = EXPERIMENT.format(program=a.program, extra=extra, low=0.99 + extra / 100, high=1.01 + extra / 100,
                             looks=", ".join(map(str, looks_of(a, test))), margin=margin, blocks=a.blocks, sample=a.sample,
                             budget=a.budget, seed=seed, n=KERNELS[kernel])
    row = dict(test=test, kernel=kernel, condition=condition, repeat=repeat, seed=seed, extra_percent=extra, margin=margin)
    try:
        result, facts = live.run_experiment(a.assay, text)
        (comparison,) = result["comparisons"]
        row |= live.comparison_fields(comparison) | facts
        row["wrong"] = int(comparison["verdict"] in wrong)
        row["baseline_ns"] = live.value_of(result["cells"][0]["subjects"][0]["median_ns"])
    except live.Failed as error:
        row |= {"verdict": "failed", "reason": str(error)}
    table.add(**row, ended_utc=utc())
    return f"{row['verdict']:12} {row.get('trials', ''):>4} trials {row.get('wall_s', ''):>7} s"


def google_side(a, kernel, extra, core):
    """Twelve repetitions in one process, pinned: (real times, CPU times) in ns."""
    command = [str(a.google), f"--benchmark_filter=^sum/{KERNELS[kernel]}/{extra}$", f"--benchmark_repetitions={REPETITIONS}",
               f"--benchmark_min_time={a.google_min_time}", "--benchmark_format=json"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    runs = [run for run in json.loads(done.stdout)["benchmarks"] if run["run_type"] == "iteration"]
    if len(runs) != REPETITIONS or any(run["time_unit"] != "ns" for run in runs):
        sys.exit(f"{' '.join(command)} printed {len(runs)} repetitions; expected {REPETITIONS}, in ns")
    return [run["real_time"] for run in runs], [run["cpu_time"] for run in runs]


def google_pair(a, table, kernel, condition, extra, repeat):
    seed = live.seed_of(a.first_seed, "google", kernel, condition, extra, repeat)
    core = random.Random(seed).choice(sorted(os.sched_getaffinity(0)))
    neighbours, start = live.Neighbours(), time.monotonic()
    real_a, cpu_a = google_side(a, kernel, 0, core)
    real_b, cpu_b = google_side(a, kernel, extra, core)
    wall_s = time.monotonic() - start
    others, stolen = neighbours.since()
    p_real, p_cpu = live.u_test(real_a, real_b), live.u_test(cpu_a, cpu_b)
    table.add(kernel=kernel, condition=condition, extra_percent=extra, repeat=repeat, seed=seed, core=core, p_real=p_real,
              p_cpu=p_cpu, called_different=int(p_real < U_TEST_ALPHA), called_different_cpu=int(p_cpu < U_TEST_ALPHA),
              ratio=live.median(real_b) / live.median(real_a), baseline_ns=live.median(real_a), wall_s=round(wall_s, 3),
              other_cores=others, steal=stolen, ended_utc=utc())
    return f"p = {p_real:.4f}            {wall_s:7.3f} s"


def measure(a, experiments, google):
    """Rounds over everything, so that a run that is stopped early is balanced."""
    for repeat in range(max(a.repeats, a.google_pairs)):
        for condition in a.conditions:
            work = []
            for kernel in a.kernels:
                if repeat < a.repeats:
                    work += [(one_experiment, experiments, (test, kernel, condition, repeat)) for test in a.tests]
                if google is not None and repeat < a.google_pairs:
                    work += [(google_pair, google, (kernel, condition, extra, repeat)) for extra in GOOGLE_EXTRAS]
            work = [(function, table, key) for function, table, key in work if not table.has(*key)]
            if not work:
                continue
            with live.load(condition, live.seed_of(a.first_seed, "load", condition, repeat)):
                for function, table, key in work:
                    said = function(a, table, *key)
                    print(f"{'google ' if table is google else ''}{' '.join(map(str, key)):24} {said}", file=sys.stderr)


@functools.lru_cache(maxsize=None)
def simulated(power, sd, test, looks):
    """The share of each verdict for normal differences of this spread."""
    extra, margin, _, _ = TESTS[test]
    done = subprocess.run([power, repr(sd), str(extra / 100), str(margin), looks, "400"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def expected(a, sds, test):
    """The share of right verdicts, each experiment with its own spread: what a machine does at one time and at another differs."""
    looks = ",".join(map(str, looks_of(a, test)))
    return sum(simulated(str(a.power), round(sd, 4), test, looks)[TESTS[test][2][0]] for sd in sds) / len(sds)


def by(rows, **wanted):
    return [row for row in rows if all(row[key] == str(value) for key, value in wanted.items())]


def verdict_line(a, all_rows, test, kernel, condition, most_sd=None):
    """One row of the table of verdicts; condition None: over all of them; most_sd: only those whose spread is not larger."""
    where = {"test": test, "kernel": kernel, "condition": condition}
    rows = by(all_rows, **{key: value for key, value in where.items() if value is not None})
    if most_sd is not None:
        rows = [row for row in rows if row["sd"] and float(row["sd"]) <= most_sd]
        condition = f"SD ≤ {live.percent(most_sd)}"
    counted = [row for row in rows if row["verdict"] != "failed"]
    if not counted:
        return None
    _, _, right, _ = TESTS[test]
    n, wrong = len(counted), sum(row["wrong"] == "1" for row in counted)
    said = {word: sum(row["verdict"] == word for row in counted) for word in
            ("faster", "equivalent", "slower", "inconclusive", "void", "invalid")}
    sds, walls = live.floats(counted, "sd"), live.floats(counted, "wall_s")
    line = [test, kernel or "all", condition or "all", n, wrong, live.percent(live.clopper_pearson(wrong, n)[1]),
            "/".join(str(count) for count in said.values()) + (f" (+{len(rows) - n} failed)" if len(rows) > n else ""),
            f"{sum(live.floats(counted, 'trials')) / n:.1f}", live.percent(live.root_mean_square(sds), 2) if sds else "",
            f"{live.median(walls):.2f}"]
    if right:
        line += [live.percent(sum(row["verdict"] in right for row in counted) / n),
                 live.percent(expected(a, sds, test)) if sds and a.power.exists() else ""]
    else:
        line += ["", ""]
    return line


def print_tables(a, experiments, google):
    print(f"Looks {', '.join(map(str, a.looks))} (T1 and T2: {', '.join(map(str, a.long_looks))}); {a.blocks} blocks; samples of "
          f"{a.sample}; first seed {a.first_seed}. SD: of the log ratio between trials, root mean square over the experiments. Power "
          "expected: the rules simulated for normal differences, each experiment with its own SD.\n")
    kernels, conditions = list(KERNELS), list(live.CONDITIONS)
    lines = []
    for test in TESTS:
        groups = [(kernel, condition) for condition in conditions for kernel in kernels] + [(None, None)]
        lines += filter(None, (verdict_line(a, experiments.rows, test, kernel, condition) for kernel, condition in groups))
        if TESTS[test][2]:
            lines += filter(None, [verdict_line(a, experiments.rows, test, None, None, most_sd=0.011)])
    live.print_table(["test", "kernel", "condition", "n", "wrong", "at most (95 %)", "fast/equi/slow/inco/void/inva", "trials", "SD",
                      "median wall s", "power", "expected"], lines)
    if google is None or not google.rows:
        return
    print(f"Google Benchmark, {REPETITIONS} repetitions a side in two processes, --benchmark_min_time={a.google_min_time}, U test at "
          f"{U_TEST_ALPHA}.\n")
    lines = []
    for extra in GOOGLE_EXTRAS:
        for kernel, condition in [(k, c) for c in conditions for k in kernels] + [(None, None)]:
            rows = by(google.rows, extra_percent=extra, **({"kernel": kernel, "condition": condition} if kernel else {}))
            if not rows:
                continue
            n, called = len(rows), sum(row["called_different"] == "1" for row in rows)
            cpu = sum(row["called_different_cpu"] == "1" for row in rows)
            ratios = [100 * (ratio - 1) for ratio in live.floats(rows, "ratio")]
            lines.append([f"+{extra} %" if extra else "A/A", kernel or "all", condition or "all", n, called, live.percent(called / n),
                          live.percent(live.clopper_pearson(called, n)[1]), live.percent(cpu / n),
                          f"{min(ratios):+.1f} … {max(ratios):+.1f} %", f"{live.median(live.floats(rows, 'wall_s')):.2f}"])
    live.print_table(["pair", "kernel", "condition", "n", "different", "share", "at most (95 %)", "by CPU time", "apparent effects",
                      "median wall s"], lines)


def words(allowed):
    def convert(text):
        chosen = text.split(",")
        strange = [word for word in chosen if word not in allowed]
        if strange:
            raise argparse.ArgumentTypeError(f"{', '.join(strange)}: expected some of {', '.join(allowed)}")
        return chosen
    return convert


def numbers(text):
    return [int(word) for word in text.split(",")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="build folder")
    parser.add_argument("--out", type=Path, required=True, help="folder of the CSV files")
    parser.add_argument("--tests", type=words(TESTS), default=list(TESTS))
    parser.add_argument("--kernels", type=words(KERNELS), default=list(KERNELS))
    parser.add_argument("--conditions", type=words(live.CONDITIONS), default=list(live.CONDITIONS))
    parser.add_argument("--repeats", type=int, default=67, help="per test, kernel and condition (67: 603 a test)")
    parser.add_argument("--google-pairs", type=int, default=40, help="per kernel, condition and effect; 0: none")
    parser.add_argument("--google-min-time", default="0.05", help="seconds of a repetition")
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--sample", default="100us")
    parser.add_argument("--looks", type=numbers, default=[8, 16, 32, 64, 128])
    parser.add_argument("--long-looks", type=numbers, default=[8, 16, 32, 64], help="of T1 and T2, which go to the last nearly always")
    parser.add_argument("--budget", default="120s", help="of one experiment")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="print the tables of what is there, and measure nothing")
    a = parser.parse_args()
    a.build = a.build.resolve()
    folder = a.build / "bench" / "verdicts"
    a.assay, a.program, a.google, a.power = (a.build / "bin" / "assay", folder / "verdicts", folder / "verdicts_google",
                                             folder / "verdict_power")
    for program in (a.assay, a.program):
        if not program.exists():
            parser.error(f"{program} is not there: build with -DASSAY_BENCH=ON")
    return a


def main():
    a = arguments()
    live.stop_as_ctrl_c_does()
    settings = {"looks": a.looks, "long_looks": a.long_looks, "blocks": a.blocks, "sample": a.sample, "budget": a.budget,
                "first_seed": a.first_seed, "google_min_time": a.google_min_time}
    if a.table and (a.out / "settings.json").exists():
        vars(a).update({key: value for key, value in json.loads((a.out / "settings.json").read_text()).items() if key in settings})
    else:
        settings |= {"assay": live.digest(a.assay), "program": live.digest(a.program)}
        live.open_results(a.out, settings)
    experiments = live.Table(a.out / "experiments.csv", COLUMNS, 4)
    has_google = a.google.exists() and a.google_pairs > 0
    google = live.Table(a.out / "google.csv", GOOGLE_COLUMNS, 4) if has_google else None
    if not a.google.exists():
        print("Google Benchmark was not there when this was built; its side is left out", file=sys.stderr)
    if not a.table:
        try:
            measure(a, experiments, google)
        except KeyboardInterrupt:
            print("stopped; the same command goes on from here", file=sys.stderr)
    print_tables(a, experiments, google)


if __name__ == "__main__":
    main()
