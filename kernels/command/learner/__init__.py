"""Implements a reader's verbs: open JupyterLab, show the progress, hand in results, and reset a page."""
