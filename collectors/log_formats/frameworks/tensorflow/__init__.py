"""What TensorFlow trained with before Keras."""
