"""Intel's GPUs -> events, through the maker's own package `pyzes` (Level Zero Sysman): the same `GpuSample`.

Written by Level Zero's specification, version 1.19; no Intel GPU was at hand.

library   pyzes loaded, initialised; every call goes through here and is named while it runs
parts     the parts of a GPU that are measured: which power domain, clock, engines, sensors, memory
gpu       one GPU -> one sample
sampler   all of them
"""
