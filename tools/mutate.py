#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changes one thing at a time in the code that decides, and asks whether a test notices.

  tools/mutate.py --build build/release [--sample N] [--seed S] [FILE ...]

FILE: sources below src/assay/stats or src/assay/judge; without any, all of both. Each mutant is compiled alone into the work
folder (--work, by default BUILD/mutants), linked before the libraries of the build into the module's test programs, and these are
run with a time limit. The source tree is never written to. A mutant is `killed` when a test fails, crashes or runs out of its
time, `survived` when none does, `uncompiled` when it is no program. Results are kept in WORK/results.jsonl and not computed again
as long as the source file is the same, so that a run can be stopped and gone on with.

The build must hold the test programs (ninja test_stats test_stats_property test_judge). What is changed:

  compare    < to <= and >, <= to < and >=, == to !=, and so on       constant   0 to 1, 1 to 0, 2 to 1, true to false
  arithmetic + to -, * to /, += to -=                                 logic      && to ||, a condition to its opposite
  extreme    min to max, floor to ceil, all_of to any_of              swap       baseline with candidate, low with high, ...
  term       a + b to a and to b                                      statement  a statement left out
"""
import argparse
import hashlib
import json
import os
import random
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The programs that a mutant of a module has to get past, the quick ones first.
TESTS = {"stats": ["test_stats", "test_judge", "test_stats_property"], "judge": ["test_judge"]}
TEST_FOLDERS = {"test_stats": "stats", "test_stats_property": "stats", "test_judge": "judge"}

# With a blank on either side: an operator of two operands, as the formatter writes it, and no template or pointer.
OPERATORS = {
    "<": [("compare", "<="), ("compare", ">")], "<=": [("compare", "<"), ("compare", ">=")],
    ">": [("compare", ">="), ("compare", "<")], ">=": [("compare", ">"), ("compare", "<=")],
    "==": [("compare", "!=")], "!=": [("compare", "==")],
    "+": [("arithmetic", "-")], "-": [("arithmetic", "+")], "*": [("arithmetic", "/")], "/": [("arithmetic", "*")],
    "+=": [("arithmetic", "-=")], "-=": [("arithmetic", "+=")],
    "&&": [("logic", "||")], "||": [("logic", "&&")],
}
WORDS = {}
for kind, pairs in {"extreme": ["min max", "min_element max_element", "floor ceil", "all_of any_of"],
                    "constant": ["true false"],
                    "swap": ["baseline candidate", "low high", "faster slower", "first second", "above below",
                             "before after"]}.items():
    for pair in pairs:
        a, b = pair.split()
        WORDS[a], WORDS[b] = (kind, b), (kind, a)
NUMBERS = {"0": "1", "1": "0", "2": "1", "0.0": "1.0", "1.0": "0.0"}

OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|\+=|-=|&&|\|\||[<>+\-*/])(?=[ \n])")
WORD = re.compile(r"\b(" + "|".join(WORDS) + r")\b")
NUMBER = re.compile(r"(?<![\w.'])(0\.0|1\.0|[012])(?![\w.'])")
CONDITION = re.compile(r"\b(?:if|while) \(")
# One whole statement on a line, that declares nothing and returns nothing.
STATEMENT = re.compile(r"^ +(?!return\b|throw\b|using\b|case\b|else\b|if\b|for\b|while\b|const\b|auto\b|static\b|ASSAY_)"
                       r"(?:[\w.\[\]:]|->|\(\*\w+\)|\+\+|--)+(?: [-+*/|&]?= .*|\(.*\)|)(?<!\{);$", re.M)


def blanked(text):
    """The text with comments, strings and preprocessor lines blanked, at unchanged offsets."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^#[^\n]*(?:\\\n[^\n]*)*'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S | re.M)


def matching(text, start):
    """Offset of the bracket that closes the one at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if depth == 0:
            return i
    return len(text) - 1


def left_term(code, at):
    """Where the terms before the + or - at `at` begin, within the same brackets; None if there are none."""
    depth, i = 0, at - 1
    while i > 0:
        depth += (code[i] in ")]}") - (code[i] in "([{")
        if depth < 0 or depth == 0 and (code[i] in ",;=?:{}\n" or code[i - 1:i + 1] in ("< ", "> ", "&&", "||")):
            break
        i -= 1
    left = i + 1
    if code[left:at].lstrip().startswith("return"):
        left = code.index("return", left) + len("return")
    return left if code[left:at].strip() else None


def mutants_of(path):
    text = path.read_text()
    code = blanked(text)
    found = []

    def add(kind, start, end, replacement):
        found.append({"kind": kind, "start": start, "end": end, "replacement": replacement})

    for match in OPERATOR.finditer(code):
        if "+" in match.group(1) and '"' in text[max(0, match.start() - 24):match.end() + 24]:
            continue  # text, whose words no test should pin down
        for kind, replacement in OPERATORS[match.group(1)]:
            add(kind, match.start(1), match.end(1), replacement)
        if match.group(1) in ("+", "-"):
            left = left_term(code, match.start(1))
            if left is not None:
                add("term", left, match.end(1), " " if match.group(1) == "+" else " -")
    for match in WORD.finditer(code):
        kind, replacement = WORDS[match.group(1)]
        add(kind, match.start(1), match.end(1), replacement)
    for match in NUMBER.finditer(code):
        add("constant", match.start(1), match.end(1), NUMBERS[match.group(1)])
    for match in CONDITION.finditer(code):
        start = match.end() - 1
        end = matching(code, start)
        if ";" not in code[start:end]:
            add("logic", start + 1, end, f"!({text[start + 1:end]})")
    for match in STATEMENT.finditer(code):
        if match.group().strip() != ";" and match.group().count("(") == match.group().count(")"):
            add("statement", match.start() + len(match.group()) - len(match.group().lstrip()), match.end() - 1, "")
    name = str(path.relative_to(ROOT))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    for mutant in found:
        line = text.count("\n", 0, mutant["start"]) + 1
        column = mutant["start"] - text.rfind("\n", 0, mutant["start"])
        mutant |= {"file": name, "line": line, "column": column, "digest": digest,
                   "original": text[mutant["start"]:mutant["end"]]}
        mutant["id"] = f"{name}:{line}:{column} {mutant['kind']} {mutant['replacement'] or 'left out'}"
    return found


def shown(mutant):
    original = " ".join(mutant["original"].split())
    replacement = " ".join(mutant["replacement"].split()) or "nothing"
    return f"{mutant['file']}:{mutant['line']}: {mutant['kind']}: `{original}` -> `{replacement}`"


class Build:
    def __init__(self, build, work):
        self.build, self.work = build, work
        commands = subprocess.run(["ninja", "-C", str(build), "-t", "compdb"], check=True, capture_output=True, text=True).stdout
        self.compile = {os.path.realpath(build / entry["file"]): entry for entry in json.loads(commands)
                        if entry["output"].endswith(".cpp.o")}
        self.link = {name: self.link_command(name) for name in TEST_FOLDERS}
        self.limit_s = {}

    def link_command(self, name):
        program = f"tests/{TEST_FOLDERS[name]}/{name}"
        out = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", "-s", program], check=True,
                             capture_output=True, text=True).stdout
        (command,) = [part for part in out.split("&&") if f"-o {program}" in part]
        return shlex.split(command)

    def measure(self, slack, names):
        for name in names:
            start = time.monotonic()
            if self.run([str(self.build / "tests" / TEST_FOLDERS[name] / name)], 900) != 0:
                sys.exit(f"mutate.py: {name} fails without any change")
            self.limit_s[name] = 20 + slack * (time.monotonic() - start)

    @staticmethod
    def run(command, limit_s, cwd=None):
        try:
            return subprocess.run(command, cwd=cwd, timeout=limit_s, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode
        except subprocess.TimeoutExpired:
            return None

    def sources_for(self, name):
        """A source is compiled itself, a header through the sources of its module that include it."""
        path = ROOT / name
        if path.suffix == ".cpp":
            return [path]
        include = f'#include "{path.relative_to(ROOT / "src")}"'
        module = ROOT / "src/assay" / name.split("/")[2]
        return [source for source in sorted(module.glob("*.cpp")) if include in source.read_text()]

    def try_mutant(self, mutant, slot):
        folder = self.work / f"slot-{slot}"
        text = (ROOT / mutant["file"]).read_text()
        changed = text[:mutant["start"]] + mutant["replacement"] + text[mutant["end"]:]
        overlay = folder / Path(mutant["file"])
        overlay.parent.mkdir(parents=True, exist_ok=True)
        objects = []
        try:
            overlay.write_text(changed)
            for source in self.sources_for(mutant["file"]):
                entry = self.compile[os.path.realpath(source)]
                command = shlex.split(entry["command"])
                if "ccache" in Path(command[0]).name:
                    command.pop(0)
                target = folder / (source.stem + ".o")
                command[command.index("-o") + 1] = str(target)
                command[command.index("-c") + 1] = str(overlay if source == ROOT / mutant["file"] else source)
                # Found before the tree's own headers.
                command[1:1] = [f"-I{folder / 'src'}", "-w"]
                if self.run(command, 600, cwd=entry["directory"]) != 0:
                    return "uncompiled", ""
                objects.append(str(target))
            for name in TESTS[mutant["file"].split("/")[2]]:
                command = list(self.link[name])
                if "ccache" in Path(command[0]).name:
                    command.pop(0)
                out = command.index("-o")
                program = folder / name
                command[out + 1] = str(program)
                # Before the libraries, so that their own object of that source is never taken.
                command[out + 2:out + 2] = objects
                if self.run(command, 600, cwd=self.build) != 0:
                    return "uncompiled", name
                status = self.run([str(program), "--gtest_brief=1", "--gtest_fail_fast"], self.limit_s[name])
                program.unlink()
                if status != 0:
                    return "killed", name if status is not None else f"{name} (time)"
        finally:
            overlay.unlink(missing_ok=True)
        return "survived", ""


def report(results):
    files = sorted({r["file"] for r in results})
    print(f"{'file':44} killed  survived  uncompiled")
    for name in files + ["all"]:
        of_file = [r for r in results if name in ("all", r["file"])]
        count = {o: sum(r["outcome"] == o for r in of_file) for o in ("killed", "survived", "uncompiled")}
        print(f"{name:44} {count['killed']:6}  {count['survived']:8}  {count['uncompiled']:10}")
    for r in sorted((r for r in results if r["outcome"] == "survived"), key=lambda r: (r["file"], r["line"])):
        print("survived: " + shown(r))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants, drawn by --seed from all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="begin no further mutant after so long")
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    options = parser.parse_args()
    files = [Path(f).resolve() for f in options.files] or sorted(
        path for module in TESTS for path in (ROOT / "src/assay" / module).rglob("*.[ch]pp")
        if path.suffix == ".cpp" or path.parent.name == "detail")
    mutants = [mutant for path in files for mutant in mutants_of(path)]
    total = len(mutants)
    if options.sample is not None and options.sample < total:
        mutants = random.Random(options.seed).sample(mutants, options.sample)
    if options.list:
        for mutant in mutants:
            print(shown(mutant))
        print(f"{len(mutants)} of {total} mutants")
        return
    work = (options.work or options.build / "mutants").resolve()
    work.mkdir(parents=True, exist_ok=True)
    kept = work / "results.jsonl"
    known = {}
    if kept.exists():
        for line in kept.read_text().splitlines():
            result = json.loads(line)
            known[result["id"], result["digest"]] = result
    build = Build(options.build.resolve(), work)
    build.measure(4, [name for name in TEST_FOLDERS])
    results, slots = [], list(range(options.jobs))
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")

    def one(mutant):
        if (mutant["id"], mutant["digest"]) in known:
            return known[mutant["id"], mutant["digest"]]
        if time.monotonic() > until:
            return None
        slot = slots.pop()
        outcome, by = build.try_mutant(mutant, slot)
        slots.append(slot)
        mutant |= {"outcome": outcome, "by": by}
        with open(kept, "a") as file:
            file.write(json.dumps(mutant) + "\n")
        print(f"{outcome:10} {shown(mutant)}" + (f"  [{by}]" if by else ""), flush=True)
        return mutant

    with ThreadPoolExecutor(options.jobs) as pool:
        results = [result for result in pool.map(one, mutants) if result is not None]
    print(f"\n{len(results)} of {len(mutants)} drawn from {total} mutants, seed {options.seed}")
    report(results)


if __name__ == "__main__":
    main()
