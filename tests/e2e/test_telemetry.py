# SPDX-License-Identifier: MIT
"""What the device says of itself before and after each block: in the record, in the result, on the page."""

import unittest

from harness import EndToEnd

VALUES = {"sm_clock_hz": 1980000000, "temperature_c": 61, "power_average_mw": 412000, "energy_mj": 1000000,
          "clock_reasons": 0, "sw_power_cap_ns": 0, "sync_boost_ns": 0, "sw_thermal_ns": 0, "hw_thermal_ns": 0,
          "hw_power_brake_ns": 0, "other_processes": 0}


class Telemetry(EndToEnd):
    def run_square(self, **script):
        # 50 ms a call, so that a trial is long enough for its energy: the fake device's time costs none of ours.
        device = self.script(call_ns=50_000_000, **script)
        return self.assay("run", self.experiment(looks=(8,)), "--device", device, "--filter", "^square/n=64/", expect=0)

    def test_each_block_has_a_reading_before_and_after_it(self):
        run = self.run_square(telemetry={"values": VALUES, "advance": {"energy_mj": 50000}})
        record = self.record()
        rows = record.rows("telemetry.csv")
        keys = ("trial", "process", "problem", "case", "state", "boundary", "phase", "block")
        blocks = {tuple(row[key] for key in keys) for row in record.rows() if row["phase"] != "canary"}
        for moment in ("before", "after"):
            told = [tuple(row[key] for key in keys) for row in rows if row["moment"] == moment]
            self.assertEqual(set(told), blocks)
            self.assertEqual(len(told), len(blocks))
        self.assertEqual({row["sm_clock_hz"] for row in rows}, {"1980000000"})
        self.assertEqual({row["memory_clock_hz"] for row in rows}, {""})
        for row in rows:
            self.assertIn("memory_clock_hz:not-scripted", row["missing"].split(";"))
        self.assertEqual({row["flags"] for row in record.rows()}, {""})
        device = record.json("result.json")["device"]
        self.assertEqual([device["blocks"], device["throttled_blocks"], device["shared_blocks"]], [40, 0, 0])
        self.assertGreater(device["energy"]["value"]["uncertainty_j"], 0)
        self.assertEqual(device["energy"]["value"]["processes"], 8)
        self.assertIn("Device during the run: SM clock 1980 MHz", run.out)
        page = (record.data / "report.html").read_text()
        self.assertIn("Device during the run", page)
        self.assertIn("not-scripted", page)
        energy = device["energy"]["value"]
        self.assertIn(f"{energy['energy_j']:.0f} J ± {energy['uncertainty_j']:.0f} J over", page)
        self.assay("verify", record.path, expect=0)

    def test_blocks_under_throttling_and_sharing_are_flagged_and_kept(self):
        changes = [{"stage": "block", "from": 3, "to": 3, "advance": {"sw_power_cap_ns": 3200000}},
                   {"stage": "block", "from": 5, "to": 6, "block": 1, "values": {"other_processes": 2}}]
        run = self.run_square(telemetry={"values": VALUES, "changes": changes})
        record = self.record()
        for row in record.rows():
            measured = row["phase"] == "measure"
            expected = ("throttled" if measured and row["trial"] == "3" else
                        "shared" if measured and row["trial"] in "56" and row["block"] == "1" else "")
            self.assertEqual(row["flags"], expected, row)
        result = record.json("result.json")
        device = result["device"]
        self.assertEqual([device["throttled_blocks"], device["shared_blocks"]], [5, 2])
        self.assertEqual(device["throttling"][0], {"reason": "sw-power-cap", "blocks": 5, "advance_ns": 16000000})
        flagged = {each["name"]: each["count"] for each in device["flagged"]}
        samples = sum(row["flags"] == "throttled" for row in record.rows())
        self.assertEqual(flagged["throttled"], samples)
        slugs = [each["slug"] for each in result["findings"]]
        self.assertIn("device.throttled", slugs)
        self.assertIn("device.shared", slugs)
        self.assertIn("sw-power-cap 16 ms", run.out.replace("\n  ", " ").replace("16.00", "16"))
        # Marked, not dropped: all eight trials count.
        self.assertEqual(record.comparison("other")["trials"], 8)
        page = (record.data / "report.html").read_text()
        self.assertIn("samples flagged &#39;throttled&#39;", page.replace("&apos;", "&#39;"))
        self.assay("verify", record.path, expect=0)

    def test_unknown_processes_are_told_as_unknown(self):
        values = {key: value for key, value in VALUES.items() if key != "other_processes"}
        run = self.run_square(telemetry={"values": values, "missing": {"other_processes": "own-process-not-listed"}})
        self.assertIn("other processes unknown", " ".join(run.out.split()))
        self.assertEqual({row["other_processes"] for row in self.record().rows("telemetry.csv")}, {""})
        self.assertEqual(self.record().json("result.json")["device"]["unknown_shared_blocks"], 40)

    def test_a_device_that_tells_nothing_leaves_no_table(self):
        self.run_square()
        record = self.record()
        self.assertFalse((record.data / "telemetry.csv").exists())
        self.assertNotIn("device", record.json("result.json"))
        self.assay("verify", record.path, expect=0)

    def test_a_changed_reading_is_found(self):
        self.run_square(telemetry={"values": VALUES})
        record = self.record()
        table = record.data / "telemetry.csv"
        table.write_text(table.read_text().replace("1980000000", "1981000000", 1))
        run = self.assay("verify", record.path)
        self.assertNotEqual(run.status, 0)
        self.assertIn("telemetry.csv", run.out + run.err)

    def test_readings_that_do_not_fit_the_samples_are_found_though_the_bag_is_whole(self):
        self.run_square(telemetry={"values": VALUES})
        record = self.record()
        table = record.data / "telemetry.csv"
        kept = table.read_text()
        header, *rows = kept.splitlines(keepends=True)
        fields = rows[-1].split(",")
        at = header.split(",").index("time_ns")
        earlier = ",".join([*fields[:at], "0", *fields[at + 1:]])
        block = header.split(",").index("block")
        elsewhere = [",".join([*row.split(",")[:block], "99", *row.split(",")[block + 1:]]) for row in rows[:2]]
        for changed, said in ((rows[2:], "no reading of block 0 (calibration)"), (rows[1:], "not one of a pair"),
                              ([*rows[:2], *rows], "stands twice or out of order"), ([*rows[:-1], earlier], "from before the one above"),
                              ([*elsewhere, *rows[2:]], "block 99 (calibration) of square/n=64/warm/call, in trial 0, process 0, which")):
            table.write_text("".join([header, *changed]))
            self.rebag(record)
            self.assertIn(said, self.assay("verify", record.path, expect=4).out)
        table.write_text(kept)
        self.rebag(record)
        self.assay("verify", record.path, expect=0)


if __name__ == "__main__":
    unittest.main()
