"""A run of Weights & Biases as it lies on the disk: what was printed, logged and measured, on one clock.

blocks      the file: blocks of checked records, torn and damaged ones left out
protobuf    a record's fields, without a library
items       names and values, as far as they are wanted
records     what a record says
"""
