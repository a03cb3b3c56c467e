"""Freeze the regret scales of the datasets of sweeps that are shipped, into experiments/scales/training.yaml.

Usage: python scripts/freeze_scales.py demo demo-short small
"""

import sys

from experiments._home import Home
from experiments._scales import SCALES_FILE
from experiments.sweeping import find_sweep, load_sweep, plan
from experiments.validating import freeze_training


def main(names: list[str]) -> None:
    """Plan each sweep, which draws its rows and parts, and freeze what is missing."""
    home = Home.find()
    for name in names:
        spec = load_sweep(find_sweep(name))
        freeze_training(SCALES_FILE, plan(spec, home).tables.values(), seed=spec.split_seed, say=lambda told: sys.stderr.write(told + "\n"))


if __name__ == "__main__":
    main(sys.argv[1:])
