"""NVML -> events: what each NVIDIA GPU does, once a second, from one thread.

library   pynvml loaded, initialised; every call goes through here and is named while it runs
errors    what an error code means: this field never, this field later, this GPU lost, all gone
devices   which GPUs and MIG instances there are
counters, gpm, xid, processes   the four that are more than one call
gpu       one device -> one sample
sampler   all of them, with the Xids (`gpus.passes` has what all makers share)
"""
