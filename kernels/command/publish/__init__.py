"""Makes the site, the slides and the library from the pages and the lab."""
