"""Apple's GPUs -> events: what the registry of the system says to anybody, without root.

Written by public descriptions of `ioreg`; no Mac was at hand.

registry   what `ioreg` prints of the GPUs
sampler    one GPU -> one sample, pass after pass
"""
