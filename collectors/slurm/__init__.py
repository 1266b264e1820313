"""Slurm: which jobs of this user there are (`squeue`), and where each writes its log (`scontrol show job`)."""
