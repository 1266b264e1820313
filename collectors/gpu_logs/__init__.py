"""What somebody recorded of the GPUs, in files of other programs -> `GpuSample` events.

headings   one table: what a column of such a file is, by its heading and unit
cells      the text of one cell: a number with its unit, a time, a list of reasons
layouts    the headings of a table: what stands in which place of a row
tables     CSV of any program, `nvidia-smi dmon` and `dcgmi dmon`: rows -> samples
documents  `gpustat --json`: one document after the other
recording  a file, read as it grows; what it is, found in its first lines
survey     one look through it: from when to when, how often, when the GPUs were busy
kept       its samples from then on, so that no row is parsed twice
clocks     by how much its clock and that of a log differ: found where both say so, else asked for
writing    samples as nvidia-smi writes them
joined     a run and its recording as one source
"""
