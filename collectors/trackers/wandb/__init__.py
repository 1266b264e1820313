"""A run of Weights & Biases as it lies on the disk: what was printed, logged and measured, on one clock.

finding      which file is meant by a path
growing      its bytes, as they come
blocks       its blocks of checked records; torn and damaged ones are left out
protobuf     a record's fields, without a library
items        names and values, as far as they are wanted
records      what a record says
metadata     what is said of the machine beside it
first_records  the first of them, until it is clear how to read all
printed      what the script printed
history      what it logged
telemetry    GPUs and machine
joined       all of it as one run
source       ... and as a source
"""
