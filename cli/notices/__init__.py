"""The commands that tell somebody who does not look, and the channels that they use."""
