"""Printed numbers recomputed: tokens, FLOPs, MFU, and the physical floor."""
