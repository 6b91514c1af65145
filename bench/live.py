# SPDX-License-Identifier: MIT
"""What the live benches share: one experiment by the real command, loads beside it, tables that a restart continues, and the
few statistics that their tables need. The standard library alone, so that they run wherever Assay does."""
import contextlib
import csv
import hashlib
import json
import math
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


# ---- statistics

def clopper_pearson(wrong, of, level=0.95):
    """The two-sided interval of a rate (Biometrika 26, 1934)."""
    def crossing(holds):  # the p where holds(p) turns from true to false
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    def log_pmf(k, p):
        return (math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1)
                + k * math.log(p) + (of - k) * math.log1p(-p))

    def at_most(k, p):
        return math.fsum(math.exp(log_pmf(i, p)) for i in range(k + 1))

    tail = (1 - level) / 2
    if of == 0:
        return 0.0, 1.0
    lower = 0.0 if wrong == 0 else crossing(lambda p: p == 0 or 1 - at_most(wrong - 1, p) < tail)
    upper = 1.0 if wrong == of else crossing(lambda p: p == 0 or at_most(wrong, p) > tail)
    return lower, upper


def u_test(x, y):
    """Two-sided p of the Mann-Whitney U test, with SciPy's choice of method: exact where a side has at most eight values and
    none tie, else the normal approximation with corrections for ties and continuity."""
    n1, n2 = len(x), len(y)
    pooled = sorted([(value, 0) for value in x] + [(value, 1) for value in y])
    rank_sum, ties, at = 0.0, 0, 0
    while at < len(pooled):
        end = at
        while end < len(pooled) and pooled[end][0] == pooled[at][0]:
            end += 1
        rank_sum += (at + 1 + end) / 2 * sum(1 for value in pooled[at:end] if value[1] == 0)
        ties += (end - at) ** 3 - (end - at)
        at = end
    u = rank_sum - n1 * (n1 + 1) / 2
    u = max(u, n1 * n2 - u)
    if min(n1, n2) <= 8 and ties == 0:
        # How many of all orders give each U: the generating function, one value of x at a time.
        counts = [1] + [0] * (n1 * n2)
        for k in range(1, n1 + 1):
            for i in range(n1 * n2, n2 + k - 1, -1):
                counts[i] -= counts[i - n2 - k]
            for i in range(k, n1 * n2 + 1):
                counts[i] += counts[i - k]
        return min(1.0, 2 * sum(counts[int(u):]) / math.comb(n1 + n2, n1))
    n = n1 + n2
    variance = n1 * n2 / 12 * ((n + 1) - ties / (n * (n - 1)))
    if variance == 0:
        return 1.0
    z = (u - n1 * n2 / 2 - 0.5) / math.sqrt(variance)
    return min(1.0, math.erfc(z / math.sqrt(2)))


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def standard_deviation(values):
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def root_mean_square(values):
    return math.sqrt(math.fsum(value * value for value in values) / len(values))


def seed_of(*names):
    """A seed that a number, a test and a repetition imply, readable as a number in every language."""
    return int.from_bytes(hashlib.sha256("/".join(map(str, names)).encode()).digest()[:6], "big")


# ---- loads

def stop_as_ctrl_c_does():
    """SIGTERM ends a bench in good order too."""
    def interrupt(number, frame):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, interrupt)


def spin_until(end):
    while time.monotonic() < end:
        for _ in range(1000):
            pass


def keep_busy(parent, core):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.sched_setaffinity(0, {core})
    while os.getppid() == parent:
        spin_until(time.monotonic() + 0.2)


def burst(parent, cores, seed):
    """50-500 ms of work and as long a pause, each burst on the next core."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    drawn = random.Random(seed)
    turn = 0
    while os.getppid() == parent:
        os.sched_setaffinity(0, {cores[turn % len(cores)]})
        spin_until(time.monotonic() + drawn.uniform(0.05, 0.5))
        time.sleep(drawn.uniform(0.05, 0.5))
        turn += 1


CONDITIONS = {"idle": "nothing else runs", "busy": "a process spins on the last core",
              "bursts": "50-500 ms of work and as long a pause, on all cores in turn"}


@contextlib.contextmanager
def load(condition, seed):
    """Runs the load of a condition; it also ends by itself when this process is gone."""
    cores = sorted(os.sched_getaffinity(0))
    target = {"idle": None, "busy": keep_busy, "bursts": burst}[condition]
    if target is None:
        yield
        return
    arguments = (os.getpid(), cores[-1]) if condition == "busy" else (os.getpid(), cores, seed)
    process = multiprocessing.get_context("fork").Process(target=target, args=arguments, daemon=True)
    process.start()
    try:
        time.sleep(0.3)  # the scheduler takes a moment to get used to it
        yield
    finally:
        process.terminate()
        process.join()


class Neighbours:
    """How many cores others kept busy meanwhile, and what share of the time the hypervisor took: what "idle" is worth."""

    def __init__(self):
        self.wall, self.busy, self.stolen, self.own = self.read()

    @staticmethod
    def read():
        try:
            fields = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
        except OSError:
            return time.monotonic(), None, None, None
        tick = os.sysconf("SC_CLK_TCK")
        user, nice, system, _, _, irq, softirq, steal = fields[:8]
        own = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return time.monotonic(), (user + nice + system + irq + softirq) / tick, steal / tick, own

    def since(self):
        wall, busy, stolen, own = self.read()
        if busy is None or self.busy is None or wall <= self.wall:
            return "", ""
        span = wall - self.wall
        others = (busy - self.busy - (own - self.own)) / span
        return round(max(0.0, others), 3), round((stolen - self.stolen) / span, 4)


# ---- experiments

class Failed(Exception):
    pass


def run_experiment(assay, text, keep=None, filter_=None, arguments=()):
    """One `assay run` of this experiment file in a folder of its own. Returns (result.json, facts); `keep(record)`, if given,
    is called before the record is removed and its result joins the facts."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
        folder = Path(name)
        (folder / "experiment.toml").write_text(text)
        command = [str(assay), "run", "experiment.toml", *(["--filter", filter_] if filter_ else []), *arguments]
        neighbours, start = Neighbours(), time.monotonic()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        wall_s = time.monotonic() - start
        others, stolen = neighbours.since()
        results = list(folder.glob("records/*/data/result.json"))
        if len(results) != 1:
            raise Failed(f"`assay run` left {len(results)} results, exit status {done.returncode}: {done.stderr.strip()[-600:]}")
        result = json.loads(results[0].read_text())
        facts = {"wall_s": round(wall_s, 3), "exit_status": done.returncode, "other_cores": others, "steal": stolen}
        if keep is not None:
            facts["kept"] = keep(results[0].parent)
        return result, facts


def value_of(reading):
    """A reading's value, or "" where it is missing: an empty field, never a number."""
    return reading.get("value", "")


def comparison_fields(comparison):
    """The columns of one comparison."""
    interval = comparison["ratio_interval"].get("value", {})
    return {"verdict": comparison["verdict"], "trials": comparison["look"], "sd": value_of(comparison["sd_log_ratio"]),
            "ratio": value_of(comparison["ratio"]), "low": interval.get("low", ""), "high": interval.get("high", ""),
            "confidence_level": comparison["confidence_level"], "reason": comparison["reason"]}


class Table:
    """A CSV file that is only appended to: one row an experiment, known by its first `keys` columns."""

    def __init__(self, path, columns, keys):
        self.path, self.columns, self.keys = Path(path), columns, keys
        self.rows = []
        if self.path.exists():
            text = self.path.read_text()
            whole = text[:text.rfind("\n") + 1]
            if whole != text:  # a row that was cut off is measured again
                self.path.write_text(whole)
            rows = list(csv.DictReader(whole.splitlines()))
            if rows and list(rows[0]) != columns:
                sys.exit(f"{self.path} has other columns than this version writes; move it away")
            self.rows = rows
        if not self.path.exists() or not self.path.stat().st_size:
            self.path.write_text(",".join(columns) + "\n")
        self.known = {self.key(row) for row in self.rows}

    def key(self, row):
        return tuple(str(row[column]) for column in self.columns[:self.keys])

    def has(self, *key):
        return tuple(map(str, key)) in self.known

    def add(self, **row):
        row = {column: str(row.get(column, "")).replace("\n", " ") for column in self.columns}
        with open(self.path, "a", newline="") as file:
            csv.DictWriter(file, self.columns, lineterminator="\n").writerow(row)
        self.rows.append(row)
        self.known.add(self.key(row))


def open_results(folder, settings):
    """Makes the folder, or checks that what lies there was measured with the same settings."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "settings.json"
    if file.exists():
        before = json.loads(file.read_text())
        changed = sorted(key for key in set(before) | set(settings) if before.get(key) != settings.get(key))
        if changed:
            sys.exit(f"{folder} was begun with other settings ({', '.join(changed)}); give the same ones or another --out")
    else:
        file.write_text(json.dumps(settings, indent=1) + "\n")
    return folder


def digest(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def floats(rows, column):
    return [float(row[column]) for row in rows if row[column] != ""]


def percent(share, digits=1):
    return f"{100 * share:.{digits}f} %"


def print_table(header, rows):
    """A table in Markdown, aligned."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for number, row in enumerate(cells):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
    print()
