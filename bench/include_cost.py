#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What including <assay/assay.hpp> costs a file: the compiler's user time for a file of that line, less that for an empty one.

    bench/include_cost.py --turns 15                    # nvcc and the host compiler
    bench/include_cost.py --nvcc "" --header functional # what one header of the standard library costs

Each turn compiles both files, in random order. Printed: the median of the differences, their quartiles, and the medians of both. Time of
the processor, not of the clock: what else the machine does still makes it longer, by a few percent.
"""

import argparse
import pathlib
import random
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "src"


def user_s(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def cost_of(command, suffix, include, turns, draw):
    """(with, without) of each turn, in seconds."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        files = {True: folder / f"with{suffix}", False: folder / f"without{suffix}"}
        files[True].write_text(f"{include}\n")
        files[False].write_text("\n")
        output = str(folder / "out.o")
        pairs = []
        for turn in range(turns + 1):
            taken = {}
            for kind in draw.sample([True, False], 2):
                taken[kind] = user_s([*command, "-c", str(files[kind]), "-o", output])
            if turn > 0:  # the first brings the compiler into memory
                pairs.append((taken[True], taken[False]))
    return pairs


def row(name, pairs):
    differences = sorted(one - other for one, other in pairs)
    low, middle, high = statistics.quantiles(differences, n=4)
    print(f"{name:32} {middle:.3f} s  ({low:.3f} to {high:.3f})   with {statistics.median(one for one, _ in pairs):.3f}, "
          f"without {statistics.median(other for _, other in pairs):.3f}, {len(pairs)} turns")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source", default=SOURCE, help="where the headers are: a folder src of this or of an older tree")
    parser.add_argument("--header", default="assay/assay.hpp", help="what is included")
    parser.add_argument("--nvcc", default="nvcc -x cu -std=c++17 -arch=sm_90", help="empty: leave it out")
    parser.add_argument("--cxx", default="c++ -std=c++17 -O2", help="empty: leave it out")
    arguments = parser.parse_args()
    if arguments.turns < 2:
        parser.error("--turns: two at least")
    draw = random.Random(arguments.seed)
    for command, suffix in ((arguments.nvcc, ".cu"), (arguments.cxx, ".cpp")):
        if not command:
            continue
        words = [*shlex.split(command), f"-I{arguments.source}"]
        row(command.split()[0] + " " + arguments.header,
            cost_of(words, suffix, f"#include <{arguments.header}>", arguments.turns, draw))
    return 0


if __name__ == "__main__":
    sys.exit(main())
