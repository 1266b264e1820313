"""Findings as text for pipes and files. No Textual here."""
