#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Executes the fenced blocks of a Markdown page, so that what a page says is what happens.

What counts is what follows the backquotes of a fence:

  ```cpp file=sums/sums.cpp      the block is written to that file (any language); folders are made
  ```sh test                     the block is run by bash -e, in the folder where the files lie
  ```sh test exit=10             the same; the exit status must be that one (exit=any: whichever)
  ```console output              the last command's output must contain these lines, in this order

In an `output` block "…" stands for anything within a line, and a line of nothing but "…" for any number of lines; runs of
blanks count as one. Other blocks are for readers only.

usage: run_blocks.py --assay-build BUILD PAGE.md ...

BUILD is installed into a scratch folder first, as a reader would install it; that folder comes first in PATH and in
CMAKE_PREFIX_PATH.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(\S+)(?: +(.*))?$")
LONGEST_S = 300


@dataclass
class Block:
    language: str
    words: list
    line: int
    text: list = field(default_factory=list)

    def option(self, name):
        values = [word.split("=", 1)[1] for word in self.words if word.startswith(name + "=")]
        return values[0] if values else None


def blocks_of(page):
    blocks, current = [], None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if current is None:
            opening = FENCE.match(line)
            if opening:
                current = Block(opening.group(1), (opening.group(2) or "").split(), number)
            elif line.startswith("```"):
                current = Block("", [], number)
        elif line.rstrip() == "```":
            blocks.append(current)
            current = None
        else:
            current.text.append(line)
    if current is not None:
        raise SystemExit(f"{page}:{current.line}: this block has no end")
    return blocks


def squeezed(line):
    return " ".join(line.split())


def line_matches(pattern, line):
    parts = [re.escape(part) for part in squeezed(pattern).split("…")]
    return re.fullmatch(".*".join(parts), squeezed(line)) is not None


def missing_line(wanted, output):
    """The first wanted line that the output does not have in its place; None if all are there."""
    position, gap = 0, True  # before the first wanted line anything may stand
    for pattern in wanted:
        if pattern.strip() == "…":
            gap = True
            continue
        if not pattern.strip():
            continue
        while position < len(output) and not line_matches(pattern, output[position]):
            if not gap and output[position].strip():
                return pattern
            position += 1
        if position == len(output):
            return pattern
        position += 1
        gap = False
    return None


def run_page(page, folder, environment):
    """Returns what went wrong, or None."""
    output, ran = [], 0
    for block in blocks_of(page):
        where = f"{page}:{block.line}"
        text = "\n".join(block.text) + "\n"
        if block.option("file"):
            file = folder / block.option("file")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif block.language == "sh" and "test" in block.words:
            try:
                done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], cwd=folder, env=environment,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      timeout=LONGEST_S)
            except subprocess.TimeoutExpired:
                return f"{where}: did not end within {LONGEST_S} s:\n{text}"
            said = done.stdout.decode("utf-8", "replace")
            print(f"--- {where}, exit status {done.returncode}\n{text}{said}")
            output = said.splitlines()
            wanted = block.option("exit") or "0"
            if wanted != "any" and str(done.returncode) != wanted:
                return f"{where}: exit status {done.returncode}, the page says {wanted}"
            ran += 1
        elif block.language == "console" and "output" in block.words:
            absent = missing_line(block.text, output)
            if absent is not None:
                return f"{where}: not in the output of the command before it, or not in this place:\n{absent}"
    return None if ran else f"{page}: no block of this page was run"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--assay-build", type=Path, required=True)
    parser.add_argument("pages", type=Path, nargs="+")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="assay-docs-") as scratch:
        prefix = Path(scratch) / "prefix"
        subprocess.run(["cmake", "--install", str(arguments.assay_build), "--prefix", str(prefix)], check=True,
                       stdout=subprocess.DEVNULL)
        environment = dict(os.environ, NO_COLOR="1", CMAKE_PREFIX_PATH=str(prefix), HOME=scratch,
                           ASSAY_STATE_DIR=str(Path(scratch) / "state"))
        environment["PATH"] = f"{prefix / 'bin'}{os.pathsep}{environment['PATH']}"
        wrong = []
        for page in arguments.pages:
            folder = Path(scratch) / page.stem
            folder.mkdir()
            trouble = run_page(page, folder, environment)
            if trouble:
                wrong.append(trouble)
    for trouble in wrong:
        print(f"FAILED {trouble}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
