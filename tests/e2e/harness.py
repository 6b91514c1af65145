# SPDX-License-Identifier: MIT
"""What the end-to-end tests share: running the built command line in a scratch directory, scripts of the fake device, records."""

import csv
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

ASSAY = os.environ["ASSAY_COMMAND"]
PROGRAM = os.environ["ASSAY_E2E_PROGRAM"]


class Run:
    """What a command printed and how it ended."""

    def __init__(self, completed):
        self.status = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr

    def __str__(self):
        return f"exit status {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class EndToEnd(unittest.TestCase):
    def setUp(self):
        self._scratch = tempfile.TemporaryDirectory(prefix="assay e2e ")  # a blank: paths are quoted, or fail here
        self.addCleanup(self._scratch.cleanup)
        self.directory = pathlib.Path(self._scratch.name)
        # The noise floor of the machine that the tests run on must not reach them.
        self.state = self.directory / "state"
        self.environment = {**os.environ, "ASSAY_STATE_DIR": str(self.state)}

    def assay(self, *arguments, expect=None, timeout=120, preexec_fn=None, env=None):
        environment = {**self.environment, **(env or {})}
        run = Run(
            subprocess.run(
                [ASSAY, *map(str, arguments)],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=timeout,
                preexec_fn=preexec_fn,
                env={name: value for name, value in environment.items() if value is not None},
            )
        )
        if expect is not None:
            self.assertEqual(run.status, expect, run)
        return run

    def start(self, *arguments):
        process = subprocess.Popen(
            [ASSAY, *map(str, arguments)],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        return process

    def script(self, **contents):
        """A script of the fake device: 1 µs a call, 0.2 % between trials, unless told otherwise."""
        script = {"assay_fake": 1, "seed": 1, "call_ns": 1000, "between_trials_subject_sd": 0.002, "within_trial_sd": 0.002}
        script.update(contents)
        path = self.directory / "fake.json"
        path.write_text(json.dumps(script))
        return f"fake:{path}"

    def experiment(self, text="", program=PROGRAM, name="e2e", protocol="", file="experiment.toml", looks=(8, 16),
                   blocks=5):
        path = self.directory / file
        path.write_text(
            f'name = "{name}"\nprogram = "{program}"\n{text}\n'
            f"[protocol]\nlooks = {list(looks)}\nblocks = {blocks}\nseed = 7\ntimeout = \"5s\"\n{protocol}\n"
        )
        return path

    def records(self):
        return sorted((self.directory / "records").glob("*")) if (self.directory / "records").exists() else []

    def rebag(self, record):
        """Makes the bag whole again, as whoever edits a record can."""
        data = sorted(path for path in record.data.rglob("*") if path.is_file())
        digests = {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in data}
        (record.path / "manifest-sha256.txt").write_text(
            "".join(f"{digests[path]}  {path.relative_to(record.path)}\n" for path in data))
        info = record.path / "bag-info.txt"
        oxum = f"Payload-Oxum: {sum(path.stat().st_size for path in data)}.{len(data)}"
        info.write_text("".join((oxum if line.startswith("Payload-Oxum") else line) + "\n"
                                for line in info.read_text().splitlines()))
        tags = record.path / "tagmanifest-sha256.txt"
        names = [line.split("  ", 1)[1] for line in tags.read_text().splitlines()]
        tags.write_text("".join(f"{hashlib.sha256((record.path / name).read_bytes()).hexdigest()}  {name}\n"
                                for name in names))

    def unseal(self, record):
        """As if the run had been killed before it judged."""
        for path in record.path.iterdir():
            if path.is_file():
                path.unlink()
        for name in ("result.json", "report.html", "datapackage.json"):
            (record.data / name).unlink()

    @staticmethod
    def cut(path, lines):
        """The file without its last lines, as a kill or a loss of power leaves it."""
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:-lines]))

    def record(self):
        records = self.records()
        self.assertEqual(len(records), 1, records)
        return Record(records[0])


class Record:
    def __init__(self, path):
        self.path = path
        self.data = path / "data"

    def json(self, name):
        return json.loads((self.data / name).read_text())

    def rows(self, name="samples.csv"):
        with open(self.data / name, newline="") as file:
            return list(csv.DictReader(file))

    def is_sealed(self):
        return (self.path / "manifest-sha256.txt").exists()

    def failures(self):
        return self.json("checks.json")["failures"]

    def comparison(self, candidate, where=""):
        found = [
            each
            for each in self.json("result.json")["comparisons"]
            if each["candidate"] == candidate and where in each["cell"]
        ]
        assert found, (candidate, where)
        return found[0]
