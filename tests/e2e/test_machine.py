# SPDX-License-Identifier: MIT
"""What a processor and its machine say during a run: in the table, as marks, as findings, and the memory of each subject."""

import unittest

from harness import EndToEnd

VALUES = {"core": 1, "busy_ns": 0, "process_ns": 0, "core_busy_ns": 0, "steal_ns": 0, "core_steal_ns": 0,
          "cpu_pressure_us": 0, "quota_throttles": 0, "core_thermal_throttles": 0, "package_energy_uj": 0}
# 50 ms a call, five samples a block (three subjects and the control): fake time, which costs none of ours.
BLOCK_NS = 4 * 50_000_000


class Machine(EndToEnd):
    def run_square(self, **script):
        device = self.script(call_ns=50_000_000, **script)
        return self.assay("run", self.experiment(looks=(8,)), "--device", device, "--filter", "^square/n=64/", expect=0)

    def findings(self):
        return {each["slug"]: each["text"] for each in self.record().json("result.json")["findings"]}

    def flags(self):
        return {row["flags"] for row in self.record().rows() if row["phase"] == "measure"}

    def test_a_real_processor_tells_and_what_it_cannot_tell_has_a_reason(self):
        self.assay("run", self.experiment(looks=(8,)), "--filter", "^square/n=64/")
        record = self.record()
        rows = record.rows("telemetry.csv")
        self.assertTrue(rows)
        for row in rows:
            missing = dict(pair.split(":") for pair in row["missing"].split(";") if pair)
            for name, value in row.items():
                if name not in ("missing", "case"):
                    self.assertEqual(value == "", name in missing, (name, row))
            for name in ("core", "minor_faults", "involuntary_switches"):
                self.assertNotEqual(row[name], "")
        # Read with the process that they are about, so that neither goes back.
        for process in {row["process"] for row in rows}:
            for name in ("process_ns", "minor_faults", "time_ns"):
                values = [int(row[name]) for row in rows if row["process"] == process and row[name]]
                self.assertEqual(values, sorted(values), name)
        device = record.json("result.json")["device"]
        self.assertIn("foreign_load", [each["quantity"] for each in device["loads"]])
        for cell in record.json("calibration.json")["cells"]:
            for each in cell["memory"]:
                self.assertGreater(each["use"]["allocated_bytes"], 0)
        subject = record.json("result.json")["cells"][0]["subjects"][0]
        self.assertIn("fits", subject["memory"])
        shown = self.assay("show", record.path, "--details")
        self.assertIn("Memory of ", shown.out)
        self.assertIn("Machine during the run", " ".join(shown.out.split()))
        self.assertIn("Memory, in calibration", (record.data / "report.html").read_text())
        self.assay("verify", record.path, expect=0)

    def test_marks_of_a_processor(self):
        changes = [{"stage": "block", "from": 2, "to": 2, "advance": {"core_steal_ns": 10_000_000}},
                   {"stage": "block", "from": 3, "to": 3, "block": 1, "advance": {"quota_throttles": 2}}]
        self.run_square(telemetry={"values": VALUES, "changes": changes})
        rows = [row for row in self.record().rows() if row["phase"] == "measure"]
        for row in rows:
            expected = ("stolen" if row["trial"] == "2" else
                        "throttled" if row["trial"] == "3" and row["block"] == "1" else "")
            self.assertEqual(row["flags"], expected, row)
        flagged = {each["name"]: each["count"] for each in self.record().json("result.json")["device"]["flagged"]}
        self.assertEqual(flagged["stolen"], sum(row["flags"] == "stolen" for row in rows))
        self.assertIn("device.stolen", self.findings())
        self.assertIn("quota 2 times", self.findings()["device.throttled"])
        # Marked, not dropped.
        self.assertEqual(self.record().comparison("other")["trials"], 8)
        self.assay("verify", self.record().path, expect=0)

    def test_a_load_that_begins_in_the_middle_is_found(self):
        changes = [{"from": 5, "advance": {"busy_ns": BLOCK_NS}}]
        run = self.run_square(telemetry={"values": VALUES, "changes": changes})
        text = self.findings()["machine.load-changed"]
        self.assertIn("from trial 5 on", text)
        self.assertIn("0.00 cores' worth at first", text)
        self.assertIn("load by other processes", " ".join(run.out.split()))
        self.assay("verify", self.record().path, expect=0)

    def test_a_load_that_stays_is_no_finding(self):
        self.run_square(telemetry={"values": VALUES, "advance": {"busy_ns": BLOCK_NS}})
        self.assertNotIn("machine.load-changed", self.findings())

    def test_energy_by_rapl(self):
        # 10 J in each block.
        self.run_square(telemetry={"values": VALUES, "advance": {"package_energy_uj": 10_000_000}})
        energy = self.record().json("result.json")["device"]["energy"]["value"]
        self.assertEqual(energy["meter"], "RAPL")
        self.assertGreater(energy["energy_j"], 0)
        # Twice a step of 1 ms of each process's window, and nothing for a gain that is not known.
        power = energy["energy_j"] / energy["window_s"]
        self.assertAlmostEqual(energy["uncertainty_j"] / (energy["processes"] * 2 * power * 0.001), 1, places=1)


if __name__ == "__main__":
    unittest.main()
