# SPDX-License-Identifier: MIT
"""States on the processor, with real times, of which only the form is looked at."""

import unittest

from harness import EndToEnd


class Rotation(EndToEnd):
    def test_copies_go_around_and_are_checked(self):
        # A case of 8 MiB, so that the copies of large caches are not too many.
        cases = "[cases]\nn = [1048576]\n"
        file = self.experiment(cases, protocol='state = ["cold", "rotate"]\nmargin = 0.5\nbudget = "60s"', looks=(8,), blocks=3)
        run = self.assay("run", file, "--filter", "^square/", timeout=300)
        plan = self.record().json("plan.json")
        cache = plan["descriptions"][0]["device"]["last_level_cache_bytes"]
        if "value" not in cache or any("rotate" in left["what"] for left in plan["left_out"]):
            self.skipTest(f"nothing rotates here: {cache}")
        self.assertNotIn(run.status, (2, 3, 4, 5, 70), run)
        record = self.record()
        self.assertEqual(record.failures(), [])
        rows = [row for row in record.rows() if row["state"] == "rotate"]
        self.assertEqual({row["iterations"] for row in rows}, {"1"})
        self.assertIn("measure", {row["phase"] for row in rows})
        cells = {cell["cell"]: cell for cell in record.json("calibration.json")["cells"]}
        rotation = cells["square/n=1048576/rotate/call"]["rotation"]
        self.assertGreaterEqual((rotation["copies"] - 1) * 8 << 20, 3 * cache["value"])
        self.assertEqual(rotation["bytes"], rotation["copies"] * 8 << 20)
        timed = [check for check in record.json("checks.json")["results"] if check["kind"] == "timed"]
        self.assertTrue(any("/rotate/" in check["detail"]["cell"] for check in timed), timed)
        self.assertTrue(all(check["passed"] for check in timed), timed)
        self.assay("verify", record.path, expect=0)

    def test_what_is_too_small_is_left_out_with_the_numbers(self):
        run = self.assay("run", self.experiment(protocol='state = ["rotate"]'), "--filter", "^square/n=64/")
        if "has no state 'rotate'" in run.err:
            self.skipTest("the size of the last-level cache is not known here")
        self.assertEqual(run.status, 3, run)
        self.assertIn("has inputs and outputs of 512 bytes", run.err)
        self.assertIn("use the state cold, or a case of", run.err)


if __name__ == "__main__":
    unittest.main()
