"""Provides what all other packages use: paths, files, messages and child processes."""
