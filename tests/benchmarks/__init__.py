"""Benchmarks: figures and ratios, printed and never asserted. ``python -m tests.benchmarks [NAME …]`` runs them."""
