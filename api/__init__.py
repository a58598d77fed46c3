"""Tricklog: a game-record service and replay API for card games."""
