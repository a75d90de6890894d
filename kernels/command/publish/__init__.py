"""What is made of the pages and of the lab for others: the site, slides, the library."""
