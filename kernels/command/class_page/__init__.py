"""Counts what the readers of a class handed in, and shows it on one page."""
