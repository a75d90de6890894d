"""What `kernels/course` does: set up, open, run, test and examine the course.

Only the standard library: all of this runs before anything is installed. Two files are the exception and are
started with the installed Python: `fetch_jars` and `execute`.
"""
