"""Standing campaigns against hostile input: random, seeded, bounded; each counts what it tried and what broke."""
