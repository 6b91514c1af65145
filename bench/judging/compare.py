#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What judging costs Assay, and what the same analysis costs as a NumPy and SciPy script, side by side.

  compare.py BUILD [--repeats 3] [--python PYTHON] [--kinds one,cells]

BUILD has bench/judging/judging; PYTHON has what analyse.py needs. Writes each record once, checks that both find the
same in it, then runs both in turns. A run judges twice, and the better one counts, since the first also pays for what
is loaded late. Prints the least of all runs and the median: seconds of the processor (user and system) and of the
clock, and the peak memory of the process.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).with_name("analyse.py")
TIME = re.compile(r"^(\w+) +([\d.]+) s +([\d.]+) s of the processor$", re.MULTILINE)
PEAK = re.compile(r"peak ([\d.]+) MB")


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def measured(out):
    """{what: (clock, processor)}, the better of several; and MB."""
    times = {}
    for what, clock, processor in TIME.findall(out):
        best = times.get(what, (float("inf"), float("inf")))
        times[what] = (min(best[0], float(clock)), min(best[1], float(processor)))
    return times, max(map(float, PEAK.findall(out)))


def both(first, second):
    return tuple(a + b for a, b in zip(first, second))


def compare(kind, program, python, repeats):
    with tempfile.TemporaryDirectory() as folder:
        record = run(program, kind, "write", folder).strip()
        checked = subprocess.run([python, str(SCRIPT), record, "--check"], capture_output=True, text=True)
        print(f"{kind}: {next((line for line in checked.stdout.splitlines() if 'compared' in line), checked.stderr)}")
        rows = {"from memory": ([], []), "from the file": ([], [])}
        peaks = ([], [])
        for _ in range(repeats):
            of_memory, of_assay = measured(run(program, kind, "memory", 2))
            of_file, _ = measured(run(program, kind, "file", record))
            of_script, of_python = measured(run(python, SCRIPT, record, 2))
            rows["from memory"][0].append(of_memory["judge"])
            rows["from memory"][1].append(of_script["analyse"])
            rows["from the file"][0].append(both(of_file["open"], of_file["judge"]))
            rows["from the file"][1].append(both(of_script["read"], of_script["analyse"]))
            peaks[0].append(of_assay)
            peaks[1].append(of_python)
        for what, (assay, script) in rows.items():
            for i, clock in ((1, "processor"), (0, "clock")):
                a, s = sorted(t[i] for t in assay), sorted(t[i] for t in script)
                print(f"| {kind}, {what}, s of the {clock} | {a[0]:.2f} ({statistics.median(a):.2f}) | "
                      f"{s[0]:.2f} ({statistics.median(s):.2f}) | {s[0] / a[0]:.1f} |")
        a, s = max(peaks[0]), max(peaks[1])
        print(f"| {kind}, peak memory, MB | {a:.0f} | {s:.0f} | {s / a:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--kinds", default="one,cells")
    arguments = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; "
          f"{arguments.repeats} runs of each, in turns; least (median)")
    for kind in arguments.kinds.split(","):
        compare(kind, arguments.build / "bench/judging/judging", arguments.python, arguments.repeats)
    print(f"load average at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
