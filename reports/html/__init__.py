"""Findings as one HTML file that asks nobody for anything: figures, evidence, and a chart to zoom."""
