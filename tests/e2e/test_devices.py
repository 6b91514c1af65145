# SPDX-License-Identifier: MIT
"""Devices with a queue, as the fake device plays them: several boundaries, records of kernels, memory of their own, and their loss."""

import json
import signal
import time
import unittest

from harness import EndToEnd

TIMERS = [
    {"name": "cupti", "boundaries": ["device"], "is_per_call": True, "sees_kernels": True},
    {"name": "host", "boundaries": ["call"], "floor_ns": 5000},
]
BOTH = 'boundary = ["device", "call"]'


class DeviceWithAQueue(EndToEnd):
    def device(self, **more):
        return self.script(timers=TIMERS, has_own_memory=True, evicts_by_writing=True, **more)

    def measured(self, *arguments, expect=0, protocol=BOTH, where="^square/n=64/", **script):
        self.assay("run", self.experiment(protocol=protocol), "--device", self.device(**script), "--filter", where,
                   *arguments, expect=expect)
        record = self.record()
        self.assay("verify", record.path, expect=0)
        return record


class Boundaries(DeviceWithAQueue):
    def test_each_has_a_process_of_its_own_in_every_trial(self):
        record = self.measured(where="^square/")
        trials = record.rows("trials.csv")
        boundary_of = {row["process"]: row["boundary"] for row in trials}
        self.assertEqual(len(boundary_of), len(trials))
        order = {}
        for row in trials:
            order.setdefault(row["trial"], []).append(row["boundary"])
        for trial, boundaries in order.items():
            self.assertEqual(sorted(boundaries), ["call", "device"], trial)
        first = {boundaries[0] for trial, boundaries in order.items() if trial != "0"}
        self.assertEqual(first, {"call", "device"}, "the order is drawn")
        timer_of = {"device": "cupti", "call": "host"}
        for row in record.rows():
            self.assertEqual(row["boundary"], boundary_of[row["process"]])
            self.assertEqual(row["timer"], timer_of[row["boundary"]])
        for boundary in ("device", "call"):
            for case in ("n=64", "n=256"):
                comparison = record.comparison("other", f"{case}/warm/{boundary}")
                self.assertEqual((comparison["verdict"], comparison["trials"]), ("equivalent", 8))

    def test_calibration_keeps_the_launches_that_its_timer_saw(self):
        cells = {cell["cell"]: cell for cell in self.measured().json("calibration.json")["cells"]}
        seen = cells["square/n=64/warm/device"]["launches"]
        self.assertEqual({(each["subject"], launch["grid"], launch["threads"]) for each in seen for launch in each["launches"]},
                         {(subject["subject"], 1, 256) for subject in cells["square/n=64/warm/device"]["calls"]})
        self.assertEqual({launch["occupancy_frac"]["missing"] for each in seen for launch in each["launches"]}, {"not-asked"})
        self.assertNotIn("launches", cells["square/n=64/warm/call"], "this timer sees none")

    def test_a_timer_that_is_asked_for_times_the_boundary_that_it_serves(self):
        record = self.measured(protocol=BOTH + '\ntimer = "host"')
        self.assertEqual({(row["boundary"], row["timer"]) for row in record.rows()}, {("device", "cupti"), ("call", "host")})
        self.assertEqual({cell["timer"] for cell in record.json("plan.json")["cells"]}, {"cupti", "host"})

    def test_canaries_of_two_boundaries_are_not_mixed(self):
        record = self.measured()
        kernels = record.json("result.json")["canaries"]["kernels"]
        self.assertEqual([(k["kernel"], k["boundary"], k["timer"]) for k in kernels],
                         [("canary-compute", "call", "host"), ("canary-compute", "device", "cupti"),
                          ("canary-memory", "call", "host"), ("canary-memory", "device", "cupti")])
        times = {(k["kernel"], k["boundary"]): k["time_ns"] for k in kernels}
        self.assertEqual([k["trials"] for k in kernels], [8] * 4)
        # The floor of the timer is all that they differ by; pooled, they would scatter by it.
        self.assertAlmostEqual(times["canary-compute", "call"] - times["canary-compute", "device"], 5000, delta=2)
        self.assertEqual(record.json("result.json")["canaries"]["missing"], [])

    def test_a_cell_is_calibrated_by_the_step_that_its_own_processes_see(self):
        # The process that the plan was made from is for the device's first boundary and does not know the other's timer.
        coarse = [TIMERS[0], TIMERS[1] | {"resolution_ns": 700}]
        file = self.experiment(protocol=BOTH)
        self.assay("run", file, "--device", self.script(timers=coarse), "--filter", "^square/n=64/", expect=0)
        record = self.record()
        described = {t["name"]: t["resolution_ns"] for t in record.json("plan.json")["descriptions"][0]["timers"]}
        self.assertEqual(described["host"]["missing"], "other-process")
        cells = {cell["cell"]: cell for cell in record.json("calibration.json")["cells"]}
        self.assertEqual(cells["square/n=64/warm/call"]["timer_resolution_ns"], 700)
        self.assay("verify", record.path, expect=0)

    def test_a_dry_run_counts_the_processes_of_each_boundary(self):
        file = self.experiment(protocol=BOTH)
        for where, processes in (("^square/n=64/", "18 to 34 processes"), ("^square/n=64/warm/call", "9 to 17 processes")):
            run = self.assay("run", file, "--device", self.device(), "--filter", where, "--dry-run", expect=0)
            self.assertIn(processes, run.out)

    def test_one_boundary_has_one_process_a_trial(self):
        record = self.measured(protocol="")
        self.assertEqual({row["boundary"] for row in record.rows("trials.csv")}, {"device"}, "the device's first")
        self.assertEqual(len(record.rows("trials.csv")), 9)

    def test_a_state_that_flushes_by_writing_is_one_of_the_device(self):
        record = self.measured(protocol='state = ["warm", "write-flush"]')
        self.assertEqual({row["state"] for row in record.rows() if row["phase"] == "measure"}, {"warm", "write-flush"})
        flushed = {row["iterations"] for row in record.rows() if row["state"] == "write-flush"}
        self.assertEqual(flushed, {"1"}, "a second call would find what the first left")
        run = self.assay("run", self.experiment(protocol='state = ["write-flush"]'), "--device", self.script(), expect=4)
        self.assertIn("expected some of warm, cold", run.err)


class Kernels(DeviceWithAQueue):
    def assert_kernels_make_the_samples(self, record):
        samples = record.rows()
        kernels = record.rows("kernels.csv")
        self.assertEqual(len({row["sample"] for row in kernels}), len(kernels), "a sample has one kernel here")
        for row in kernels:
            sample = samples[int(row["sample"])]
            self.assertEqual(sample["timer"], "cupti")
            self.assertEqual(row["kernel"], "plain" if sample["subject"] == "control" else sample["subject"])
            durations = [int(ns) for ns in row["durations_ns"].split(" ")]
            self.assertEqual(len(durations), int(sample["iterations"]))
            self.assertEqual(len(durations), len(row["begins_ns"].split(" ")))
            self.assertEqual(sum(durations), float(sample["interval_ns"]))
        return {int(row["sample"]) for row in kernels}

    @staticmethod
    def seen(record):
        return {i for i, row in enumerate(record.rows()) if row["timer"] == "cupti" and row["phase"] != "canary"}

    def test_each_sample_of_a_timer_that_sees_them_has_its_rows(self):
        record = self.measured()
        self.assertEqual(self.assert_kernels_make_the_samples(record), self.seen(record))
        self.assertIn("kernels.csv", (record.path / "manifest-sha256.txt").read_text())

    def test_a_record_of_other_timers_has_no_such_file(self):
        record = self.measured(protocol='boundary = ["call"]')
        self.assertFalse((record.data / "kernels.csv").exists())

    def change(self, record, change):
        """What verify says of kernels.csv changed so, with the old bag and with a new one."""
        path = record.data / "kernels.csv"
        kept = path.read_text()
        path.write_text(change(kept))
        old = self.assay("verify", record.path, expect=4).out
        self.assertIn("kernels.csv", old)
        self.rebag(record)
        run = self.assay("verify", record.path)
        path.write_text(kept)
        self.rebag(record)
        return run

    def test_verify_notices_what_was_changed(self):
        record = self.measured()
        lines = (record.data / "kernels.csv").read_text().splitlines(keepends=True)
        at = len(lines) // 2
        fields = lines[at].rstrip("\n").split(",")

        def with_fields(*new):
            return lambda _: "".join([*lines[:at], ",".join(new) + "\n", *lines[at + 1:]])

        longer = [str(int(ns) + 1) if i == 0 else ns for i, ns in enumerate(fields[5].split(" "))]
        run = self.change(record, with_fields(*fields[:5], " ".join(longer)))
        self.assertEqual(run.status, 4)
        self.assertIn(f"kernels.csv: sample {fields[0]} (line {int(fields[0]) + 2} of samples.csv) lasts", run.out)
        run = self.change(record, with_fields("99999999", *fields[1:]))
        self.assertEqual(run.status, 4)
        self.assertIn("sample 99999999", run.out)
        self.assertIn("does not exist", run.out)
        run = self.change(record, with_fields(*fields[:4], fields[4].split(" ")[0], fields[5].split(" ")[0]))
        self.assertEqual(run.status, 4)
        self.assertIn("and is not flagged uneven-work", run.out)
        run = self.change(record, with_fields(*fields[:5], "-1"))
        self.assertEqual(run.status, 4)
        self.assertIn("'durations_ns'", run.out + run.err)
        most = str(2**63 - 1)
        count = len(longer)
        run = self.change(record, with_fields(*fields[:4], " ".join([most] * count), " ".join([most] * count)))
        self.assertEqual(run.status, 4, "numbers that overflow when they are added are a difference, no more")
        header = lines[0]
        for change, said in ((lambda _: "".join([*lines[:at], *lines[at + 1:]]), "has no row"), (lambda _: header, "has no row"),
                             (lambda _: "".join([*lines[:at], *lines[at:at + 1] * 2, *lines[at + 1:]]), "twice"),
                             (lambda text: text + lines[at], "more than one place"),
                             (lambda _: "".join([header, *reversed(lines[1:])]), "stands after one that came later")):
            run = self.change(record, change)
            self.assertEqual(run.status, 4)
            self.assertIn(said, run.out)
        self.assay("verify", record.path, expect=0)
        (record.data / "kernels.csv").unlink()
        self.rebag(record)
        self.assertIn("kernels.csv: sample 0", self.assay("verify", record.path, expect=4).out)

    def test_verify_knows_the_names_of_kernels_that_were_made_from_source(self):
        record = self.measured()
        folder = record.data / "generated"
        folder.mkdir()
        made = {"build": "program", "problem": "square", "case": "n=64", "subject": "plain", "lowered_name": "plain"}
        (folder / "kernels.json").write_text(json.dumps({"format": "assay-generated/1", "kernels": [made]}))
        self.rebag(record)
        self.assay("verify", record.path, expect=0)
        run = self.change(record, lambda text: text.replace(",plain,", ",another,"))
        self.assertEqual(run.status, 4)
        self.assertIn("is without plain, which generated/kernels.json has for plain", run.out)

    def test_a_resumed_run_goes_on_with_the_numbers_of_the_rows(self):
        device = self.device(faults=[{"kind": "slow-answer", "stage": "block", "trial": 2, "seconds": 3}])
        process = self.start("run", self.experiment(protocol=BOTH), "--device", device, "--filter", "^square/n=64/")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            records = self.records()
            if records and (records[0] / "data/trials.csv").exists() and \
                    len((records[0] / "data/trials.csv").read_text().splitlines()) >= 5:
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=20)
        record = self.record()
        self.assertFalse(record.is_sealed())
        # As if it had been killed while it wrote: a line of each table is cut off.
        before = (record.data / "kernels.csv").read_text()
        self.assertGreater(len(before.splitlines()), 10)
        with open(record.data / "kernels.csv", "a") as file:
            file.write("123,plain,1,25")
        with open(record.data / "samples.csv", "a") as file:
            file.write("2,7,program,0,squ")
        self.assay("run", "--resume", record.path, "--device", self.device(), expect=0)
        self.assertTrue((record.data / "kernels.csv").read_text().startswith(before))
        self.assertTrue(record.is_sealed())
        self.assay("verify", record.path, expect=0)
        self.assertEqual(self.assert_kernels_make_the_samples(record), self.seen(record))


class LossesOfPower(DeviceWithAQueue):
    """Tables that reached the disk to different lengths."""

    def test_any_table_may_be_behind(self):
        device = self.device(telemetry={"values": {"temperature_c": 60}})
        self.assay("run", self.experiment(protocol=BOTH), "--device", device, "--filter", "^square/n=64/", expect=0)
        record = self.record()
        tables = ("samples.csv", "trials.csv", "kernels.csv", "telemetry.csv")
        whole = {name: (record.data / name).read_text() for name in tables}
        # Of the last processes at the two boundaries: what trials.csv tells of is on the disk before it does.
        for lost in ({"trials.csv": 1, "samples.csv": 9}, {"trials.csv": 2, "kernels.csv": 9}, {"trials.csv": 2, "telemetry.csv": 3},
                     {"trials.csv": 2, "kernels.csv": 30, "samples.csv": 50, "telemetry.csv": 1},
                     {"samples.csv": 60}, {"trials.csv": 2, "telemetry.csv": 30, "samples.csv": 40}):
            with self.subTest(lost=lost):
                self.unseal(record)
                for name, text in whole.items():
                    (record.data / name).write_text(text)
                for name, lines in lost.items():
                    self.cut(record.data / name, lines)
                self.assay("run", "--resume", record.path, expect=0)
                self.assay("verify", record.path, expect=0)
                seen = {i for i, row in enumerate(record.rows()) if row["timer"] == "cupti" and row["phase"] != "canary"}
                self.assertEqual({int(row["sample"]) for row in record.rows("kernels.csv")}, seen)


class LostDevices(DeviceWithAQueue):
    def lost(self, expect, protocol="", **fault):
        self.assay("run", self.experiment(protocol=protocol), "--device", self.device(faults=[{"kind": "lost", **fault}]),
                   "--filter", "^square/", expect=expect)
        record = self.record()
        self.assertTrue(record.is_sealed())
        self.assay("verify", record.path, expect=0)
        return record

    def assert_culprit(self, record, stage, cells=("n=64",)):
        failures = record.failures()
        self.assertEqual(len(failures), 1, failures)
        failure = failures[0]
        self.assertEqual((failure["kind"], failure["subject"], failure["stage"]), ("device-lost", "other", stage))
        self.assertIn("loses it here", failure["message"])
        for cell in cells:
            self.assertEqual(record.comparison("other", cell)["verdict"], "invalid")
        self.assertEqual(record.comparison("only-256", "n=256")["verdict"], "equivalent")

    def test_in_a_block_the_subject_is_named_and_the_rest_goes_on(self):
        record = self.lost(5, stage="block", trial=3, subject="other", case="n=64", block=2)
        self.assert_culprit(record, "block")
        self.assertEqual(record.failures()[0]["trial"], 3)
        self.assertEqual(record.comparison("other", "n=256")["verdict"], "equivalent")
        # What was measured before, in this very block too, is there; the other cell has its trial in another process.
        rows = [row for row in record.rows() if row["trial"] == "3" and row["phase"] == "measure"]
        lost = [row for row in rows if row["case"] == "n=64"]
        self.assertEqual({row["block"] for row in lost if row["block"] in "01"}, {"0", "1"})
        self.assertNotIn(("other", "2"), {(row["subject"], row["block"]) for row in lost})
        whole = {(row["subject"], row["block"]) for row in rows if row["case"] == "n=256"}
        self.assertEqual(len(whole), 4 * 5)
        told = [row for row in record.rows("trials.csv") if row["trial"] == "3"]
        self.assertEqual([row["outcome"] for row in told if row["outcome"] != "completed"], ["device-lost"])
        self.assertEqual(sum(row["trial"] == "4" and row["case"] == "n=64" and row["subject"] == "plain" and
                             row["phase"] == "measure" for row in record.rows()), 0,
                         "nothing is left to compare with")

    def test_in_a_check_it_is_never_timed(self):
        record = self.lost(5, stage="check", subject="other", case="n=64")
        self.assert_culprit(record, "check")
        self.assertNotIn(("n=64", "other"), {(row["case"], row["subject"]) for row in record.rows()})

    def test_in_the_calibration_it_drops_out(self):
        record = self.lost(5, stage="calibrate", subject="other", case="n=64")
        self.assert_culprit(record, "calibrate")

    def test_at_one_boundary_the_other_keeps_its_verdict(self):
        record = self.lost(5, protocol=BOTH, stage="block", trial=3, subject="other", case="n=64", block=2)
        # The fault fits both: each boundary's cell loses it once.
        self.assertEqual({failure["cell"] for failure in record.failures()},
                         {"square/n=64/warm/device", "square/n=64/warm/call"})
        for boundary in ("device", "call"):
            self.assertEqual(record.comparison("other", f"n=256/warm/{boundary}")["verdict"], "equivalent")

    def test_in_a_canary_it_costs_no_verdict(self):
        record = self.lost(0, stage="canary", trial=3, block=0)
        self.assertEqual([failure["kind"] for failure in record.failures()], ["device-lost"])
        self.assertEqual(record.comparison("other", "n=64")["verdict"], "equivalent")
        self.assertEqual({row["trial"] for row in record.rows() if row["phase"] == "canary"}, {"1", "2"}, "none is asked again")

    def test_before_any_subject_ran_the_cell_is_to_blame(self):
        record = self.lost(5, stage="prepare", case="n=64")
        failure = record.failures()[0]
        self.assertEqual((failure["kind"], failure["subject"]), ("device-lost", ""))
        self.assertEqual(record.comparison("other", "n=64")["verdict"], "inconclusive", "no subject is at fault")
        self.assertEqual(record.comparison("other", "n=256")["verdict"], "equivalent")
        self.assertNotIn("n=64", {row["case"] for row in record.rows()})


class NoGpu(EndToEnd):
    def test_a_cuda_device_that_is_not_there_is_told_with_the_reason(self):
        run = self.assay("run", self.experiment(), "--device", "cuda:77", "--filter", "^square/n=64/")
        self.assertEqual(run.status, 5, run)
        self.assertIn("cuda:77", run.out + run.err)

    def test_a_number_of_a_device_that_is_none_is_a_usage_error(self):
        for device in ("cuda:", "cuda:x", "cuda:-1", "cuda0"):
            self.assertIn("cuda:N", self.assay("run", self.experiment(), "--device", device, expect=2).err)


if __name__ == "__main__":
    unittest.main()
