# SPDX-License-Identifier: MIT
"""Records as data packages, judged by other people's tools: frictionless-py reads every table with the schema that the record has."""

import json
import sys
import unittest

from harness import PROGRAM, EndToEnd

try:
    import frictionless
except ImportError:
    # CTest counts this status as skipped.
    print("SKIPPED: the Python package frictionless is not installed for", sys.executable, flush=True)
    sys.exit(77)

TIMERS = [
    {"name": "cupti", "boundaries": ["device"], "is_per_call": True, "sees_kernels": True},
    {"name": "host", "boundaries": ["call", "cold-start"], "floor_ns": 5000},
]
VALUES = {"sm_clock_hz": 1980000000, "temperature_c": -3, "energy_mj": 1000000, "other_processes": 0}
COMMANDS = """name = "e2e"
[[subject]]
name = "old"
command = ["seq", "3"]
output = "-"
[[subject]]
name = "new, \\"quoted\\""
command = ["seq", "1", "3"]
output = "-"
[protocol]
looks = [8]
blocks = 3
seed = 7
margin = 0.9
"""


class DataPackages(EndToEnd):
    def problems(self, record):
        """What frictionless has against the record's package: types of errors by table."""
        report = frictionless.validate(str(record.data / "datapackage.json"))
        found = {(task.name, error.type) for task in report.tasks for error in task.errors}
        return found | {("package", error.type) for error in report.errors}

    def expect_valid(self, record, *tables):
        report = frictionless.validate(str(record.data / "datapackage.json"))
        self.assertTrue(report.valid, report.flatten(["type", "message"]))
        self.assertEqual([task.name for task in report.tasks], list(tables))
        self.assertEqual({f"{name}.csv" for name in tables}, {path.name for path in record.data.glob("*.csv")})
        for task in report.tasks:
            self.assertEqual(task.stats["rows"], len(record.rows(f"{task.name}.csv")))
            self.assertGreater(task.stats["rows"], 0, task.name)
        self.assertEqual([warning for task in report.tasks for warning in task.warnings], [])
        self.assay("verify", record.path, expect=0)

    def test_of_a_device_that_tells_all_that_there_is(self):
        device = self.script(timers=TIMERS, has_own_memory=True, evicts_by_writing=True, call_ns=50_000_000,
                             telemetry={"values": VALUES})
        self.assay("run", self.experiment(protocol='boundary = ["device", "call", "cold-start"]', looks=(8,)),
                   "--device", device, "--filter", "^square/n=64/", expect=0)
        record = self.record()
        self.expect_valid(record, "samples", "trials", "kernels", "startup", "telemetry")
        self.assertIn("canary", {row["phase"] for row in record.rows()}, "rows with empty names are among them")

        # A schema that lets everything pass would be no description.
        def change(name, old, new):
            path = record.data / name
            kept = path.read_text()
            self.assertIn(old, kept)
            path.write_text(kept.replace(old, new, 1))
            found = self.problems(record)
            path.write_text(kept)
            return found

        samples = (record.data / "samples.csv").read_text().splitlines()
        self.assertIn(("samples", "primary-key"), change("samples.csv", samples[2], samples[1]))
        self.assertIn(("samples", "type-error"), change("samples.csv", "\n0,", "\nfirst,"))
        self.assertIn(("samples", "foreign-key"), change("samples.csv", "\n1,", "\n99,"))
        self.assertIn(("samples", "constraint-error"), change("samples.csv", "\n0,", "\n-1,"))
        self.assertIn(("samples", "hash-count"), change("samples.csv", ",plain,", ",plane,"))
        self.assertIn(("trials", "type-error"), change("trials.csv", "+00:00,", "+01:00,"))
        self.assertIn(("kernels", "constraint-error"), change("kernels.csv", ",256,", ",256,x"))
        self.assertIn(("startup", "primary-key"), change("startup.csv", ",driver,", ",start,"))
        self.assertIn(("telemetry", "constraint-error"), change("telemetry.csv", ",before,", ",,"))
        self.assertEqual(self.problems(record), set())

    def test_of_commands(self):
        path = self.directory / "experiment.toml"
        path.write_text(COMMANDS)
        run = self.assay("run", path)
        self.assertIn(run.status, (0, 10, 11, 13), run)
        record = self.record()
        self.assertIn('new, "quoted"', {row["subject"] for row in record.rows()})
        tables = ["samples", "trials", "command-runs"]
        self.expect_valid(record, *tables, *[name for name in ("telemetry",) if (record.data / f"{name}.csv").exists()])

    def test_of_a_processor(self):
        run = self.assay("run", self.experiment(looks=(8,), protocol='sample = "100us"'), "--device", "cpu", "--filter",
                         "^square/n=64/")
        self.assertIn(run.status, (0, 10, 11, 13), run)
        self.expect_valid(self.record(), "samples", "trials", "telemetry")

    def test_a_package_that_was_changed_is_found_though_the_bag_is_whole(self):
        self.assay("run", self.experiment(), "--device", self.script(), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        path = record.data / "datapackage.json"
        kept = path.read_text()
        package = json.loads(kept)
        package["resources"][0]["schema"]["fields"][13]["unit"] = "us"
        path.write_text(json.dumps(package))
        self.rebag(record)
        self.assertIn("does not agree: datapackage.json: not what this version makes",
                      self.assay("verify", record.path, expect=4).out)
        path.unlink()
        self.rebag(record)
        self.assay("verify", record.path, expect=0)


if __name__ == "__main__":
    unittest.main()
