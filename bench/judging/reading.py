# SPDX-License-Identifier: MIT
"""A record's tables, and its samples by cell, trial, subject and block."""
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas

SUBJECTS = ("before", "control", "after")
SAMPLE_COLUMNS = {"trial": "int32", "case": "category", "phase": "category", "block": "int32", "subject": "category",
                  "interval_ns": "float64", "iterations": "int64", "start_ns": "int64"}


@dataclass
class Record:
    plan: dict
    calibration: dict
    samples: pandas.DataFrame
    trials: pandas.DataFrame

    @classmethod
    def read(cls, folder):
        data = Path(folder) / "data"
        return cls(json.loads((data / "plan.json").read_text()), json.loads((data / "calibration.json").read_text()),
                   pandas.read_csv(data / "samples.csv", usecols=list(SAMPLE_COLUMNS), dtype=SAMPLE_COLUMNS,
                                   keep_default_na=False),
                   pandas.read_csv(data / "trials.csv", keep_default_na=False))


@dataclass
class Times:
    """Arrays [cell, trial, subject, block]."""
    interval: np.ndarray  # in ns
    call: np.ndarray
    start: np.ndarray

    @property
    def blocks(self):
        return self.interval.shape[3]


def codes(column, meaning):
    """What a column of names means, as whole numbers."""
    return np.array([meaning.get(name, -1) for name in column.cat.categories])[column.cat.codes]


def times_of(record):
    """The measured samples. Every trial must be complete, and every cell have the same number of blocks."""
    samples = record.samples
    measured = codes(samples["phase"], {"measure": 1}) == 1
    measured &= samples["trial"].to_numpy() > 0
    cells = {" ".join(f"{axis}={value}" for axis, value in cell["case"].items()): i
             for i, cell in enumerate(record.plan["cells"])}
    cell = codes(samples["case"], cells)[measured]
    subject = codes(samples["subject"], {name: i for i, name in enumerate(SUBJECTS)})[measured]
    trial = samples["trial"].to_numpy()[measured] - 1
    block = samples["block"].to_numpy()[measured]
    blocks = record.calibration["cells"][0]["samples_per_trial"]
    shape = (len(cells), int(trial.max()) + 1, len(SUBJECTS), blocks)
    place = np.ravel_multi_index((cell, trial, subject, block), shape)
    if len(place) != np.prod(shape):
        raise SystemExit("this script handles records in which every trial is complete")

    def placed(column):
        values = samples[column].to_numpy()[measured]
        result = np.zeros(shape, values.dtype)
        result.ravel()[place] = values
        return result

    interval = placed("interval_ns")
    if not (np.isfinite(interval).all() and (interval > 0).all()):
        raise SystemExit("a time that cannot be, or a block that is missing")
    return Times(interval, interval / placed("iterations"), placed("start_ns"))
