"""AMD's GPUs -> events, through the maker's own package `amdsmi`: as NVML's, and behind the same `GpuSample`.

Written by AMD's description of version 7.0; no AMD GPU was at hand.

library   amdsmi loaded, initialised; every call goes through here and is named while it runs
gpu       one GPU -> one sample
sampler   all of them: chosen, lost, looked for again
"""
