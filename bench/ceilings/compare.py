#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the kernels of Assay's ceilings against those of likwid-bench: same sizes, same cores, in turns.

    bench/ceilings/compare.py build/release/bench/ceilings/ceiling_row [--pairs 12] [--passes 8] [--only REGEX]

A pair is some passes of each, one process a pass, in turns (ABAB, the next pair BABA), all of about the same length. Of each side
the best pass counts, because whatever disturbs one makes it slower. Printed for each row: both rates (the best of
all pairs), and the geometric mean over the pairs of Assay's rate ÷ likwid's with its 95 % interval (Student, of the logs). Array
sizes and how bytes are counted are those of `assay doctor --ceilings`; likwid's size is that of all streams together, as here.
"""

import argparse
import datetime
import json
import math
import os
import re
import statistics
import subprocess
import sys

# Quantiles of Student's t at 97.5 % by degrees of freedom, for few pairs.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 11: 2.201,
           12: 2.179, 14: 2.145, 15: 2.131, 19: 2.093, 24: 2.064, 29: 2.045}

ARRAYS = {"read": 1, "write": 1, "copy": 2, "triad": 3}


def likwid_test(kernel, stores, bits):
    width = {512: "avx512", 256: "avx", 128: "sse"}[bits]
    if kernel in ("f32", "f64"):
        name = {"f32": "peakflops_sp_", "f64": "peakflops_"}[kernel] + width
        return name if bits == 128 else name + "_fma"
    name = {"read": "load", "write": "store", "copy": "copy", "triad": "stream"}[kernel]
    if stores == "non-temporal":
        name += "_mem"
    name += "_" + width
    return name + "_fma" if kernel == "triad" and stores == "regular" and bits > 128 else name


def likwid(test, cores, size, iterations):
    """The rate of one run, in bytes or operations per second."""
    group = f"S0:{size}B:{cores}" if size % 1000 else f"S0:{size // 1000}kB:{cores}"
    done = subprocess.run(["likwid-bench", "-t", test, "-W", group, "-i", str(iterations)], capture_output=True, text=True)
    found = re.search(r"^MFlops/s:\s+([0-9.]+)" if test.startswith("peakflops") else r"^MByte/s:\s+([0-9.]+)", done.stdout, re.M)
    if not found:
        raise RuntimeError(f"likwid-bench -t {test} -W {group} -i {iterations}: {done.stdout[-300:]} {done.stderr[-300:]}")
    return 1e6 * float(found.group(1))


def assay(program, kernel, stores, cores, size, repeats, pages):
    words = [program, kernel, stores, ",".join(map(str, range(cores))), size, repeats, 1, pages]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True)
    return float(done.stdout)


def interval(logs):
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return mean, float("nan")
    degrees = max(d for d in STUDENT if d <= len(logs) - 1)
    return mean, STUDENT[degrees] * statistics.stdev(logs) / math.sqrt(len(logs))


def rows_of(ceilings):
    """Of one thread and of all: level, kernel, stores, threads, bytes of all arrays, rate that was measured."""
    counts = {1, len(ceilings["cores"])}
    for row in ceilings["compute"]:
        if row["threads"] in counts:
            yield "registers", row["dtype"], "none", row["threads"], 0, row["flop_per_s"]
    for row in ceilings["bandwidths"]:
        if row["threads"] in counts:
            total = row["array_bytes"] * ARRAYS[row["kernel"]]
            yield row["level"], row["kernel"], row["stores"], row["threads"], total, row["bytes_per_s"]


def compare(options, bits, level, kernel, stores, threads, total, measured):
    test = likwid_test(kernel, stores, bits)
    is_compute = level == "registers"
    pass_s = options.pass_s * (1 if level in ("registers", "L1", "L2") else 10)
    # likwid takes whole kB; the same total for both.
    total = max(total // 1000 * 1000, 1000) if not is_compute else 16000 * threads
    typical = measured["best"]
    lanes = bits // (32 if kernel == "f32" else 64)
    # A step of ours does one multiplication and addition in each lane of twelve chains.
    repeats = max(1, round(pass_s * typical / (24 * lanes * threads if is_compute else total)))
    # likwid's does fifteen of them to each element in an iteration over its array.
    elements = total / (4 if kernel == "f32" else 8)
    iterations = max(1, round(pass_s * typical / (30 * elements))) if is_compute else repeats
    logs, ours, theirs = [], [], []
    for pair in range(options.pairs):
        best = {"ours": 0.0, "theirs": 0.0}
        for _ in range(options.passes):
            for side in ("ours", "theirs") if pair % 2 == 0 else ("theirs", "ours"):
                rate = (assay(options.program, kernel, stores, threads, total, repeats, options.pages) if side == "ours"
                        else likwid(test, threads, total, iterations))
                best[side] = max(best[side], rate)
        ours.append(best["ours"])
        theirs.append(best["theirs"])
        logs.append(math.log(ours[-1] / theirs[-1]))
    mean, half = interval(logs)
    print(f"| {level} | {kernel} | {stores} | {threads} | {total if not is_compute else '–'} | {test} | {max(ours) / 1e9:.1f} | "
          f"{max(theirs) / 1e9:.1f} | {math.exp(mean):.3f} | {math.exp(mean - half):.3f} to {math.exp(mean + half):.3f} | "
          f"{max(ours) / max(theirs):.3f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="ceiling_row, as it was built")
    parser.add_argument("--ceilings", default=None, help="ceilings.json; default: in the state directory")
    parser.add_argument("--pairs", type=int, default=12)
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--pass-s", type=float, default=0.003,
                        help="about how long a pass takes in registers, L1 and L2; farther away ten times as long, because\n"
                             "likwid-bench has no untimed first pass")
    parser.add_argument("--pages", choices=["large", "as-they-come"], default="as-they-come",
                        help="of Assay's arrays; likwid-bench asks for no large ones, `assay doctor --ceilings` does")
    parser.add_argument("--only", default="", help="rows whose 'level kernel stores threads' matches")
    options = parser.parse_args()
    state = os.environ.get("ASSAY_STATE_DIR", os.path.expanduser("~/.local/state/assay"))
    with open(options.ceilings or os.path.join(state, "ceilings.json")) as file:
        machine = [each for each in json.load(file)["machines"] if each["device"] == "cpu"][-1]
    bits = int(subprocess.run([options.program, "--vector-bits"], capture_output=True, text=True, check=True).stdout)
    print(f"{datetime.date.today()}, {machine['environment']['processor'].get('value', '?')}, load average "
          f"{os.getloadavg()[0]:.1f}; pages: {options.pages}; {options.pairs} pairs of {options.passes} passes of {options.pass_s * 1e3:.0f} ms\n")
    print("| level | kernel | stores | threads | bytes | likwid-bench | Assay, G/s | likwid, G/s | ratio | 95 % | best ÷ best |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for row in rows_of(machine["ceilings"]):
        if "best" not in row[5] or not re.search(options.only, f"{row[0]} {row[1]} {row[2]} {row[3]}"):
            continue
        try:
            compare(options, bits, *row)
        except RuntimeError as error:
            print(f"| {row[0]} | {row[1]} | {row[2]} | {row[3]} | not compared: {error} |", file=sys.stderr)
    print(f"\nload average at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
