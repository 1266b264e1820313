"""What takes the place of the watch screen: log, plan, comparison, help."""
