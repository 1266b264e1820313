"""Findings as Markdown, for a comment on GitHub: tables, and rows of marks that stand for the chart."""
