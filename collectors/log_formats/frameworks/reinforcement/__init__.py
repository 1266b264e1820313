"""Agents that learn by trying: tables of rollouts."""
