#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often the verdict is wrong, on this machine, now.

Repeats a small experiment of which the truth is known: "a2" is "a" under another name, "b" does 5 % more of the same work. Each
repetition is a whole `assay run` with its own seed in a folder of its own. Prints what was said how often.

Exit status 1 if a2 was called faster or slower in more than a tenth of the repetitions, or b slower in fewer than 95 % of them.
"""
import argparse
import collections
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXPERIMENT = """\
name = "known-difference"
program = "{program}"
baseline = "a"

[question]
decision = "Whether this machine's verdicts can be trusted."
question = "Is a2 called equivalent and b slower?"
hypothesis = "a2 is the same code as a; b adds up a twentieth of the array a second time."
if_supported = "Trust the verdicts."
if_rejected = "Find out what disturbs them."

[[prediction]]
candidate = "a2"
ratio = [0.99, 1.01]
because = "It is the same function."

[[prediction]]
candidate = "b"
ratio = [1.03, 1.07]
because = "It does 5 % more of the same work."

[protocol]
state = ["warm"]
margin = 0.01
noise_floor = "ignore"
seed = {seed}
budget = "{budget}"
"""


def repeat(arguments, seed, folder):
    """One experiment: (verdicts by subject, trials by subject, ratios by subject, seconds)."""
    file = folder / "experiment.toml"
    file.write_text(EXPERIMENT.format(program=arguments.program.resolve(), seed=seed, budget=arguments.budget))
    start = time.monotonic()
    done = subprocess.run([str(arguments.assay.resolve()), "run", str(file)], cwd=folder, capture_output=True, text=True)
    took = time.monotonic() - start
    results = list(folder.glob("records/*/data/result.json"))
    if len(results) != 1:
        sys.exit(f"repetition {seed}: `assay run` left {len(results)} results, exit status {done.returncode}\n{done.stderr}")
    comparisons = json.loads(results[0].read_text())["comparisons"]
    verdicts = {c["candidate"]: c["verdict"] for c in comparisons}
    looks = {c["candidate"]: c["look"] for c in comparisons}
    ratios = {c["candidate"]: c["ratio"].get("value") for c in comparisons}
    return verdicts, looks, ratios, took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay", type=Path, help="the built assay command")
    parser.add_argument("program", type=Path, help="the built bench/error_rate/error_rate")
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--budget", default="120s", help="of one repetition")
    arguments = parser.parse_args()

    counts = {"a2": collections.Counter(), "b": collections.Counter()}
    trials = {"a2": [], "b": []}
    ratios = {"a2": [], "b": []}
    seconds = []
    for number in range(arguments.repeats):
        try:
            with tempfile.TemporaryDirectory(prefix="assay-error-rate-") as folder:
                verdicts, looks, ratio, took = repeat(arguments, arguments.first_seed + number, Path(folder))
        except KeyboardInterrupt:
            print(f"stopped after {number} of {arguments.repeats}", file=sys.stderr)
            break
        for subject in counts:
            counts[subject][verdicts[subject]] += 1
            trials[subject].append(looks[subject])
            if ratio[subject] is not None:
                ratios[subject].append(ratio[subject])
        seconds.append(took)
        print(f"{number + 1:3} of {arguments.repeats}: a2 {verdicts['a2']}, b {verdicts['b']}, {took:.1f} s", file=sys.stderr)

    if not seconds:
        sys.exit("no experiment was finished")
    words = ["faster", "equivalent", "slower", "inconclusive", "void", "invalid"]
    print(f"{'':24}" + "".join(f"{word:>14}" for word in words) + f"{'mean trials':>14}{'ratios':>16}")
    for subject, title in (("a2", "a2, the same code"), ("b", "b, 5 % more work")):
        line = "".join(f"{counts[subject][word]:>14}" for word in words)
        mean = sum(trials[subject]) / len(trials[subject])
        span = f"{min(ratios[subject]):.3f} … {max(ratios[subject]):.3f}" if ratios[subject] else "none"
        print(f"{title:24}{line}{mean:>14.1f}{span:>16}")
    print(f"{len(seconds)} experiments, {sum(seconds) / len(seconds):.1f} s each on average, {max(seconds):.1f} s at most")

    wrong = counts["a2"]["faster"] + counts["a2"]["slower"]
    found = counts["b"]["slower"]
    sys.exit(0 if wrong <= 0.1 * len(seconds) and found >= 0.95 * len(seconds) else 1)


if __name__ == "__main__":
    main()
