"""What is kept of a run: iterations as columns, spans, samples, printed losses."""
