"""What the samples of GPUs say of a stretch of time, of all of it together: never of one iteration.

profile   one GPU: how busy, at which clock, at which power, how hot
jobs      which GPUs work together, which do nothing
limits    what holds the clocks down: the power limit, heat, something else, nothing
sensors   power that cannot be right
periods   how often they rise and fall
use       all of it, of the GPUs of this run
"""
