"""The outside world, turned into events: logs, sockets, recordings, GPUs, the host. Imports only `events`."""
