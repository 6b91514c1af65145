#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In-kernel times beside those of a record.

  bench/gpu/truth.py FOLDER RECORD

FOLDER holds the truth-PID.csv files of the processes that made RECORD (ASSAY_BENCH_TRUTH), and of no others. Calls outside
samples (checks, warm-up) are among them, so that only medians are compared; a record with one state keeps them comparable.
Prints CSV: problem,case,state,timer,subject,in_kernel_median_ns,calls,record_median_ns,samples,difference_ns
"""
import argparse
import collections
import csv
import pathlib
import re
import statistics
import sys


def in_kernel(folder):
    """Durations by (subject, value)."""
    files = sorted(folder.glob("truth-*.csv"))
    if not files:
        raise SystemExit(f"truth.py: there is no truth-PID.csv in {folder}: run the program with ASSAY_BENCH_TRUTH={folder}")
    times = collections.defaultdict(list)
    for path in files:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                times[row["subject"], int(row["value"])].append(int(row["end_ns"]) - int(row["start_ns"]))
    return times


def recorded(record):
    """Times of an iteration by (problem, case, state, timer, subject)."""
    path = record / "data" / "samples.csv"
    if not path.is_file():
        raise SystemExit(f"truth.py: {record} is no record: there is no {path}")
    times = collections.defaultdict(list)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["phase"] == "measure" and row["trial"] != "0":
                key = tuple(row[name] for name in ("problem", "case", "state", "timer", "subject"))
                times[key].append(float(row["interval_ns"]) / float(row["iterations"]))
    return times


def truth_of(case, subject, times):
    """The in-kernel times of a subject's case; the control runs the code of the first subject, under the latter's name."""
    value = re.search(r"=(\d+)$", case)
    if value is None:
        return []
    value = int(value.group(1))
    if subject == "b":
        value = value * 101 // 100
    names = [subject] if subject != "control" else ["a", "spin", "reduce"]
    return next((times[name, value] for name in names if (name, value) in times), [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("record", type=pathlib.Path)
    arguments = parser.parse_args()
    times = in_kernel(arguments.folder)
    table = csv.writer(sys.stdout)
    table.writerow(["problem", "case", "state", "timer", "subject", "in_kernel_median_ns", "calls", "record_median_ns", "samples",
                    "difference_ns"])
    for key, samples in sorted(recorded(arguments.record).items()):
        seen = truth_of(key[1], key[4], times)
        said = statistics.median(samples)
        if seen:
            truth = statistics.median(seen)
            table.writerow([*key, f"{truth:.0f}", len(seen), f"{said:.1f}", len(samples), f"{said - truth:.1f}"])
        else:
            table.writerow([*key, "", 0, f"{said:.1f}", len(samples), ""])
    return 0


if __name__ == "__main__":
    sys.exit(main())
