# SPDX-License-Identifier: MIT
"""The boundary cold-start: the first call of each subject in a process of its own, by the fake device's clock and by the real one."""

import unittest

from harness import EndToEnd

TIMERS = [{"name": "scripted", "boundaries": ["call", "cold-start"]}]
PHASES = ["start", "driver", "context", "allocate", "compile", "prepare", "load", "call"]
COLD = 'boundary = ["cold-start"]'


class ColdStart(EndToEnd):
    def fake(self, **more):
        return self.script(timers=TIMERS, **more)

    def measured(self, *arguments, expect=0, protocol=COLD, where="^square/n=64/", device=None, **script):
        self.assay("run", self.experiment(protocol=protocol), "--device", device or self.fake(**script), "--filter", where,
                   *arguments, expect=expect)
        record = self.record()
        self.assay("verify", record.path, expect=0)
        return record


class FirstCalls(ColdStart):
    def test_each_subject_and_the_control_has_a_process_in_every_trial(self):
        record = self.measured(where="^square/")
        measured = [row for row in record.rows() if row["phase"] == "measure"]
        self.assertEqual({(row["boundary"], row["state"], row["iterations"], row["block"]) for row in measured},
                         {("cold-start", "fresh", "1", "0")})
        # plain and its control, other; and of the larger case only-256 as well.
        self.assertEqual(len(measured), 8 * (3 + 4))
        self.assertEqual(len({row["process"] for row in record.rows()}), len(record.rows()), "one sample a process")
        rows_of = {row["process"]: row for row in record.rows("trials.csv")}
        self.assertTrue(all(rows_of[row["process"]]["outcome"] == "completed" for row in measured))
        self.assertEqual({row["canary_missing"] for row in rows_of.values() if row["trial"] != "0"}, {"cold-start"})
        orders = {}
        for row in measured:
            orders.setdefault((row["trial"], row["case"]), []).append(row["subject"])
        self.assertGreater(len({tuple(order) for order in orders.values()}), 4, "the order is drawn")
        self.assertEqual({tuple(sorted(order)) for order in orders.values()},
                         {("control", "other", "plain"), ("control", "only-256", "other", "plain")})
        self.assertEqual({row["phase"] for row in record.rows()}, {"calibration", "measure"}, "nothing is warmed up")
        for cell in record.json("calibration.json")["cells"]:
            self.assertEqual((cell["iterations"]["value"], cell["samples_per_trial"]), (1, 1))
        result = record.json("result.json")
        for comparison in result["comparisons"]:
            self.assertEqual((comparison["verdict"], comparison["trials"]), ("equivalent", 8), comparison)
        self.assertFalse(any("advice" in cell for cell in result["cells"]), "a trial has one sample, whatever it costs")
        self.assertEqual(result["canaries"]["missing"], [{"reason": "cold-start", "trials": 8}])

    def test_a_slow_first_call_is_slower(self):
        record = self.measured(expect=10, subjects={"plain": 1000, "other": 3000})
        comparison = record.comparison("other")
        self.assertEqual((comparison["verdict"], comparison["trials"]), ("slower", 8))
        self.assertAlmostEqual(comparison["ratio"]["value"], 3, delta=0.05)

    def test_a_control_that_leans_voids_the_cell(self):
        record = self.measured(expect=13, control_bias=1.2)
        self.assertEqual(record.comparison("other")["verdict"], "void")

    def test_beside_calls_each_has_its_own_state_and_processes(self):
        protocol = 'boundary = ["call", "cold-start"]\nstate = ["warm", "cold"]'
        dry = self.assay("run", self.experiment(protocol=protocol), "--device", self.fake(), "--filter", "^square/n=64/",
                         "--dry-run", expect=0)
        self.assertIn("3 cells", dry.out)
        record = self.measured(protocol=protocol)
        self.assertEqual({(row["state"], row["boundary"]) for row in record.rows() if row["phase"] == "measure"},
                         {("warm", "call"), ("cold", "call"), ("fresh", "cold-start")})
        processes = {}
        for row in record.rows():
            processes.setdefault(row["process"], set()).add(row["boundary"])
        self.assertTrue(all(len(boundaries) == 1 for boundaries in processes.values()))
        blocks = {row["block"] for row in record.rows() if row["phase"] == "measure" and row["boundary"] == "call"}
        self.assertEqual(len(blocks), 5)
        self.assay("new", "again", "--from", record.path, expect=0)
        text = (self.directory / "again/experiment.toml").read_text()
        self.assertIn('boundary = ["call", "cold-start"]\nstate = ["warm", "cold"]', text)

    def test_outputs_are_checked_in_other_processes_and_after_the_interval(self):
        record = self.measured()
        checks = record.json("checks.json")["results"]
        self.assertEqual({c["subject"] for c in checks if c["kind"] == "before"}, {"plain", "other"})
        timed = [c for c in checks if c["kind"] == "timed"]
        self.assertEqual(sorted(c["subject"] for c in timed), ["other", "plain"])
        self.assertTrue(all(c["passed"] for c in timed))

    def test_a_wrong_first_output_fails_its_subject(self):
        fault = {"kind": "wrong-output", "stage": "block", "subject": "other"}
        record = self.measured(expect=12, faults=[fault])
        self.assertEqual(record.comparison("other")["verdict"], "invalid")


class Phases(ColdStart):
    def test_every_process_says_how_it_came_to_its_call(self):
        record = self.measured(where="^square/")
        samples = {row["process"]: row for row in record.rows()}
        phases = {}
        for row in record.rows("startup.csv"):
            phases.setdefault(row["process"], []).append(row)
        self.assertEqual(phases.keys(), samples.keys())
        for process, rows in phases.items():
            self.assertEqual([row["phase"] for row in rows], PHASES)
            missing = {row["phase"]: row["missing"] for row in rows if row["missing"]}
            self.assertEqual(missing, {"driver": "no-driver", "context": "no-driver", "compile": "no-source",
                                       "load": "no-source", "prepare": "no-preparation"})
            self.assertEqual(rows[-1]["interval_ns"], samples[process]["interval_ns"])
        for subject in record.json("result.json")["cells"][0]["subjects"]:
            startup = {each["phase"]: each for each in subject["startup"]}
            self.assertEqual(startup["call"]["trials"], 8)
            self.assertEqual(startup["driver"]["median_ns"]["missing"], "no-driver")
            self.assertAlmostEqual(startup["call"]["median_ns"]["value"], 1000, delta=20)
        details = self.assay("show", record.path, "--details", expect=0).out
        self.assertIn("From the start of a process to its first result", details)
        page = (record.data / "report.html").read_text()
        self.assertIn("From the start of a process to its first result", page)
        self.assertIn("nothing runs before the first call of a process", page)

    def test_verify_notices_changed_phases(self):
        record = self.measured()
        text = (record.data / "startup.csv").read_text()
        lines = text.splitlines(keepends=True)
        call = next(i for i, line in enumerate(lines) if ",call," in line and not line.startswith("0,"))
        fields = lines[call].split(",")
        longer = fields[:4] + [str(float(fields[4]) + 500)] + fields[5:]
        changes = {
            "to load and to call": lines[:call] + [",".join(longer)] + lines[call + 1:],
            "each phase once and in order": lines[:call] + lines[call + 1:],
            "which there is none of": [line.replace("no-source", "no-idea") for line in lines],
            "has a sample and no phases": lines[:-8],
            "has phases and no sample": lines + [line.replace(lines[-1].split(",")[1], "999", 1) for line in lines[-8:]],
        }
        for what, changed in changes.items():
            (record.data / "startup.csv").write_text("".join(changed))
            self.rebag(record)
            self.assertIn(what, self.assay("verify", record.path, expect=4).out, what)


class Failures(ColdStart):
    def test_a_subject_that_dies_loses_its_cell_and_no_other(self):
        fault = {"kind": "crash", "stage": "block", "trial": 3, "subject": "other", "case": "n=256"}
        record = self.measured(expect=5, where="^square/", faults=[fault])
        failure, = record.failures()
        self.assertEqual((failure["kind"], failure["subject"], failure["cell"]),
                         ("crashed", "other", "square/n=256/fresh/cold-start"))
        self.assertEqual(record.comparison("only-256")["verdict"], "equivalent")
        self.assertEqual(record.comparison("other", "n=64")["verdict"], "equivalent")
        self.assertEqual(record.comparison("other", "n=256")["verdict"], "invalid")
        # In its trial the others have their samples all the same.
        row = [r["subject"] for r in record.rows() if r["trial"] == "3" and r["case"] == "n=256"]
        self.assertEqual(sorted(row), ["control", "only-256", "plain"])

    def test_who_dies_before_anything_of_its_is_known_is_still_the_one(self):
        fault = {"kind": "crash", "stage": "block", "trial": 2}
        record = self.measured(expect=5, faults=[fault])
        self.assertEqual({f["cell"] for f in record.failures()}, {"square/n=64/fresh/cold-start"})
        self.assertTrue(all(f["subject"] for f in record.failures()), record.failures())

    def test_a_subject_that_throws_loses_its_cell(self):
        fault = {"kind": "throw", "stage": "block", "trial": 2, "subject": "other"}
        record = self.measured(expect=12, faults=[fault])
        failure, = record.failures()
        self.assertEqual((failure["kind"], failure["subject"]), ("subject-error", "other"))

    def test_who_fails_the_check_makes_no_first_call(self):
        self.assay("run", self.experiment(protocol=COLD), "--device", self.fake(), "--filter", "^wrong/n=64/", expect=12)
        record = self.record()
        self.assay("verify", record.path, expect=0)
        self.assertEqual({row["subject"] for row in record.rows()}, {"honest", "bystander", "control"})


class Interruptions(ColdStart):
    def test_a_resumed_run_goes_on_with_the_subjects_that_are_missing(self):
        whole = self.measured()
        order = [(r["trial"], r["subject"]) for r in whole.rows()]
        self.unseal(whole)
        # The last three processes: with the eighth trial's.
        for name, lines in (("samples.csv", 2), ("startup.csv", 16), ("trials.csv", 2)):
            self.cut(whole.data / name, lines)
        self.assay("run", "--resume", whole.path, expect=0)
        self.assay("verify", whole.path, expect=0)
        self.assertEqual([(r["trial"], r["subject"]) for r in whole.rows()], order, "the same order")

    def test_a_table_that_lost_its_end_is_mended(self):
        whole = self.measured()
        self.unseal(whole)
        self.cut(whole.data / "startup.csv", 3)
        self.cut(whole.data / "trials.csv", 1)
        self.assay("run", "--resume", whole.path, expect=0)
        self.assay("verify", whole.path, expect=0)
        self.assertIn("samples.csv: cut 1 row", (whole.data / "logs/resumed.log").read_text())


    def test_a_table_that_was_deleted_is_not_made_up(self):
        whole = self.measured()
        self.unseal(whole)
        (whole.data / "startup.csv").unlink()
        run = self.assay("run", "--resume", whole.path, expect=4)
        self.assertIn("data/startup.csv is missing", run.err)
        self.assertFalse(whole.is_sealed())


class Refusals(ColdStart):
    def test_a_state_that_no_first_call_has(self):
        run = self.assay("run", self.experiment(protocol=COLD + '\nstate = ["cold"]'), "--device", self.fake(), expect=4)
        self.assertIn("the boundary \"cold-start\" has no state cold", run.err)
        self.assertIn('expected "fresh", or no `state` at all', run.err)

    def test_a_device_that_has_no_such_boundary(self):
        run = self.assay("run", self.experiment(protocol=COLD), "--device", self.script(), expect=4)
        self.assertIn("'cold-start' is not supported by this version on the device fake; expected call", run.err)


class OnTheProcessor(ColdStart):
    def test_a_whole_experiment_by_the_real_clock(self):
        file = self.experiment(protocol=COLD + "\nmargin = 0.9", looks=(8,))
        run = self.assay("run", file, "--filter", "^square/n=64/")
        self.assertIn(run.status, (0, 10, 11, 13), run)
        record = self.record()
        self.assay("verify", record.path, expect=0)
        phases = {}
        for row in record.rows("startup.csv"):
            phases.setdefault(row["process"], {})[row["phase"]] = row
        for rows in phases.values():
            known = [rows[name] for name in PHASES if not rows[name]["missing"]]
            self.assertEqual([row["phase"] for row in known], ["start", "allocate", "call"])
            self.assertEqual(known, sorted(known, key=lambda row: int(row["start_ns"])))


if __name__ == "__main__":
    unittest.main()
