"""Samples -> what fills up, and when it will be full: memory, GPU memory, shared memory, the checkpoints' disk."""
