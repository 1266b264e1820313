"""Reinforcement learning, and robots."""
