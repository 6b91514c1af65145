#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes dip_oracle_values.hpp: what the package diptest says about fixed data, and Harrell-Davis
quantiles by SciPy, for the tests of assay::stats.

Run only to renew the numbers; the tests need no Python:

    python3 -m venv VENV && VENV/bin/pip install numpy scipy diptest
    VENV/bin/python tests/stats/dip_oracle.py > tests/stats/dip_oracle_values.hpp
"""

from importlib.metadata import version

import diptest
import numpy as np
from scipy.stats.mstats import hdquantiles

rng = np.random.default_rng(20261130)


def rounded(values):
    return np.sort(np.round(values, 4))


SETS = [
    np.array([1.0, 2.0, 4.0, 8.0]),
    rounded(rng.standard_normal(5)),
    rounded(rng.random(9)),
    rounded(np.where(rng.random(16) < 0.5, 10.0, 11.0) + 0.05 * rng.standard_normal(16)),
    rounded(np.exp(0.5 * rng.standard_normal(40))),
    rounded(rng.standard_normal(60) + 4 * (rng.random(60) < 0.3)),
    np.round(np.sort(4 * rng.standard_normal(60))) / 4,  # ties
    np.repeat([1.0, 2.0, 5.0], [3, 2, 4]),
    rounded(rng.standard_normal(150) + 5 * (rng.random(150) < 0.4)),
]
QUANTILES_OF = 5  # index of the set


def numbers(values):
    return ", ".join(repr(float(v)) for v in values)


print(
    "// SPDX-License-Identifier: MIT\n//\n"
    f"// Written by dip_oracle.py with diptest {version('diptest')}, SciPy {version('scipy')}.\n"
    "// Do not edit: run the script again.\n#pragma once\n\n#include <vector>\n\n"
    "// clang-format off\nnamespace oracle {\n\n"
    "struct DipSet {\n  std::vector<double> values;\n  double dip;\n  double p;\n};\n\n"
    "inline const std::vector<DipSet> kDipSets{"
)
for values in SETS:
    dip = diptest.dipstat(values, allow_zero=False)
    p = diptest.diptest(values)[1]
    print(f"    {{{{{numbers(values)}}}, {float(dip)!r}, {float(p)!r}}},")
print("};\n")
quantiles = hdquantiles(SETS[QUANTILES_OF], prob=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
print(f"inline constexpr std::size_t kQuantilesOf = {QUANTILES_OF};")
print(f"inline const std::vector<double> kTenths{{{numbers(quantiles)}}};")
# p of samples of other sizes than those of our table, where it is neither 0 nor 1.
print("\nstruct DipP {\n  double dip;\n  std::size_t count;\n  double p;\n};\n")
print("inline const std::vector<DipP> kDipPs{")
for count in (5, 11, 18, 27, 40, 75, 100, 150, 300, 800, 1500, 5000, 20000):
    for apart in (0, 1):
        half = rng.random(count // 2), rng.random(count - count // 2)
        gap = apart * 2.5 / count**0.5  # beside the middle, where the dip is looked for
        dip, p = diptest.diptest(np.concatenate([half[0], 1 + gap + half[1]]))
        if 0.005 < p < 0.98:
            print(f"    {{{float(dip)!r}, {count}, {float(p)!r}}},")
print("};\n\n}  // namespace oracle\n// clang-format on")
