#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Memory and time of the assay command itself.

  parent_cost.py run ASSAY EXPERIMENT [OPTION ...]    peak memory of the parent while it runs an experiment
  parent_cost.py million ASSAY PROGRAM                makes a record of about a million samples (PROGRAM: the built
                                                      bench/error_rate/error_rate) and times show and verify on it

The peak is that of the parent process alone (VmHWM in /proc), without its workers.
"""
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Short samples and many of them: 4 subjects (the control included) x 2000 blocks x 128 trials.
MILLION = """\
name = "million"
program = "{program}"
baseline = "a"

[protocol]
state = ["warm"]
looks = [128]
margin = 0.0001
noise_floor = "ignore"
blocks = 2000
sample = "50us"
budget = "20min"
seed = 1
"""


def peak_bytes(pid):
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.M)
    return int(found.group(1)) * 1024 if found else 0


def watch(command, folder):
    """Runs command; returns (exit status, seconds, peak bytes)."""
    start = time.monotonic()
    with open(Path(folder) / "output.txt", "a") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
        peak = 0
        while process.poll() is None:
            peak = max(peak, peak_bytes(process.pid))
            time.sleep(0.01)
    return process.returncode, time.monotonic() - start, peak


def report(title, outcome):
    status, seconds, peak = outcome
    print(f"{title:10} exit status {status:3}   {seconds:8.2f} s   {peak / 1e6:7.1f} MB at its peak")


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("run", "million"):
        sys.exit(__doc__)
    assay, what = str(Path(sys.argv[2]).resolve()), Path(sys.argv[3]).resolve()
    with tempfile.TemporaryDirectory(prefix="assay-parent-cost-") as folder:
        if sys.argv[1] == "run":
            report("run", watch([assay, "run", str(what), *sys.argv[4:]], folder))
            return
        file = Path(folder) / "experiment.toml"
        file.write_text(MILLION.format(program=what))
        report("run", watch([assay, "run", str(file)], folder))
        (record,) = Path(folder).glob("records/*")
        with open(record / "data" / "samples.csv") as samples:
            rows = sum(1 for _ in samples) - 1
        print(f"           {rows} samples")
        report("show", watch([assay, "show", str(record)], folder))
        report("verify", watch([assay, "verify", str(record)], folder))


if __name__ == "__main__":
    main()
