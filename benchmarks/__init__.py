# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks: run them all with `make bench`, one with `python -m benchmarks NAME`.

A benchmark is a module `bench_<name>.py` with a function `run(options) -> list[Row]`. Peers run in the same
process, interleaved with ours, so that what is reported is a ratio; machines are noisy, ratios less so.
Mechanisms are defined once (`mechanisms.py`) and built for each engine by a file of `peers`.
"""
