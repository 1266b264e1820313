"""What Keras draws and prints, and which call of `fit` it is of."""
