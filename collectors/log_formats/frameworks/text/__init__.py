"""Text: translation, tagging, pipelines."""
