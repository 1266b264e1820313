"""Incidents: what is worth waking somebody for, said once, from the figures that the verdict uses."""
