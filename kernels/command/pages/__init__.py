"""Runs pages without JupyterLab, once or several times, and keeps their verdicts."""
