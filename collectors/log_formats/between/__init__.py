"""What the lines between two rows say: that the training lives, what it stops for, what it saves."""
