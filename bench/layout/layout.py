#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the place of code in memory does to a verdict, and what layouts and alignment do about it, live.

  layout.py BUILD --out FOLDER [OPTION ...]

BUILD is a build folder (Ninja) with the benches in it; lld, objcopy and nm are needed. Two subjects have the same source, inlined
into two functions, in several shapes by turns (layout.cpp): faster and slower are false about the source. Every experiment links the
program anew from the same object files, with its sections in an order drawn from seeds of its own, and is a whole `assay run` with
one primary at a margin of 1 %:

  default-1    the compiler's own alignment, one layout: what any harness measures
  default-16   the same object files, 16 layouts ([layout] replicates = 16)
  aligned-1    functions and loops aligned as assay_add_program does it, one layout

Each finished experiment is a row of FOLDER/layout.csv; started again, it goes on where it stopped. At the end, and after Ctrl-C, it
prints the table.
"""
import argparse
import concurrent.futures
import datetime
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import live  # noqa: E402

ARMS = {"default-1": ("layout_default", 1), "default-16": ("layout_default", 16), "aligned-1": ("layout_aligned", 1)}
SHUFFLED = (".text*", ".rodata*", ".data*", ".bss*")  # as in cmake/AssayProgram.cmake
WRONG = ("faster", "slower")

EXPERIMENT = """\
name = "layout"
program = "{program}"
baseline = "first"

[question]
decision = "Whether a verdict speaks of the source."
question = "Are two subjects of one source called equivalent?"
hypothesis = "They are the same source, so they take the same time."
if_supported = "The verdict speaks of the source."
if_rejected = "It speaks of where the code lies."

[[prediction]]
candidate = "second"
ratio = [0.99, 1.01]
because = "It is the same source."

[protocol]
state = ["warm"]
looks = [{looks}]
margin = {margin}
noise_floor = "ignore"
blocks = {blocks}
sample = "{sample}"
budget = "{budget}"
seed = {seed}

[layout]
replicates = {layouts}

[cases]
shape = [{shape}]
"""

COLUMNS = ["arm", "repeat", "shape", "seed", "first_link_seed", "layouts", "verdict", "wrong", "trials", "sd", "ratio", "low", "high",
           "confidence_level", "says_this_build", "layout_single", "link_s", "wall_s", "other_cores", "steal", "exit_status", "ended_utc",
           "reason"]


class Linker:
    """Links a target of the build again and again, in other orders. The command is the build's own; the inputs are copies without
    debug information, which would take most of the time."""

    def __init__(self, build, target, folder):
        self.build = build
        commands = subprocess.run(["ninja", "-C", str(build), "-t", "commands", f"bench/layout/{target}"], capture_output=True,
                                  text=True, check=True).stdout.splitlines()
        words = [word for word in shlex.split(commands[-1]) if word not in (":", "&&")]
        if "-o" not in words:
            sys.exit(f"the last command of {target} is no link: {commands[-1]}")
        at = words.index("-o")
        words = words[:at] + words[at + 2:]
        copies = folder / target
        copies.mkdir()
        self.words = []
        for number, word in enumerate(words):
            if word.endswith((".o", ".a")) and (build / word).exists():
                copy = copies / f"{number}-{Path(word).name}"
                subprocess.run(["objcopy", "--strip-debug", str(build / word), str(copy)], check=True)
                word = str(copy)
            self.words.append(word)
        # -fuse-ld=lld looks for the plain name, and some systems have only ld.lld-14.
        lld = next(filter(None, map(shutil.which, ["ld.lld", *(f"ld.lld-{version}" for version in range(14, 22))])), None)
        if lld is None:
            sys.exit("there is no ld.lld in PATH; install lld")
        (copies / "ld.lld").symlink_to(lld)
        self.words += [f"-B{copies}", "-fuse-ld=lld"]

    def link(self, output, seed):
        orders = [f"-Wl,--shuffle-sections={sections}={seed}" for sections in SHUFFLED]
        done = subprocess.run([*self.words, *orders, "-o", str(output)], cwd=self.build, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"linking {output} failed:\n{done.stderr}")

    def check(self, folder):
        """The two functions must lie in two places, and the two orders of linking must differ."""
        places = []
        for seed in (1, 2):
            self.link(folder / f"check-{seed}", seed)
            symbols = subprocess.run(["nm", "-C", str(folder / f"check-{seed}")], capture_output=True, text=True, check=True).stdout
            places.append([line.split()[0] for line in symbols.splitlines()
                           if "store_sum<" in line and ", 0>(" in line and "[clone" not in line])
        if any(len(set(place)) != 2 for place in places) or places[0] == places[1]:
            sys.exit(f"the compiler folded the two functions, or the linker did not move them: {places}")


def one_experiment(a, table, linkers, pool, arm, repeat):
    target, layouts = ARMS[arm]
    seed = live.seed_of(a.first_seed, arm, repeat)
    link_seeds = [live.seed_of(a.first_seed, arm, repeat, layout) % (2**31 - 1) + 1 for layout in range(layouts)]
    shape = a.shapes[repeat % len(a.shapes)]
    row = dict(arm=arm, repeat=repeat, shape=shape, seed=seed, first_link_seed=link_seeds[0], layouts=layouts)
    with tempfile.TemporaryDirectory(prefix="assay-layout-") as name:
        program = Path(name) / "program"
        outputs = [program] if layouts == 1 else [Path(f"{program}.layout-{number + 1}") for number in range(layouts)]
        start = time.monotonic()
        list(pool.map(linkers[target].link, outputs, link_seeds))
        if layouts > 1:
            shutil.copy(outputs[0], program)
        row["link_s"] = round(time.monotonic() - start, 2)
        looks = [8, 16] if layouts > 1 else a.looks
        text = EXPERIMENT.format(program=program, looks=", ".join(map(str, looks)), margin=a.margin, blocks=a.blocks,
                                 sample=a.sample, budget=a.budget, seed=seed, layouts=layouts, shape=shape)
        try:
            result, facts = live.run_experiment(a.assay, text)
            (comparison,) = result["comparisons"]
            row |= live.comparison_fields(comparison) | facts
            row["wrong"] = int(comparison["verdict"] in WRONG)
            row["says_this_build"] = int(any("this build" in json.dumps(claim) for claim in result["claims"]))
            row["layout_single"] = int(any(finding["slug"] == "layout.single" for finding in result["findings"]))
        except live.Failed as error:
            row |= {"verdict": "failed", "reason": str(error)}
    table.add(**row, ended_utc=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"))
    print(f"{arm:12}{repeat:4}  {row['verdict']:12} ratio {row.get('ratio', '')!s:8.8}  linked in {row['link_s']} s, run in "
          f"{row.get('wall_s', '')} s", file=sys.stderr)


def print_table(a, table):
    print(f"Margin {live.percent(a.margin)}; looks {', '.join(map(str, a.looks))} (8, 16 layouts); {a.blocks} blocks; samples of "
          f"{a.sample}; first seed {a.first_seed}. wrong: called faster or slower. SD: between trials, or between layouts.\n")
    lines = []
    for arm in ARMS:
        everything = [row for row in table.rows if row["arm"] == arm]
        rows = [row for row in everything if row["verdict"] != "failed"]
        if not rows:
            continue
        n, wrong = len(rows), sum(row["wrong"] == "1" for row in rows)
        said = [sum(row["verdict"] == word for row in rows) for word in ("faster", "equivalent", "slower", "inconclusive", "void")]
        ratios = [100 * (ratio - 1) for ratio in live.floats(rows, "ratio")]
        lines.append([arm, n, *said, len(everything) - n, live.percent(wrong / n), live.percent(live.clopper_pearson(wrong, n)[1]),
                      f"{min(ratios):+.2f} … {max(ratios):+.2f} %" if ratios else "",
                      live.percent(live.root_mean_square(live.floats(rows, "sd") or [0]), 2),
                      sum(row["says_this_build"] == "1" for row in rows), sum(row["layout_single"] == "1" for row in rows),
                      f"{live.median(live.floats(rows, 'link_s')):.1f} + {live.median(live.floats(rows, 'wall_s')):.1f}"])
    live.print_table(["arm", "n", "faster", "equivalent", "slower", "inconclusive", "void", "failed", "wrong", "at most (95 %)", "ratios",
                      "SD", "\"this build\"", "layout.single", "link + run s"], lines)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="build folder")
    parser.add_argument("--out", type=Path, required=True, help="folder of the CSV file")
    parser.add_argument("--arms", default=",".join(ARMS), help="some of " + ",".join(ARMS))
    parser.add_argument("--shapes", type=lambda text: [int(word) for word in text.split(",")], default=[3, 4, 5, 6, 7],
                        help="some of 0 to 15, taken by turns; GCC 12 leaves the loops of 3 to 7 unaligned")
    parser.add_argument("--repeats", type=int, default=40, help="experiments of each arm")
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--sample", default="100us")
    parser.add_argument("--margin", type=float, default=0.01)
    parser.add_argument("--looks", type=lambda text: [int(word) for word in text.split(",")], default=[8, 16, 32, 64],
                        help="of the arms with one layout")
    parser.add_argument("--budget", default="120s", help="of one experiment")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="print the table of what is there, and measure nothing")
    a = parser.parse_args()
    a.build = a.build.resolve()
    a.assay = a.build / "bin" / "assay"
    a.arms = a.arms.split(",")
    if not set(a.arms) <= set(ARMS):
        parser.error(f"--arms: expected some of {', '.join(ARMS)}")
    return a


def main():
    a = arguments()
    live.stop_as_ctrl_c_does()
    settings = {"blocks": a.blocks, "sample": a.sample, "margin": a.margin, "looks": a.looks, "budget": a.budget,
                "first_seed": a.first_seed, "shapes": a.shapes}
    if a.table and (a.out / "settings.json").exists():
        vars(a).update({key: value for key, value in json.loads((a.out / "settings.json").read_text()).items() if key in settings})
    else:
        programs = {target: live.digest(a.build / "bench" / "layout" / target) for target, _ in ARMS.values()}
        live.open_results(a.out, settings | programs | {"assay": live.digest(a.assay)})
    table = live.Table(a.out / "layout.csv", COLUMNS, 2)
    if not a.table:
        with tempfile.TemporaryDirectory(prefix="assay-link-") as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
            linkers = {}
            for target in {ARMS[arm][0] for arm in a.arms}:
                linkers[target] = Linker(a.build, target, Path(name))
                linkers[target].check(Path(name))
            try:
                for repeat in range(a.repeats):
                    for arm in a.arms:
                        if not table.has(arm, repeat):
                            one_experiment(a, table, linkers, pool, arm, repeat)
            except KeyboardInterrupt:
                print("stopped; the same command goes on from here", file=sys.stderr)
    print_table(a, table)


if __name__ == "__main__":
    main()
