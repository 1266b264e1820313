"""The words with which libraries, launchers and queues say that a program came to a bad end."""
