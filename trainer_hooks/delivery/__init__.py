"""Where events go: the recording, and viewers at the socket. The daemon thread's room."""
