"""Set-up: compiles, chooses the kernel, tries it, and says what is missing."""
