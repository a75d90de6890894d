"""What a reader does: opens JupyterLab, sees the progress, hands in, resets a page."""
