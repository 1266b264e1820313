"""What the events mean. A pure function of them: no I/O, no clock, no screen; imports only `events`."""
