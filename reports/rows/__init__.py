"""The rows of batch, ledger and settings, as every report and the screen show them."""
