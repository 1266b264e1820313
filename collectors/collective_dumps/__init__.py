"""What torch's flight recorder wrote down of each rank's collectives."""
