"""What an epoch's bar holds beside the training."""
