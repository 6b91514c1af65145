# SPDX-License-Identifier: MIT
"""The machine's ceilings: measured by `assay doctor --ceilings`, stored, in the plan of later runs, and held against times."""

import json
import unittest

from harness import EndToEnd

PASSES = 20


def number(best):
    return {"best": best, "median": best, "passes": PASSES}


def ceilings(l1=2e9, l2=1.5e9, memory=1e9, cores=1):
    """Of a machine with caches of 64 KiB and 1 MiB; rates in bytes per second, for all thread counts alike."""
    rates = {"L1": l1, "L2": l2, "memory": memory}
    kernels = [("read", "none"), ("write", "regular"), ("copy", "regular"), ("triad", "regular")]
    return {
        "instructions": "scripted", "vector_bits": 256, "cores": list(range(cores)), "cores_allowed": cores, "took_s": 1,
        "levels": [{"name": "L1", "bytes": {"value": 65536}, "count": cores},
                   {"name": "L2", "bytes": {"value": 1 << 20}, "count": cores},
                   {"name": "memory", "bytes": {"value": 1 << 34}, "count": 1}],
        "bandwidths": [{"level": level, "kernel": kernel, "stores": stores, "threads": 1, "array_bytes": 4096,
                        "bytes_per_s": number(rate)} for level, rate in rates.items() for kernel, stores in kernels],
        "compute": [{"dtype": "f32", "threads": 1, "flop_per_s": number(1e9)},
                    {"dtype": "f64", "threads": 1, "flop_per_s": number(5e8)}],
        "calls": [{"name": "empty-iteration", "ns": number(0.5)}, {"name": "erased-call", "ns": number(2)}],
    }


class Ceilings(EndToEnd):
    def doctor(self, *arguments, expect=0, **script):
        script.setdefault("ceilings", ceilings())
        return self.assay("doctor", "--ceilings", "--device", self.script(**script), *arguments, expect=expect)

    def run_square(self, *arguments, expect=None, filter="^square/n=64/", **script):
        return self.assay("run", self.experiment(), "--device", self.script(**script), "--filter", filter, *arguments,
                          expect=expect)

    def stored(self):
        return json.loads((self.state / "ceilings.json").read_text())

    def subject(self, name, result=None):
        result = result or self.record().json("result.json")
        return [each for each in result["cells"][0]["subjects"] if each["subject"] == name][0]

    def test_they_are_measured_stored_and_in_the_next_plan(self):
        run = self.doctor()
        entry = self.stored()["machines"][0]
        self.assertEqual([entry["device"], entry["ceilings"]], ["fake", ceilings()])
        self.assertIn("kernel", entry["environment"])
        self.assertIn(str(self.state / "ceilings.json"), run.out)

        run = self.run_square(expect=0)
        plan = self.record().json("plan.json")
        self.assertEqual(plan["ceilings"], {"value": ceilings()})
        for key in ("measured_utc", "assay_version"):
            self.assertEqual(plan["ceilings_source"][key], entry[key])
        # 512 bytes in 1 µs, of 2 GB/s in the nearest cache.
        limits = self.subject("plain")["limits"]
        self.assertEqual(limits["memory"]["value"]["at"], "L1")
        self.assertAlmostEqual(limits["bound_ns"]["value"], 256)
        self.assertEqual(limits["nearest"]["value"], "memory")
        self.assertAlmostEqual(limits["share_frac"]["value"], 0.256, delta=0.01)
        self.assertEqual(limits["bound"]["missing"], "far-from-limits")
        self.assertAlmostEqual(limits["items_per_s"]["value"], 64e6, delta=1e6)
        self.assertIn("copy in L1", run.out)
        self.assertIn("Limits", self.assay("show", self.record().path, expect=0).out)
        self.assertIn("<h2>Limits</h2>", (self.record().data / "report.html").read_text())
        self.assay("verify", self.record().path, expect=0)

    def test_a_time_that_the_nearest_cache_does_not_allow_is_refused(self):
        self.doctor(ceilings=ceilings(l1=4e8, l2=3e8, memory=1e8))
        run = self.run_square(expect=12)
        for name in ("plain", "other"):
            self.assertIn("must have come from L1", self.subject(name)["why_invalid"])
        self.assertIn("impossible-time", run.out)
        self.assay("verify", self.record().path, expect=0)

    def test_a_warm_small_case_is_honestly_faster_than_the_memory(self):
        self.doctor(ceilings=ceilings(l1=6e8, l2=3e8, memory=1e8))
        self.run_square(expect=0)
        limits = self.subject("plain")["limits"]
        self.assertEqual(limits["bound"]["value"], "memory-bound")

    def test_without_them_the_result_says_which_command_measures_them(self):
        run = self.run_square(expect=0)
        self.assertEqual(run.out.count("assay doctor --ceilings"), 1, run)
        self.assertEqual(self.record().json("plan.json")["ceilings"]["missing"], "not-measured")
        self.assertEqual(self.subject("plain")["limits"]["bound"]["missing"], "not-measured")
        self.assay("verify", self.record().path, expect=0)

    def test_those_of_another_machine_are_not_used(self):
        self.doctor()
        file = self.state / "ceilings.json"
        stored = self.stored()
        stored["machines"][0].update(machine_fingerprint="0" * 64, hostname="elsewhere")
        file.write_text(json.dumps(stored))
        run = self.run_square(expect=0)
        self.assertIn("elsewhere", run.out)
        self.assertEqual(self.record().json("plan.json")["ceilings"]["missing"], "other-machine")
        self.doctor()
        self.assertEqual(len(self.stored()["machines"]), 2)

    def test_a_damaged_file_stops_both_before_anything_is_measured(self):
        self.doctor()
        good = self.stored()
        nonsense = json.loads(json.dumps(good))
        nonsense["machines"][0]["ceilings"]["bandwidths"][0]["bytes_per_s"]["best"] = -1
        for text in ("{", "[]", json.dumps(nonsense), json.dumps({**good, "format": "assay-ceilings/99"})):
            (self.state / "ceilings.json").write_text(text)
            for run in (self.run_square(expect=4), self.doctor(expect=4)):
                self.assertIn("Delete the file", run.err)
                self.assertIn("assay doctor --ceilings", run.err)
        self.assertEqual(self.records(), [])

    def test_verify_finds_changed_ones(self):
        self.doctor()
        self.run_square(expect=0)
        record = self.record()
        for name, change in (("plan.json", lambda json: json["ceilings"]["value"]["bandwidths"][0]["bytes_per_s"].update(best=9e9)),
                             ("result.json", lambda json: json["cells"][0]["subjects"][0]["limits"]["bound_ns"].update(value=1))):
            file = record.data / name
            before = file.read_text()
            changed = json.loads(before)
            change(changed)
            file.write_text(json.dumps(changed))
            run = self.assay("verify", record.path, expect=4)
            self.assertIn(name, run.out + run.err)
            file.write_text(before)
        self.assay("verify", record.path, expect=0)

    def test_rows_that_are_missing_are_a_reservation_and_said(self):
        partly = ceilings()
        partly["bandwidths"][0]["bytes_per_s"] = {"missing": "no-time", "detail": "the budget was spent before"}
        run = self.doctor(expect=20, ceilings=partly)
        self.assertIn("the budget was spent before", run.out)
        said = json.loads(self.doctor("--json", expect=20, ceilings=partly).out)
        self.assertFalse(said["complete"])
        self.assertEqual(len(said["reservations"]), 1)

    def test_a_worker_that_dies_stores_nothing(self):
        run = self.doctor(expect=5, faults=[{"kind": "crash", "stage": "ceilings"}])
        self.assertIn("ceilings were not measured", run.err)
        self.assertFalse((self.state / "ceilings.json").exists())

    def test_those_of_a_device_without_cores_are_printed_and_not_stored(self):
        own = ceilings() | {"instructions": "sm_90", "vector_bits": 0, "cores": [], "cores_allowed": 0}
        own["levels"] = own["levels"][1:]
        own["bandwidths"] = [row for row in own["bandwidths"] if row["level"] != "L1"]
        own["compute"].append({"dtype": "bf16", "threads": 1, "kernel": "matrix-product", "library": "cuBLAS 13.1.0",
                               "flop_per_s": number(1e10)})
        own["calls"] = [{"name": "empty-kernel", "ns": number(900)}]
        run = self.doctor(ceilings=own)
        self.assertIn("device fake: sm_90, measured", run.out)
        self.assertIn("matrix-product by cuBLAS 13.1.0", run.out)
        self.assertNotIn("threads", run.out)
        self.assertIn("Stored:  nothing", run.out)
        self.assertFalse((self.state / "ceilings.json").exists())

    def test_a_cuda_device_that_is_not_there_is_a_failure_of_the_device_and_needs_no_state(self):
        run = self.assay("doctor", "--ceilings", "--device", "cuda:77", env={"ASSAY_STATE_DIR": "/proc/none"}, expect=5)
        self.assertIn("cuda", run.err)
        self.assertNotIn("/proc/none", run.err)

    def test_usage(self):
        for arguments in (("--noise", "--ceilings"), ("--ceilings", "--records", "here"), ("--ceilings", "--budget", "soon"),
                          ("--ceilings", "--budget", "0.1s")):
            self.assertIn("assay", self.assay("doctor", *arguments, expect=2).err)
        # A fake device without any has none, and neither has an ordinary program.
        script = self.script()
        self.assertIn("no way to measure those of the device 'fake'", self.assay("doctor", "--ceilings", "--device", script, expect=2).err)

    def test_on_the_real_processor_every_number_is_there_and_positive(self):
        run = self.assay("doctor", "--ceilings", "--budget", "60s")
        if "built without Highway" in run.err:
            self.skipTest("this build has no kernels for the ceilings")
        self.assertIn(run.status, (0, 20), run)
        entry = self.stored()["machines"][0]
        self.assertEqual(entry["device"], "cpu")
        measured = entry["ceilings"]
        for row in measured["bandwidths"]:
            if "missing" in row["bytes_per_s"]:
                self.assertIn(row["bytes_per_s"]["missing"], ("no-room", "no-time"))
                continue
            self.assertGreater(row["bytes_per_s"]["best"], 0)
            self.assertGreaterEqual(row["bytes_per_s"]["passes"], 10)
        for row in measured["compute"]:
            self.assertTrue("missing" in row["flop_per_s"] or row["flop_per_s"]["best"] > 0)
        for row in measured["calls"]:
            self.assertGreater(row["ns"]["best"], 0)


if __name__ == "__main__":
    unittest.main()
