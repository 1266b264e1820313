"""What a run says to somebody who does not look: messages, the channels that carry them, and the guard."""
