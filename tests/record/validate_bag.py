#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Validates a record with other people's tools: bagit-python, and sha256sum on the sealed plan.

validate_bag.py PROGRAM: PROGRAM DIRECTORY writes a sealed record below DIRECTORY and prints its path. Exit status 0 if the
validators accept it and refuse changed copies, 1 if not, 77 (skipped) without the Python package bagit.
"""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import bagit
except ImportError:
    print("SKIPPED: the Python package bagit is not installed for", sys.executable)
    sys.exit(77)


def is_valid(path):
    try:
        bagit.Bag(str(path)).validate()
    except bagit.BagError as error:
        print(f"{path.name}: {error}")
        return False
    return True


def expect(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        output = subprocess.run([sys.argv[1], str(folder / "records")], check=True, capture_output=True, text=True)
        record = pathlib.Path(output.stdout.rstrip("\n"))
        expect(is_valid(record), "bagit accepts the record as written")
        info = bagit.Bag(str(record)).info
        expect(info["External-Identifier"] == record.name, "the bag names the record")
        expect(info["Bag-Software-Agent"] == "assay 0.1.0", "the bag names what wrote it")

        def change(name, f):
            copy = folder / name
            shutil.copytree(record, copy)
            f(copy)
            expect(not is_valid(copy), f"bagit refuses a record with {name}")

        def swap_names(bag):
            table = bag / "data/samples.csv"
            table.write_bytes(table.read_bytes().replace(b"naive", b"evian", 1))

        change("a changed sample of the same size", swap_names)
        change("a missing table", lambda bag: (bag / "data/trials.csv").unlink())
        change("an added file", lambda bag: (bag / "data/late.txt").write_text("late"))
        change("a changed tag file", lambda bag: (bag / "bag-info.txt").open("a").write("Contact-Name: nobody\n"))

        check = subprocess.run(["sha256sum", "--strict", "-c", "plan.sha256"], cwd=record / "data", capture_output=True, text=True)
        expect(check.returncode == 0 and check.stdout == "plan.json: OK\ncalibration.json: OK\n",
               f"sha256sum accepts the seals: {check.stdout}{check.stderr}")
        digest = hashlib.sha256((record / "data/plan.json").read_bytes()).hexdigest()
        expect(record.name.endswith("-" + digest[:8]), "the name ends in the plan's digest")


if __name__ == "__main__":
    main()
