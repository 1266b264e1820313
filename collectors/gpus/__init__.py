"""The GPUs of this machine -> events, whoever made them: once a second, from one thread.

passes   all GPUs, pass after pass: chosen, sampled, lost, looked for again, back
asking   the questions to one GPU: an unsupported one is asked once
choice   which of them are shown: those asked for, used by the trainer, visible to it
device   one of them, and the sample of what it answered
trainer  what the choice needs to know of the trainer
bounds   what no GPU can report
usage    whose processes compute on it
"""
