"""What the script itself prints, read in its own process: a log where nobody keeps one.

taps.py     what is written to `sys.stdout` and `sys.stderr`, beside its way
lines.py    lines made of it, bounded, for the run
notice.py   one line on stderr: what of the training was found, and what was not
"""
