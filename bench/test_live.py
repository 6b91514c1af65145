#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The statistics of the live benches against SciPy 1.x: the values below are what `python3 bench/test_live.py --oracle` prints where
SciPy is installed (scipy.stats.mannwhitneyu, two-sided, and binomtest(...).proportion_ci(method="exact"))."""
import math
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import live  # noqa: E402

SAMPLES = {
    "exact": ([1.1, 2.3, 0.4, 3.8, 2.9], [2.5, 4.1, 3.3, 5.2, 4.7, 6.0]),
    "one of eight": ([5.0, 6.1, 7.2, 8.3, 9.4, 1.5, 2.6, 3.7], [4.8 + 1.3 * k for k in range(12)]),
    "asymptotic": ([math.sin(k) for k in range(12)], [math.sin(k) + 0.6 for k in range(20, 32)]),
    "ties": ([1, 2, 2, 3, 3, 3, 4, 5, 5], [2, 3, 3, 4, 4, 5, 6, 6, 7]),
    "few with ties": ([1, 2, 2], [2, 3, 4, 4]),
    "equal": ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
}
COUNTS = [(0, 10), (10, 10), (1, 5), (3, 600), (30, 600)]

P_VALUES = {
    "exact": 0.030303030303030304,
    "one of eight": 0.005460966501008685,
    "asymptotic": 0.12602212177037309,
    "ties": 0.10583186227957093,
    "few with ties": 0.0954832320975473,
    "equal": 1.0,
}
INTERVALS = {
    (0, 10): (0.0, 0.30849710781876294),
    (10, 10): (0.6915028921812371, 1.0),
    (1, 5): (0.005050763379468115, 0.7164179361180895),
    (3, 600): (0.0010323095168655923, 0.01454204213909968),
    (30, 600): (0.033985547215369755, 0.07061140603267468),
}


class Statistics(unittest.TestCase):
    def test_the_u_test_agrees_with_scipy(self):
        for name, (x, y) in SAMPLES.items():
            self.assertAlmostEqual(live.u_test(x, y), P_VALUES[name], delta=1e-9, msg=name)
            self.assertAlmostEqual(live.u_test(y, x), P_VALUES[name], delta=1e-9, msg=name)

    def test_the_clopper_pearson_interval_agrees_with_scipy(self):
        for (wrong, of), (low, high) in INTERVALS.items():
            self.assertAlmostEqual(live.clopper_pearson(wrong, of)[0], low, delta=1e-9)
            self.assertAlmostEqual(live.clopper_pearson(wrong, of)[1], high, delta=1e-9)

    def test_the_median_of_an_even_number_lies_between_the_middle_two(self):
        self.assertEqual(live.median([4, 1, 3, 2]), 2.5)


class Tables(unittest.TestCase):
    def test_a_row_that_was_cut_off_is_measured_again(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "t.csv"
            table = live.Table(file, ["test", "repeat", "reason"], 2)
            table.add(test="T1", repeat=0, reason="two, \"words\"\nand a line")
            table.add(test="T1", repeat=1)
            file.write_text(file.read_text()[:-2])
            again = live.Table(file, ["test", "repeat", "reason"], 2)
            self.assertTrue(again.has("T1", 0))
            self.assertFalse(again.has("T1", 1))
            self.assertEqual(again.rows[0]["reason"], "two, \"words\" and a line")

    def test_other_settings_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            live.open_results(folder, {"blocks": 10})
            live.open_results(folder, {"blocks": 10})
            with self.assertRaises(SystemExit):
                live.open_results(folder, {"blocks": 8})


def print_oracle():
    from scipy.stats import binomtest, mannwhitneyu
    print("P_VALUES = {")
    for name, (x, y) in SAMPLES.items():
        print(f'    "{name}": {mannwhitneyu(x, y, alternative="two-sided").pvalue},')
    print("}\nINTERVALS = {")
    for wrong, of in COUNTS:
        interval = binomtest(wrong, of).proportion_ci(0.95, "exact")
        print(f"    ({wrong}, {of}): ({interval.low}, {interval.high}),")
    print("}")


if __name__ == "__main__":
    print_oracle() if "--oracle" in sys.argv else unittest.main()
