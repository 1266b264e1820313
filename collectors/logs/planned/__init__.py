"""How long a run is meant to be, by what its head says of it."""
