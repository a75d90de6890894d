"""Sets up the course: compiles, chooses the kernel, tries it, and reports what is missing."""
