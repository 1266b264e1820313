"""Where the training is while an iteration takes far longer than usual: the daemon thread looks.

lookout.py   when to look, and what is told of it
looking.py   the frames of another thread, safely
places.py    a frame in words; whose code it is
witness.py   who looks while nobody can: `faulthandler`'s timer

Nothing is looked at in a normal iteration, and neither values nor arguments ever. `ITERMON_STACKS=0` switches it
off; so does a build of Python without its lock, where another thread's frames may be gone while they are read.
"""
