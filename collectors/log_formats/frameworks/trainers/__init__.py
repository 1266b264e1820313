"""General trainers and libraries."""
