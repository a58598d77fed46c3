"""Proofs: dealing that anyone can check. Pure: the seed is handed in."""
