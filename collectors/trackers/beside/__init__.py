"""A log and what a tracker kept of the same run, as one run.

finding   which runs of trackers may be that of a log
kept      what the tracker has of its run
proof     whether the two are the same run
filling   what the one adds to the other
source    ... and both as a source
"""
