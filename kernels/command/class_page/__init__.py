"""The page of a class: what its readers handed in, counted."""
