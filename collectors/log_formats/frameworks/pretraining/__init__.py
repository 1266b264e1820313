"""Large-scale pretraining."""
