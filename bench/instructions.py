#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the instructions of one empty iteration under callgrind: Assay's loop beside Google Benchmark's.

Each loop runs twice, with two iteration counts; what both runs spend outside the loop falls out of the difference. The number
does not depend on how busy the machine is. Exit status 1 if Assay needs more than 1.1 times as many.

usage: instructions.py PROGRAM        (the built bench/empty_iteration/empty_iteration)
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FEW, MANY = 1_000_000, 3_000_000
LIMIT = 1.1


def instructions(program, loop, count):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, loop, str(count)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return int(re.search(r"^summary: (\d+)|^totals: (\d+)", out.read_text(), re.M).group(0).split()[1])


def per_iteration(program, loop):
    return (instructions(program, loop, MANY) - instructions(program, loop, FEW)) / (MANY - FEW)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = str(Path(sys.argv[1]).resolve())
    ours, theirs = per_iteration(program, "assay"), per_iteration(program, "google")
    print(f"Assay             {ours:6.3f} instructions per empty iteration")
    print(f"Google Benchmark  {theirs:6.3f} instructions per empty iteration")
    print(f"ratio             {ours / theirs:6.3f}    at most {LIMIT} wanted")
    sys.exit(0 if ours <= LIMIT * theirs else 1)


if __name__ == "__main__":
    main()
