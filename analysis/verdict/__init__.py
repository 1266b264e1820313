"""What it is, the evidence, and what to do next: rules, the strongest first."""
