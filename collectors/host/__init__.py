"""The operating system -> events: what the trainer's processes and the machine do, once a second."""
