"""What stands above each other over one axis of iterations: times, causes, losses, the machine."""
