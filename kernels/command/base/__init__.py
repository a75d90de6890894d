"""What everything stands on: paths, files, messages, other programs."""
